// Plays a stroke on its plan in real time. The plan is complete without this.
document.querySelectorAll("svg.plan[data-paths]").forEach((svg) => {
  const paths = JSON.parse(svg.dataset.paths), fills = JSON.parse(svg.dataset.fills), radius = +svg.dataset.radius;
  const ends = Object.values(paths).map((path) => path[path.length - 1][0]);
  if (!ends.length) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "play", textContent: "▶" });
  button.setAttribute("aria-label", "play");
  svg.parentNode.insertBefore(button, svg.nextSibling);
  let running = 0;
  const at = (path, t) => {
    let i = path.findIndex((p) => p[0] >= t);
    if (i < 0) i = path.length - 1;
    if (i === 0) return path[0];
    const a = path[i - 1], b = path[i], w = Math.min(1, (t - a[0]) / (b[0] - a[0] || 1));
    return [t, a[1] + w * (b[1] - a[1]), a[2] + w * (b[2] - a[2])];
  };
  const stop = () => { cancelAnimationFrame(running); running = 0; svg.querySelectorAll(".moving").forEach((c) => c.remove()); svg.classList.remove("playing"); button.textContent = "▶"; };
  button.onclick = () => {
    if (running) return stop();
    button.textContent = "■";
    svg.classList.add("playing");
    const discs = Object.keys(paths).map((ball) => {
      const disc = document.createElementNS(svg.namespaceURI, "circle");
      disc.setAttribute("class", "moving"); disc.setAttribute("r", radius); disc.setAttribute("fill", fills[ball] || "#888");
      svg.appendChild(disc);
      return [disc, paths[ball]];
    });
    const begun = performance.now(), last = Math.max(...ends);
    const step = (now) => {
      const t = now - begun;
      discs.forEach(([disc, path]) => { const p = at(path, t); disc.setAttribute("cx", p[1]); disc.setAttribute("cy", p[2]); });
      running = t > last + 700 ? (stop(), 0) : requestAnimationFrame(step);
    };
    running = requestAnimationFrame(step);
  };
});
