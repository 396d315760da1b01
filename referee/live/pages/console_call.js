// The call by buttons: one element is being built (`draft`), earlier ones of the same call are in `said`.
let draft = fresh("pot"), said = [];
function fresh(kind) {
  return { kind, ball: null, pocket: null, cushions: 0, how: "straight", balls: [], first: null, second: null, contacts: 0 };
}

function choices(list, current, pick, several = false) {
  return make("div", { class: "bar" }, ...list.map(([value, text, ball]) =>
    make("button", { class: (several ? current.includes(value) : current === value) ? "on" : "", onclick: () => pick(value) }, ball ? dot(ball) : null, text)));
}
const row = (title, content) => make("div", { class: "row" }, make("span", { text: title }), content);
const ballList = (except = []) => BALLS.filter((ball) => !except.includes(ball)).map((ball) => [ball, DATA.balls[ball], ball]);
const set = (change) => { Object.assign(draft, change); drawCall(); drawBalls(); };
function pickPocket(pocket) { if (draft.kind === "pot") set({ pocket: draft.pocket === pocket ? null : pocket }); }

function drawCall() {
  const text = board?.call_text?.[DATA.lang];
  at("callnow").textContent = board ? (text ? say("callnow", { n: board.next, text }) : say("callnone", { n: board.next })) : "";
  at("callnow").className = text ? "" : "soft";
  at("kinds").replaceChildren(...["pot", "carom", "bank"].map((kind) => make("button", { class: draft.kind === kind ? "on" : "", text: say(kind), onclick: () => { draft = fresh(kind); drawCall(); drawBalls(); } })));
  const rows = [];
  if (draft.kind === "pot") {
    rows.push(row(say("ball"), choices(ballList(), draft.ball, (ball) => set({ ball }))));
    const named = draft.pocket && !["corner", "middle", "any"].includes(draft.pocket);
    rows.push(row(say("pocket"), choices([...(named ? [[draft.pocket, DATA.pockets[draft.pocket]]] : []), ["corner", say("corner")], ["middle", say("middle")], ["any", say("any")]], draft.pocket, (pocket) => set({ pocket }))));
    rows.push(row(say("cushions"), choices([[0, "0"], [1, "1"], [2, "2"], [3, "3+"]], draft.cushions, (cushions) => set({ cushions }))));
    rows.push(row(say("how"), choices(["straight", "by", "off", "cannon", "jumpball", "jumpjaw"].map((how) => [how, say(how)]), draft.how, (how) => set({ how, balls: [] }))));
    const most = { by: 1, off: 1, cannon: 2 }[draft.how];
    if (most) rows.push(row("", choices(ballList([draft.ball]), draft.balls, (ball) => set({ balls: draft.balls.includes(ball) ? draft.balls.filter((b) => b !== ball) : [...draft.balls, ball].slice(-most) }), true)));
  } else if (draft.kind === "carom") {
    rows.push(row(say("from"), choices(ballList(["black", board?.turn?.cue_ball]), draft.first, (first) => set({ first }))));
    rows.push(row(say("onto"), choices(ballList([board?.turn?.cue_ball, draft.first]), draft.second, (second) => set({ second }))));
  } else {
    rows.push(row(say("ball"), choices(ballList(["black", board?.turn?.cue_ball]), draft.ball, (ball) => set({ ball }))));
    rows.push(row(say("cushions"), choices([[1, "1"], [2, "2"], [3, "3"], [4, "4"]], draft.cushions, (cushions) => set({ cushions }))));
    rows.push(row(say("contacts"), choices([[0, "0"], [1, "1"], [2, "2"]], draft.contacts, (contacts) => set({ contacts }))));
  }
  at("builder").replaceChildren(...rows);
  at("draft").textContent = said.map(describe).join("; ");
  at("takecall").disabled = !element() && !said.length;
  at("morecall").disabled = !element();
}

// the element in the form of the contract, or null while it is not complete
function element() {
  const d = draft;
  if (d.kind === "carom") return d.first && d.second ? { kind: "carom", first: d.first, second: d.second } : null;
  if (d.kind === "bank") return d.ball && d.cushions ? { kind: "bank_black", ball: d.ball, cushions: d.cushions, contacts: d.contacts } : null;
  if (!d.ball || !d.pocket) return null;
  const made = { kind: "pot", ball: d.ball, pocket: d.pocket, cushions: d.cushions };
  const how = { by: "by", off: "off", cannon: "carom" }[d.how];
  if (how) made.combination = d.balls.length ? { how, balls: d.balls } : { how };
  if (d.how === "jumpball") made.jump = "ball";
  if (d.how === "jumpjaw") made.jump = "jaw";
  return made;
}
function describe(item) {
  const ball = (value) => DATA.balls[value] ?? value;
  if (item.kind === "carom") return `${say("carom")}: ${ball(item.first)} → ${ball(item.second)}`;
  if (item.kind === "bank_black") return `${say("bank")}: ${ball(item.ball)}, ${item.cushions}`;
  return `${ball(item.ball)} → ${DATA.pockets[item.pocket] ?? say(item.pocket)}`;
}
async function takeCall(call) {
  if (await act("call", { call })) { said = []; draft = fresh("pot"); at("saytext").value = ""; drawCall(); drawBalls(); }
}
at("takecall").onclick = () => { const last = element(); takeCall({ elements: [...said, ...(last ? [last] : [])] }); };
at("morecall").onclick = () => { said.push(element()); draft = fresh("pot"); drawCall(); drawBalls(); };
at("clearcall").onclick = () => { said = []; draft = fresh("pot"); drawCall(); drawBalls(); };
at("nocall").onclick = () => takeCall(null);
at("sayit").onclick = () => { if (at("saytext").value.trim()) takeCall(at("saytext").value); };
at("saytext").onkeydown = (event) => { if (event.key === "Enter") at("sayit").click(); };
