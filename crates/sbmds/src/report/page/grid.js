// Small multiples for maps of more than two dimensions: one small map for each pair of axes, which picks them when pressed.
"use strict";
(() => {
  const MOST_AXES = 6; // axes shown against each other; 15 small maps
  const SIZE = 170;
  const MOST_POINTS = 20000; // a small map has no room for more

  Sbmds.makeAxesGrid = (model, { onPick }) => {
    const section = Sbmds.byId("all-axes");
    section.hidden = model.dims < 3;
    if (model.dims < 3) return { paint: () => {}, mark: () => {} };
    const nAxes = Math.min(model.dims, MOST_AXES);
    const holder = Sbmds.byId("axes-grid");
    holder.style.gridTemplateColumns = `repeat(${nAxes - 1}, minmax(0, 1fr))`;
    holder.style.maxWidth = `${(nAxes - 1) * 190}px`;
    Sbmds.byId("all-axes-note").textContent =
      `Every pair of the ${nAxes < model.dims ? `first ${nAxes} of ${model.dims}` : nAxes} principal axes, all on the same scale. Press one to see it on the map above.`;
    const panels = [];
    for (let second = 1; second < nAxes; second++) {
      for (let first = 0; first < second; first++) {
        const canvas = Sbmds.element("canvas", { "aria-hidden": "true" });
        const button = Sbmds.element("button", { type: "button", "aria-pressed": "false", "aria-label": `Show axes ${first + 1} and ${second + 1}`, onclick: () => onPick([first, second]) },
          canvas, Sbmds.element("span", {}, `${first + 1} × ${second + 1}`));
        button.style.gridArea = `${second} / ${first + 1}`;
        holder.append(button);
        panels.push({ axes: [first, second], canvas, button });
      }
    }
    const chosen = subset(model.n);
    const radius = Math.max(0.8, Sbmds.pointRadius(model.n, 1) * 0.45);
    const home = Sbmds.makeScene(model, [0, 1]).bounds();
    const half = Math.max(home.high[0] - home.low[0], home.high[1] - home.low[1]) / 2;
    let turn = 0;

    function drawPanel({ axes, canvas }, painted) {
      const ratio = 2;
      Object.assign(canvas, { width: SIZE * ratio, height: SIZE * ratio });
      const ctx = canvas.getContext("2d");
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      const camera = Sbmds.makeCamera();
      Object.assign(camera, { width: SIZE, height: SIZE, x: middle(axes[0]), y: middle(axes[1]), scale: SIZE / 2 / half / 1.12 });
      const xy = new Float32Array(2 * chosen.length);
      const colours = new Uint8Array(4 * chosen.length);
      const shapes = new Uint8Array(chosen.length);
      chosen.forEach((object, i) => {
        xy.set([model.coordinate(object, axes[0]), model.coordinate(object, axes[1])], 2 * i);
        colours.set(painted.colours.subarray(4 * object, 4 * object + 4), 4 * i);
        shapes[i] = painted.shapes[object];
      });
      Sbmds.drawPlain(ctx, { n: chosen.length, means: xy, from: xy, to: xy, mix: 0, colours, shapes, radius }, camera);
    }
    const middles = Array.from({ length: nAxes }, (_, dim) => {
      let [low, high] = [Infinity, -Infinity];
      for (const object of chosen) {
        low = Math.min(low, model.coordinate(object, dim));
        high = Math.max(high, model.coordinate(object, dim));
      }
      return (low + high) / 2;
    });
    const middle = (dim) => middles[dim];

    // One panel at a time, so that the page stays responsive.
    function paint(painted) {
      const mine = ++turn;
      const next = (i) => {
        if (mine !== turn || i >= panels.length) return;
        drawPanel(panels[i], painted);
        setTimeout(() => next(i + 1));
      };
      next(0);
    }
    return {
      paint,
      paintNow: (painted) => { turn++; panels.forEach((panel) => drawPanel(panel, painted)); },
      mark: (axes) => panels.forEach((panel) => panel.button.setAttribute("aria-pressed", String(panel.axes[0] === axes[0] && panel.axes[1] === axes[1]))),
    };
  };

  function subset(n) {
    const step = Math.max(1, n / MOST_POINTS);
    return Uint32Array.from({ length: Math.floor(n / step) }, (_, i) => Math.floor(i * step));
  }
})();
