// The picture of the calibration page: lines over it, handles to drag, a magnifier.
// What is drawn comes from the server in `view` (px of the picture; the centre of the first pixel is 0, 0).
const LOUPE = 176; // size of the magnifier, px of the screen
const LAYERS = ["grid", "home", "nose", "pocket", "jaw", "ball", "spot"];
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export default {
  props: { view: Object },
  template: `
    <div class="board" :class="'mode-' + view.mode" :style="{ '--ratio': view.width / view.height }">
      <div class="sheet" ref="sheet" :style="{ aspectRatio: view.width + '/' + view.height }">
        <svg class="picture" :viewBox="box" preserveAspectRatio="none" @click="tap" role="img" :aria-label="view.texts.picture">
          <g :id="uid">
            <image v-if="view.picture" :href="view.picture" x="-0.5" y="-0.5" :width="view.width" :height="view.height"
              preserveAspectRatio="none" />
            <g class="lines" :class="{ stale: held }">
              <template v-for="layer in layers" :key="layer">
                <path v-if="view.shapes[layer]" class="halo" :class="'l-' + layer" :d="view.shapes[layer]" />
                <path v-if="view.shapes[layer]" class="line" :class="'l-' + layer" :d="view.shapes[layer]" />
              </template>
              <path v-for="s in view.samples" :key="s.name" class="sample" :d="s.ring" :stroke="s.colour" />
            </g>
          </g>
          <g v-if="view.mode === 'house'">
            <path v-for="e in view.ends" :key="e.end" class="end" :class="{ house: e.end === 'home' }" :d="e.area" tabindex="0" role="button"
              :aria-label="e.name" :data-end="e.end" @click.stop="$emit('house', e.end)" @keydown.enter.prevent="$emit('house', e.end)"
              @keydown.space.prevent="$emit('house', e.end)" />
          </g>
          <path v-if="held && outline" class="outline" :d="outline" />
          <text v-for="l in view.labels" :key="l.text" class="label" :class="{ house: l.house }" :x="l.x" :y="l.y" :font-size="fontSize">{{ l.text }}</text>
        </svg>
        <template v-if="view.mode === 'corners'">
          <button v-for="h in handles" :key="h.id" type="button" class="handle" :class="[h.kind, { held: held === h.id, selected: chosen === h.id }]"
            :style="place(h)" :aria-label="h.name + ', ' + h.x.toFixed(1) + ', ' + h.y.toFixed(1)" :data-handle="h.id"
            @pointerdown="grab($event, h)" @pointermove="drag($event, h)" @pointerup="drop($event, h)" @pointercancel="drop($event, h)"
            @focus="chosen = h.id" @blur="leave(h)" @keydown="nudge($event, h)"><i></i></button>
        </template>
        <div v-if="loupe" class="loupe" :style="loupe.style" aria-hidden="true">
          <svg :viewBox="loupe.box" :width="size" :height="size">
            <rect :x="loupe.x - 1000" :y="loupe.y - 1000" width="2000" height="2000" fill="#000" />
            <use :href="'#' + uid" />
            <path v-if="held && outline" class="outline" :d="outline" />
            <path class="cross" :d="loupe.cross" />
          </svg>
          <span>{{ loupe.text }}</span>
        </div>
        <div v-if="view.busy" class="busy" role="status"><i></i>{{ view.busy }}</div>
      </div>
      <div class="layers" v-if="view.mode !== 'wait'">
        <button v-for="t in view.texts.layers" :key="t.key" type="button" :class="'k-' + t.key" :aria-pressed="!off[t.key]"
          @click="off[t.key] = !off[t.key]"><i></i>{{ t.name }}</button>
      </div>
    </div>`,
  data() {
    return { local: {}, held: null, chosen: null, off: {}, sent: 0, queued: null, loupePlace: null, size: LOUPE, uid: "lines" + Math.random().toString(36).slice(2, 8), width: 0 };
  },
  computed: {
    box() {
      return `-0.5 -0.5 ${this.view.width} ${this.view.height}`;
    },
    fontSize() {
      return ((this.width > 700 ? 15 : 13) * this.view.width) / Math.max(this.width, 1);
    },
    layers() {
      const group = { nose: "nose", pocket: "pocket", jaw: "pocket", ball: "marks", spot: "marks", home: "marks", grid: "grid" };
      return LAYERS.filter((layer) => !this.off[group[layer]]);
    },
    handles() {
      return this.view.handles.map((h) => (this.local[h.id] ? { ...h, ...this.local[h.id] } : h));
    },
    outline() {
      const corners = this.handles.filter((h) => h.kind === "corner");
      return "M" + corners.map((h) => `${h.x} ${h.y}`).join("L") + "Z";
    },
    loupe() {
      const h = this.handles.find((each) => each.id === (this.held || this.chosen));
      if (!h || this.view.mode !== "corners" || !this.width) return null;
      const reach = Math.max(10, this.view.width / 80); // half of what it shows, px of the picture
      const gap = reach * 0.16;
      const cross = `M${h.x - reach} ${h.y}H${h.x - gap}M${h.x + gap} ${h.y}H${h.x + reach}M${h.x} ${h.y - reach}V${h.y - gap}M${h.x} ${h.y + gap}V${h.y + reach}`;
      const moved = `${h.x.toFixed(1)}, ${h.y.toFixed(1)}` + (h.off && !this.held ? `  ·  ${h.off}` : "");
      return { x: h.x, y: h.y, box: `${h.x - reach} ${h.y - reach} ${2 * reach} ${2 * reach}`, cross, style: this.beside(h), text: moved };
    },
  },
  watch: {
    // the server has taken the last place: what it shows is the truth again
    "view.seq"(seq) {
      if (seq < this.sent) return;
      if (this.queued) {
        const next = this.queued;
        this.queued = null;
        this.send(next);
      } else if (!this.held) this.local = {};
    },
  },
  mounted() {
    this.watcher = new ResizeObserver(() => (this.width = this.$refs.sheet.clientWidth));
    this.watcher.observe(this.$refs.sheet);
    window.addEventListener("keydown", this.hotkey);
  },
  unmounted() {
    this.watcher.disconnect();
    window.removeEventListener("keydown", this.hotkey);
  },
  methods: {
    place(h) {
      return { left: ((h.x + 0.5) / this.view.width) * 100 + "%", top: ((h.y + 0.5) / this.view.height) * 100 + "%" };
    },
    at(event) {
      const sheet = this.$refs.sheet.getBoundingClientRect();
      const scale = this.view.width / sheet.width;
      return { x: (event.clientX - sheet.left) * scale - 0.5, y: (event.clientY - sheet.top) * scale - 0.5 };
    },
    // over the handle, where no finger is; beside it where there is no room
    beside(h) {
      const scale = this.width / this.view.width;
      const x = h.x * scale, y = h.y * scale, half = LOUPE / 2;
      const sheet = this.$refs.sheet.getBoundingClientRect();
      const room = sheet.top + y > LOUPE + 64;
      let left = x, top = y - half - 52;
      if (!room) {
        left = x < this.width / 2 ? x + half + 60 : x - half - 60;
        top = Math.max(y, half - sheet.top + 8);
      }
      left = Math.min(Math.max(left, half + 4), this.width - half - 4);
      return { left: left + "px", top: top + "px", width: LOUPE + "px", height: LOUPE + "px" };
    },
    grab(event, h) {
      if (event.button) return;
      const at = this.at(event);
      this.held = this.chosen = h.id;
      this.from = { x: h.x - at.x, y: h.y - at.y }; // the handle does not jump under the finger
      this.moved = false;
      event.target.setPointerCapture(event.pointerId);
    },
    drag(event, h) {
      if (this.held !== h.id) return;
      const at = this.at(event);
      this.moved = true;
      this.move(h, at.x + this.from.x, at.y + this.from.y, false);
    },
    drop(event, h) {
      if (this.held !== h.id) return;
      this.held = null;
      if (this.moved) this.move(h, this.local[h.id].x, this.local[h.id].y, true);
    },
    leave(h) {
      if (this.chosen === h.id && this.held !== h.id) this.chosen = null;
    },
    nudge(event, h) {
      if (event.key === "Escape") return event.target.blur();
      const step = STEPS[event.key];
      if (!step || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const far = event.shiftKey ? 10 : event.altKey ? 0.1 : 1;
      this.move(h, h.x + far * step[0], h.y + far * step[1], true);
    },
    move(h, x, y, done) {
      const slack = 0.2;
      x = Math.min(Math.max(x, -slack * this.view.width), (1 + slack) * this.view.width);
      y = Math.min(Math.max(y, -slack * this.view.height), (1 + slack) * this.view.height);
      this.local = { ...this.local, [h.id]: { x, y } };
      const message = { id: h.id, x, y, done };
      // a final place goes at once, before anything else that is clicked; while dragging one message is under way at a time
      if (done || this.view.seq >= this.sent) {
        this.queued = null;
        this.send(message);
      } else this.queued = message;
    },
    send(message) {
      this.sent += 1;
      this.$emit("move", { ...message, seq: this.sent, epoch: this.view.epoch });
    },
    tap(event) {
      if (this.view.mode === "balls") this.$emit("tap", this.at(event));
    },
    hotkey(event) {
      if (!(event.ctrlKey || event.metaKey) || ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName)) return;
      const redo = event.code === "KeyY" || (event.code === "KeyZ" && event.shiftKey);
      if (event.code !== "KeyZ" && event.code !== "KeyY") return;
      event.preventDefault();
      this.$emit(redo ? "redo" : "undo");
    },
  },
};
