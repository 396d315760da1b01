"use strict";
const say = (key, values = {}) => DATA.texts[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const at = (id) => document.getElementById(id);
const INK = { white: "#ffffff", yellow: "#ffc928", red: "#ff5148", black: "#9aa3ad" };
const number = DATA.shot.index, base = `/replay/${number}`, query = `?game=${DATA.game}`, lang = `lang=${DATA.lang}`;
let times = [], done = false, index = 0, playing = false, speed = 0.25, chosen = -1;
const shown = { paths: true, dots: true, ghost: false };
const pictures = new Map();  // index -> Image, loaded ahead

function texts() {
  document.title = `${say("title")} ${number}`;
  at("title").textContent = `${say("title")}: ${say("stroke", { n: number })}`;
  at("console").textContent = say("console");
  at("console").href = `/console?${lang}`;
  for (const [id, n, key] of [["earlier", number - 1, "earlier"], ["later", number + 1, "later"]]) {
    at(id).textContent = say(key);
    at(id).href = `/replay/${n}${query}&${lang}`;
    at(id).classList.toggle("off", n < 1 || n > DATA.count);
  }
  for (const [id, key] of [["paths", "paths"], ["dots", "marks"], ["ghost", "ghost"], ["keys", "keys"], ["speedname", "speed"]]) at(id).textContent = say(key);
  const ruling = DATA.shot.ruling;
  at("ruling").textContent = ruling ? ruling.explanation[DATA.lang] : "—";
  at("doubts").classList.toggle("off", !DATA.doubts.length);
  at("doubts").textContent = DATA.doubts.length ? `${say("review")}: ${DATA.doubts.join("; ")}` : "";
  for (const value of [0.05, 0.1, 0.25, 0.5, 1]) {
    const option = new Option(value === 1 ? say("whole") : `1/${Math.round(1 / value)}`, String(value), value === speed, value === speed);
    at("speed").add(option);
  }
}

function events() {
  DATA.scene.events.forEach((event, n) => {
    const line = document.createElement("li"), press = document.createElement("button");
    const t = document.createElement("span"), what = document.createElement("span");
    t.className = "t";
    t.textContent = (event.t - DATA.shot.start_t).toFixed(3).replace(".", DATA.lang === "ru" ? "," : ".");
    what.textContent = DATA.events[n];
    press.append(t, what);
    press.onclick = () => { stop(); choose(n); go(nearest(event.t)); };
    line.append(press);
    at("events").append(line);
  });
}

function choose(n) {
  chosen = n;
  [...at("events").querySelectorAll("button")].forEach((b, k) => b.classList.toggle("on", k === n));
  const event = DATA.scene.events[n];
  at("close").classList.toggle("off", !event || !event.px);
  if (event && event.px) {
    at("closename").textContent = `${say("close")}: ${DATA.events[n]}`;
    at("close").querySelector("img").src = `${base}/close/${n}.jpg${query}`;
  }
}

const nearest = (t) => times.reduce((best, value, n) => (Math.abs(value - t) < Math.abs(times[best] - t) ? n : best), 0);

function load(n) {
  if (n < 0 || n >= times.length) return null;
  if (!pictures.has(n)) {
    const image = new Image();
    image.src = `${base}/${n}.jpg${query}`;
    image.onload = () => { if (n === index) draw(); };
    pictures.set(n, image);
  }
  return pictures.get(n);
}

function go(n) {
  if (!times.length) return;
  index = Math.max(0, Math.min(times.length - 1, n));
  for (let k = 0; k < 8; k++) load(index + k);
  draw();
}

function draw() {
  const image = load(index);
  if (image && image.complete && image.naturalWidth) at("picture").src = image.src;
  at("line").max = Math.max(0, times.length - 1);
  at("line").value = index;
  at("place").textContent = times.length ? say("frame", { n: index + 1, all: times.length }) + (done ? "" : "…") : "";
  const canvas = at("marks"), view = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
  canvas.width = view.width * ratio;
  canvas.height = view.height * ratio;
  const pen = canvas.getContext("2d"), k = canvas.width / DATA.scene.width, now = times[index];
  pen.lineWidth = Math.max(1.5, 2 * ratio);
  const ring = (px, colour, dash = []) => {
    pen.setLineDash(dash);
    pen.strokeStyle = colour;
    pen.beginPath();
    pen.arc((px[0] + 0.5) * k, (px[1] + 0.5) * k, DATA.scene.radius * k, 0, 7);
    pen.stroke();
    pen.setLineDash([]);
  };
  if (shown.ghost) for (const [ball, px] of Object.entries(DATA.scene.before)) ring(px, INK[ball], [6 * ratio, 5 * ratio]);
  if (shown.paths) for (const [ball, path] of Object.entries(DATA.scene.paths)) {
    for (const [part, alpha] of [[path.filter((p) => p[0] <= now), 0.95], [path.filter((p) => p[0] > now), 0.3]]) {
      if (part.length < 2) continue;
      pen.strokeStyle = INK[ball];
      pen.globalAlpha = alpha;
      pen.beginPath();
      part.forEach((p, n) => pen[n ? "lineTo" : "moveTo"]((p[1] + 0.5) * k, (p[2] + 0.5) * k));
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }
  if (shown.dots) DATA.scene.events.forEach((event, n) => {
    if (!event.px || (event.t > now + 0.001 && n !== chosen)) return;
    pen.fillStyle = n === chosen ? "#f2c14e" : "rgba(242,193,78,.75)";
    pen.beginPath();
    pen.arc((event.px[0] + 0.5) * k, (event.px[1] + 0.5) * k, (n === chosen ? 7 : 4) * ratio, 0, 7);
    pen.fill();
  });
}

let last = 0, clock = 0;
function tick(stamp) {
  if (!playing) return;
  clock += ((stamp - last) / 1000) * speed;
  last = stamp;
  if (clock > times[times.length - 1]) { stop(); return; }
  const n = nearest(clock);
  if (n !== index) go(n);
  requestAnimationFrame(tick);
}
function start() {
  if (!times.length) return;
  if (index >= times.length - 1) index = 0;
  playing = true;
  clock = times[index];
  last = performance.now();
  at("play").textContent = say("stop");
  requestAnimationFrame(tick);
}
function stop() { playing = false; at("play").textContent = say("play"); }

at("play").onclick = () => (playing ? stop() : start());
at("back").onclick = () => { stop(); go(index - 1); };
at("ahead").onclick = () => { stop(); go(index + 1); };
at("line").oninput = () => { stop(); go(Number(at("line").value)); };
at("speed").onchange = () => { speed = Number(at("speed").value); };
for (const key of ["paths", "dots", "ghost"]) at(key).onclick = () => { shown[key] = !shown[key]; at(key).classList.toggle("on", shown[key]); draw(); };
document.addEventListener("keydown", (event) => {
  if (event.target.matches("select, input")) return;
  if (event.key === " ") { event.preventDefault(); playing ? stop() : start(); }
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step) { event.preventDefault(); stop(); go(index + step * (event.shiftKey ? 10 : 1)); }
});
window.addEventListener("resize", draw);

async function fetchCut() {
  try {
    const answer = await fetch(`${base}/cut${query}`);
    const cut = await answer.json();
    const first = !times.length && cut.times && cut.times.length;
    times = cut.times || [];
    done = cut.done;
    at("wait").textContent = cut.failed || (times.length ? "" : say("cutting"));
    if (first) go(nearest(DATA.shot.start_t)); else draw();
  } catch { at("wait").textContent = say("cutting"); }
  if (!done) setTimeout(fetchCut, 400);
}
texts();
events();
stop();
const doubtful = DATA.shot.review.find((doubt) => doubt.event !== null);
if (doubtful) choose(doubtful.event);
fetchCut();
