"use strict";
const say = (key, values = {}) => (DATA.texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name]);
const at = (id) => document.getElementById(id);
const BALLS = ["white", "yellow", "red", "black"];
let board = null, table = null, source = null, link = false, allowed = true;

// making of elements: make("button", { class: "on", text: "…", onclick: f }, child, …)
function make(kind, options = {}, ...children) {
  const node = document.createElement(kind);
  for (const [name, value] of Object.entries(options)) {
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node[name] = value;
    else if (value !== false && value !== undefined && value !== null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
const dot = (ball) => make("span", { class: `dot ${ball}` });
const name = (n) => (board && board.players ? board.players[n] : "");
const number = (value, digits = 0) => value.toFixed(digits).replace(".", DATA.lang === "ru" ? "," : ".");

let hiding = null;
function tell(text) {
  at("message").textContent = inWords(text);
  at("message").classList.remove("off");
  clearTimeout(hiding);
  hiding = setTimeout(() => at("message").classList.add("off"), 7000);
}

async function act(path, body, method = "POST") {
  try {
    const answer = await fetch(`/api/${path}`, { method, headers: { "content-type": "application/json" }, body: method === "GET" ? undefined : JSON.stringify(body ?? {}) });
    const document = await answer.json().catch(() => null);
    if (answer.status === 401) { await session(); return null; }
    if (!answer.ok) { tell(typeof document?.detail === "string" ? document.detail : `${answer.status}`); return null; }
    return document;
  } catch { tell(say("nolink")); return null; }
}

async function session() {
  const state = await fetch("/api/session").then((answer) => answer.json()).catch(() => null);
  if (!state) return;
  allowed = state.allowed;
  at("leave").classList.toggle("off", !(state.pin && allowed));
  if (!allowed && !at("login").open) at("login").showModal();
  if (allowed && at("login").open) at("login").close();
}

// the words that stay
function texts() {
  document.title = `Poedinok · ${say("title")}`;
  for (const key of ["undo", "redo", "end", "next", "newgame", "nocall", "leave"]) at(key).textContent = say(key);
  for (const [id, key] of [["resettimer", "reset"], ["calltitle", "call"], ["sayit", "say"], ["takecall", "takecall"], ["morecall", "more"], ["clearcall", "clear"],
    ["strokestitle", "strokes"], ["gametitle", "newgame"], ["replace", "replace"], ["l_player1", "player1"], ["l_player2", "player2"], ["l_target", "target"], ["l_first", "first"],
    ["startgame", "start"], ["cancelgame", "cancel"], ["logintitle", "title"], ["l_pin", "pin"], ["enter", "enter"], ["addevent", "add"], ["applyedit", "apply"], ["canceledit", "cancel"],
    ["cameratitle", "camera"], ["to_scoreboard", "scoreboard"], ["to_overlay", "overlay"], ["to_matches", "matches"], ["to_calibrate", "calibrate"], ["to_language", "language"]]) at(id).textContent = say(key);
  at("l_h1").textContent = `${say("handicap")} 1`;
  at("l_h2").textContent = `${say("handicap")} 2`;
  at("saytext").placeholder = say("typed");
  const lang = `lang=${DATA.lang}`;
  for (const [id, path] of [["to_scoreboard", "/scoreboard"], ["to_overlay", "/overlay"], ["to_matches", "/"], ["to_calibrate", "/calibrate"]]) at(id).href = `${path}?${lang}`;
  at("to_language").href = `/console?lang=${DATA.lang === "ru" ? "en" : "ru"}`;
}

// head -----------------------------------------------------------------------------------------------------------
function drawHead() {
  const playing = board && board.players && board.turn;
  at("score").textContent = playing ? `${board.settled[0]} : ${board.settled[1]}` : "— : —";
  const turn = board?.turn, hand = { in_hand: say("hand"), in_hand_house: say("house") }[turn?.placement];
  at("turn").textContent = !playing ? say("idle") : board.winner !== null ? say("over", { name: name(board.winner) }) : board.status === "over" ? say("ended")
    : board.status === "paused" ? say("paused") : say("turn", { name: name(turn.player), ball: DATA.balls[turn.cue_ball] + (hand ? `, ${hand}` : "") });
  const ahead = playing && (turn.scores[0] !== board.settled[0] || turn.scores[1] !== board.settled[1]);
  at("sub").textContent = [playing ? `${name(0)} — ${name(1)}` : "", board?.target ? `→ ${board.target}` : "", ahead ? say("provisional", { a: turn.scores[0], b: turn.scores[1] }) : "",
    table ? say(table.moving ? "moving" : "rest") : ""].filter(Boolean).join(" · ");
  document.querySelector("main").classList.toggle("check", Boolean(board?.open.length));
  at("undo").disabled = !board?.undoable;
  at("redo").disabled = !board?.redoable;
  const live = board && ["playing", "paused"].includes(board.status);
  at("pause").textContent = say(board?.status === "paused" ? "resume" : "pause");
  for (const id of ["pause", "end"]) at(id).classList.toggle("off", !live);
  at("next").classList.toggle("off", !(board && board.status === "over"));
  at("callbox").classList.toggle("off", !live);
  const state = !link ? "nolink" : source?.over ? "filmover" : source?.slow ? "slow" : source?.source;
  at("source").textContent = state ? say(state) + (source?.reason && link && !source.over ? ` (${inWords(source.reason)})` : "") : "";
  at("source").className = state === "healthy" ? "good" : state === "filmover" ? "soft" : "bad";
  at("recording").textContent = source ? say(`rec_${source.recording}`) + (source.recording_reason ? ` (${inWords(source.recording_reason)})` : "") : "";
  at("journal").textContent = source?.journal_failure ? `${say("journal")}: ${inWords(source.journal_failure)}` : "";
  at("recording").className = source && !["recording", "off"].includes(source.recording) ? "bad" : "soft";
}

// plan -----------------------------------------------------------------------------------------------------------
const SVG = "http://www.w3.org/2000/svg";
function shape(kind, attributes, parent) {
  const node = document.createElementNS(SVG, kind);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent.append(node);
  return node;
}
const { length: L, width: W, ball: D } = DATA.table, EDGE = 190;
const up = (y) => W - y;  // y grows to the left cushion, which is drawn on top
const INK = { white: "#fafafa", yellow: "#ffc928", red: "#e23b32", black: "#17181a" };
let live = null;
function drawTable() {
  const plan = at("plan");
  plan.setAttribute("viewBox", `${-EDGE} ${-EDGE} ${L + 2 * EDGE} ${W + 2 * EDGE}`);
  shape("rect", { x: -EDGE, y: -EDGE, width: L + 2 * EDGE, height: W + 2 * EDGE, rx: 90, fill: "#4a3020" }, plan);
  shape("rect", { x: 0, y: 0, width: L, height: W, fill: "#1f6b4a" }, plan);
  shape("line", { x1: L / 4, x2: L / 4, y1: 0, y2: W, stroke: "#ffffff66", "stroke-width": 7 }, plan);
  for (const x of [L / 4, L / 2, (3 * L) / 4]) shape("circle", { cx: x, cy: W / 2, r: 14, fill: "#ffffff88" }, plan);
  for (const pocket of DATA.table.pockets) {
    const hole = shape("circle", { cx: pocket.x, cy: up(pocket.y), r: 105, fill: "#0c0d0e", class: "pocket", tabindex: 0, role: "button", "data-pocket": pocket.name }, plan);
    shape("title", {}, hole).textContent = DATA.pockets[pocket.name];
    hole.addEventListener("click", () => pickPocket(pocket.name));
    hole.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pickPocket(pocket.name); } });
  }
  live = shape("g", { "pointer-events": "none" }, plan);
}
function drawBalls() {
  if (!live) return;
  live.replaceChildren();
  for (const ball of BALLS) {
    const goal = board?.expected?.[ball], here = table?.balls?.[ball];
    const away = goal && here ? Math.hypot(here[0] - goal[0], here[1] - goal[1]) : null;
    if (goal && !table?.moving && board?.status === "playing" && (away === null || away > tolerance(here))) {
      shape("circle", { cx: goal[0], cy: up(goal[1]), r: D / 2 + 12, fill: "none", stroke: INK[ball] === "#17181a" ? "#c9ccd2" : INK[ball], "stroke-width": 9, "stroke-dasharray": "34 22" }, live);
    }
    if (here) {
      const faded = table.hidden.includes(ball);
      shape("circle", { cx: here[0], cy: up(here[1]), r: D / 2 + 8, fill: INK[ball], stroke: ball === "black" ? "#9aa0a8" : "#0008", "stroke-width": 7, opacity: faded ? 0.45 : 1 }, live);
    }
  }
  for (const hole of document.querySelectorAll("#plan .pocket")) hole.setAttribute("fill", hole.dataset.pocket === draft.pocket ? "#34507f" : "#0c0d0e");
}
// how far a ball may be seen from its place, mm: the referee's own tolerance, with the error bar of the sight
const tolerance = ([, , sigma]) => board.place_mm[0] + board.place_mm[1] * sigma;
function drawSpots() {
  const box = at("spots"), parts = [];
  if (board?.status === "playing" && board.expected && table && !table.moving) {
    for (const ball of BALLS) {
      const goal = board.expected[ball], here = table.balls[ball], hand = board.turn.cue_ball === ball && board.turn.placement !== "as_lies";
      let text = "", bad = false;
      if (hand) text = here ? "" : say("spothand");
      else if (goal && !here) { text = say("spotmissing"); bad = true; }
      else if (!goal && here) { text = say("spotremove"); bad = true; }
      else if (goal && here) {
        const away = Math.hypot(here[0] - goal[0], here[1] - goal[1]);
        bad = away > tolerance(here);
        text = bad ? say("spotoff", { n: Math.round(away) }) : say("spotok");
      }
      if (text) parts.push(make("span", { class: bad ? "bad" : "soft" }, dot(ball), text));
    }
  }
  box.replaceChildren(...parts);
}

// the interface --------------------------------------------------------------------------------------------------
let wait = 500, drawn = null;
function connect() {
  const socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/api/events");
  let heard = Date.now();
  const guard = setInterval(() => { if (Date.now() - heard > 5000) socket.close(); }, 1000);
  socket.onopen = () => { link = true; wait = 500; drawHead(); session(); };
  socket.onmessage = (event) => {
    heard = Date.now();
    const message = JSON.parse(event.data);
    if (message.type === "board") { board = message; fetchStrokes(); drawHead(); drawBalls(); drawSpots(); drawCall(); }
    else if (message.type === "table") {
      const began = table && !table.moving && message.moving, turned = !table || table.moving !== message.moving;
      table = message;
      if (began) clock.start = Date.now();
      const looks = JSON.stringify([message.hidden, message.moving, BALLS.map((ball) => message.balls[ball]?.slice(0, 2).map(Math.round))]);
      if (looks !== drawn) { drawn = looks; drawBalls(); drawSpots(); }  // ten times a second nothing has changed: a tablet need not draw it
      if (turned) drawHead();
    } else { source = message; drawHead(); }
  };
  socket.onclose = () => {
    clearInterval(guard);
    link = false;
    drawHead();
    setTimeout(connect, wait);
    wait = Math.min(wait * 2, 5000);
  };
}

// shot clock: since the balls came to rest
const clock = { start: Date.now() };
setInterval(() => {
  const seconds = Math.max(0, Math.floor((Date.now() - clock.start) / 1000));
  at("timer").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  if (at("camerabox").open) at("camera").src = `/api/picture.jpg?${Date.now()}`;
}, 1000);
at("resettimer").onclick = () => { clock.start = Date.now(); };

// acts of the head -----------------------------------------------------------------------------------------------
for (const id of ["undo", "redo"]) at(id).onclick = () => act(id);
at("pause").onclick = () => act(`game/${board.status === "paused" ? "resume" : "pause"}`);
at("next").onclick = () => act("game/next");
at("end").onclick = () => { if (confirm(say("endsure"))) act("game/end"); };
at("newgame").onclick = () => {
  at("replace").classList.toggle("off", !(board && ["playing", "paused"].includes(board.status)));
  if (board?.players) { at("player1").value = board.players[0]; at("player2").value = board.players[1]; }
  names();
  at("game").showModal();
};
function names() { at("first").replaceChildren(...["player1", "player2"].map((id, n) => new Option(at(id).value || say(id), String(n)))); }
for (const id of ["player1", "player2"]) at(id).oninput = () => { const kept = at("first").value; names(); at("first").value = kept || "0"; };
at("cancelgame").onclick = () => at("game").close();
at("game").querySelector("form").onsubmit = async (event) => {
  event.preventDefault();
  const asked = { players: [at("player1").value, at("player2").value], target: at("target").value ? Number(at("target").value) : null,
    handicap: [Number(at("h1").value) || 0, Number(at("h2").value) || 0], first: Number(at("first").value) };
  if (await act("game", asked)) { at("game").close(); clock.start = Date.now(); }
};
at("login").querySelector("form").onsubmit = async (event) => {
  event.preventDefault();
  const answer = await fetch("/api/session", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ pin: at("pin").value }) });
  at("pin").value = "";
  if (answer.ok) session(); else tell((await answer.json()).detail);
};
at("login").addEventListener("cancel", (event) => event.preventDefault());
at("leave").onclick = async () => { await act("session", null, "DELETE"); session(); };
