"use strict";
// Keeps the latest board and source, calls render(board, source, link) whenever one changes. Reconnects for ever.
function watchBoard(render) {
  let board = null, source = null, link = false, wait = 500;
  const draw = () => render(board, source, link);
  const open = () => {
    const socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/api/events");
    let heard = Date.now();
    const guard = setInterval(() => { if (Date.now() - heard > 5000) socket.close(); }, 1000);
    socket.onopen = () => { link = true; wait = 500; draw(); };
    socket.onmessage = (event) => {
      heard = Date.now();
      const message = JSON.parse(event.data);
      if (message.type === "board") { board = message; draw(); }
      else if (message.type === "source") {
        const news = !source || source.source !== message.source || source.slow !== message.slow || source.over !== message.over;
        source = message;
        if (news) draw();
      }
    };
    socket.onclose = () => {
      clearInterval(guard);
      if (link) { link = false; draw(); }
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 5000);
    };
  };
  open();
  draw();
}
const say = (key, values) => WORDS.texts[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const put = (id, text) => { const at = document.getElementById(id); if (at && at.textContent !== text) at.textContent = text; };
const show = (id, on) => { const at = document.getElementById(id); if (at) at.classList.toggle("off", !on); };
// What the last settled stroke brought: "жёлтый сыгран +3"
function reasons(last) {
  if (!last || !last.ruling) return [];
  const ruling = last.ruling;
  const items = ruling.items.map((item) => (WORDS.rules[item.rule] || item.rule) + " " + say("points", { n: item.points }));
  const fouls = ruling.fouls.map((foul) => WORDS.rules[foul.rule] || foul.rule);
  return [...new Set([...items, ...fouls])];
}
function sourceText(source, link) {
  if (!link) return say("nolink");
  // a machine that is slow is the marker's concern, not the hall's
  return source && source.source !== "healthy" && !source.slow ? say(source.over ? "filmover" : source.source) : "";
}
