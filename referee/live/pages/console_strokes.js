// Strokes with their rulings, the newest first; what waits for a person stands out.
let strokes = [];
async function fetchStrokes() {
  const version = board.version;
  const found = await fetch("/api/shots").then((answer) => answer.json()).catch(() => null);
  if (board.version !== version) return;  // a newer board asks itself
  if (found) { strokes = found; drawStrokes(); } else setTimeout(() => { if (board.version === version) fetchStrokes(); }, 2000);
}

function eventText(event) {
  const ball = DATA.balls[event.ball] ?? "";
  if (event.type === "contact") return `${DATA.balls[event.balls[0]]} — ${DATA.balls[event.balls[1]]}: ${say("contact")}`;
  if (event.type === "cushion") return `${ball}: ${DATA.cushions[event.cushion]}`;
  if (event.type === "jaw") return `${ball}: ${say("jaw")}, ${DATA.pockets[event.pocket]}`;
  if (event.type === "pocket") return `${ball} ${say("fall")}: ${DATA.pockets[event.pocket]}`;
  return `${ball}: ${say(event.type)}`;
}

const opened = new Set();
function drawStrokes() {
  at("strokes").replaceChildren(...[...strokes].reverse().map(card));
}
const MANY = 3; // doubts that are shown at once
function card(shot) {
  const ruling = shot.ruling, node = make("div", { class: shot.open ? "stroke open" : "stroke", "data-stroke": shot.index });
  const gain = !ruling ? say("norulings") : ruling.points ? `+${ruling.points}` : ruling.opponent_points ? `−${ruling.opponent_points}` : "0";
  node.append(make("div", { class: "head" }, make("b", { text: say("stroke", { n: shot.index }) }), make("span", { class: "soft", text: name(shot.player) }),
    make("span", { class: `gain ${ruling?.points ? "good" : ruling?.opponent_points ? "bad" : "soft"}`, text: gain })));
  if (shot.call_text) node.append(make("div", { class: "soft", text: `${say("call")}: ${shot.call_text[DATA.lang]}` }));
  node.append(make("div", { text: ruling ? ruling.explanation[DATA.lang] : say("norulings") }));
  if (shot.confirmed) node.append(make("div", { class: "soft", text: say("confirmed") }));
  if (shot.open) {
    const doubts = shot.review.map((doubt) => doubt[DATA.lang] ?? doubt.reason);
    node.append(make("div", { class: "bad", text: `${say("check")}: ${doubts.slice(0, MANY).join("; ")}` }));
    if (doubts.length > MANY) node.append(make("details", {}, make("summary", { class: "soft", text: say("moredoubts", { n: doubts.length - MANY }) }), make("div", { class: "bad", text: doubts.slice(MANY).join("; ") })));
    const ways = make("div", { class: "ways" }, make("button", { class: "main", text: say("stands"), onclick: () => act("confirm", { stroke: shot.index }) }));
    if (shot.alternatives.length) ways.append(make("span", { class: "soft", text: say("instead") }));
    shot.alternatives.forEach((way, n) => ways.append(make("button", { onclick: () => act("choose", { stroke: shot.index, way: n }) },
      make("div", { text: way.label[DATA.lang] }), make("div", { class: "soft", text: way.ruling ? way.ruling.explanation[DATA.lang] : say("norulings") }))));
    node.append(ways);
  }
  const more = make("details", { open: opened.has(shot.index) }, make("summary", { text: `${say("replay")}, ${say("correct").toLowerCase()}…` }));
  more.ontoggle = () => (more.open ? opened.add(shot.index) : opened.delete(shot.index));
  more.append(make("ul", { class: "events" }, ...shot.events.map((event) => make("li", { text: `${number(event.t, 2)}  ${eventText(event)}` }))));
  more.append(make("div", { class: "bar" }, make("a", { class: "link", href: `/replay/${shot.index}?lang=${DATA.lang}`, text: say("replay") }), make("button", { text: say("correct"), onclick: () => edit(shot) })));
  const late = make("input", { placeholder: say("late"), maxlength: 400, value: typeof shot.call === "string" ? shot.call : "" });
  more.append(make("div", { class: "bar" }, late, make("button", { text: say("say"), onclick: () => act("call", { call: late.value || null, stroke: shot.index }) })));
  const kind = make("select", { "aria-label": say("foul") }, ...["touch", "double_hit", "push", "press"].map((key) => new Option(say(key), key)));
  const ball = make("select", { "aria-label": say("ball") }, ...BALLS.map((key) => new Option(DATA.balls[key], key, key === shot.cue_ball, key === shot.cue_ball)));
  more.append(make("div", { class: "bar" }, make("span", { class: "soft", text: say("foul") }), kind, ball, make("button", { class: "warn", text: say("say"), onclick: () => act("foul", { stroke: shot.index, kind: kind.value, ball: ball.value }) })));
  node.append(more);
  return node;
}

// the editor -----------------------------------------------------------------------------------------------------
const TYPES = ["strike", "contact", "cushion", "jaw", "pocket", "stop", "jump", "off_table", "midline", "touch", "double_hit", "push", "press"];
let edited = [], editing = null;
function edit(shot) {
  editing = shot;
  edited = shot.events.map((event) => ({ ...event }));
  at("editortitle").textContent = say("editor", { n: shot.index });
  drawEdits();
  at("editor").showModal();
}
function picker(values, labels, current, pick) {
  const list = make("select", {}, ...values.map((value) => new Option(labels[value] ?? value, value, value === current, value === current)));
  list.onchange = () => pick(list.value);
  return list;
}
function retyped(event, type) {
  const kept = { t: event.t, type };
  if (type === "contact") return { ...kept, balls: event.balls ?? [event.ball ?? "white", event.ball === "yellow" ? "red" : "yellow"] };
  const made = { ...kept, ball: event.ball ?? event.balls?.[0] ?? "white" };
  if (type === "cushion") made.cushion = event.cushion ?? "left";
  if (type === "jaw" || type === "pocket") made.pocket = event.pocket ?? "foot-left";
  if (type === "jaw") made.cushion = made.pocket.endsWith("left") ? "left" : "right";
  if (type === "jump") made.over = made.ball === "red" ? "yellow" : "red";
  return made;
}
function drawEdits() {
  at("edits").replaceChildren(...edited.map((event, n) => {
    const change = (values) => { edited[n] = { ...event, ...values }; drawEdits(); };
    const fields = make("div", { class: "bar" }, make("span", { class: "soft", text: number(event.t, 2) }),
      picker(TYPES, Object.fromEntries(TYPES.map((type) => [type, say(type === "pocket" ? "fall" : type)])), event.type, (type) => { edited[n] = retyped(event, type); drawEdits(); }));
    if (event.balls) event.balls.forEach((ball, k) => fields.append(picker(BALLS, DATA.balls, ball, (value) => change({ balls: event.balls.map((b, i) => (i === k ? value : b)) }))));
    else fields.append(picker(BALLS, DATA.balls, event.ball, (ball) => change({ ball })));
    if (event.cushion && event.type === "cushion") fields.append(picker(Object.keys(DATA.cushions), DATA.cushions, event.cushion, (cushion) => change({ cushion })));
    if (event.pocket) fields.append(picker(Object.keys(DATA.pockets), DATA.pockets, event.pocket, (pocket) => change(event.type === "jaw" ? { pocket, cushion: pocket.endsWith("left") ? "left" : "right" } : { pocket })));
    if (event.over) fields.append(picker(BALLS, DATA.balls, event.over, (over) => change({ over })));
    const swap = (m) => { if (m < 0 || m >= edited.length) return; const [a, b] = [edited[n], edited[m]]; edited[n] = { ...b, t: a.t }; edited[m] = { ...a, t: b.t }; drawEdits(); };
    const tools = make("div", { class: "tools" }, make("button", { text: "↑", title: say("up"), "aria-label": say("up"), onclick: () => swap(n - 1) }),
      make("button", { text: "↓", title: say("down"), "aria-label": say("down"), onclick: () => swap(n + 1) }),
      make("button", { text: "✕", title: say("remove"), "aria-label": say("remove"), onclick: () => { edited.splice(n, 1); drawEdits(); } }));
    return make("div", { class: "edit" }, fields, tools);
  }));
}
at("addevent").onclick = () => { const last = edited[edited.length - 1]; edited.push({ t: last ? last.t : 0, type: "cushion", ball: "white", cushion: "left" }); drawEdits(); };
at("applyedit").onclick = async () => { if (await act("correct", { stroke: editing.index, events: edited })) at("editor").close(); };
at("canceledit").onclick = () => at("editor").close();

texts();
drawTable();
drawCall();
drawHead();
connect();
