// Three of the axes at once: a map in space, seen from afar without perspective, turned by mouse or keys; and how much each axis holds.
"use strict";
(() => {
  const { element, svg, byId } = Sbmds;
  const CHI2_95_3 = 7.814727903251179; // 95% quantile of chi-squared with three degrees of freedom
  const PER_PLANE = Math.sqrt(CHI2_95_3 / 5.991464547107979); // half-axes of a plane's 95% ellipse to those of the ellipsoid's outline
  const MOST_ELLIPSOIDS = 2000;
  const MOST_SORTED = 30000; // beyond that near points are not drawn after far ones
  const [STEP, CLICK, REACH] = [Math.PI / 24, 4, 14]; // radians for a key, pixels a click may wander, pixels around the pointer
  const START = turned(turned(identity(), 0, -0.5), 1, 0.6);

  function identity() { return [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; }

  // The rotation after a further turn about an axis of the screen: 0 to the right, 1 upwards, 2 towards the eye.
  function turned(rotation, about, angle) {
    const [a, b] = [(about + 1) % 3, (about + 2) % 3];
    const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
    const out = rotation.map((row) => [...row]);
    for (let column = 0; column < 3; column++) {
      out[a][column] = cos * rotation[a][column] - sin * rotation[b][column];
      out[b][column] = sin * rotation[a][column] + cos * rotation[b][column];
    }
    return out;
  }

  Sbmds.makeSpace = (model, { select }) => {
    const section = byId("space");
    section.hidden = model.dims < 3;
    if (model.dims < 3) return null;
    const [stage, canvas, tip] = ["space-stage", "space-layer", "space-tip"].map(byId);
    const view = { rotation: START, zoom: 1, axes: [0, 1, 2], ellipsoids: false, hovered: -1, selected: -1 };
    const at = new Float32Array(3 * model.n); // right, up, towards the eye
    let painted = null;
    let asked = false;
    let [centre, reach] = [[0, 0, 0], 1];

    // All objects lie within this distance of the centre, so that no turn hides one.
    function measure() {
      centre = view.axes.map((dim) => { let sum = 0; for (let object = 0; object < model.n; object++) sum += model.coordinate(object, dim); return sum / model.n; });
      reach = 1e-12;
      for (let object = 0; object < model.n; object++) reach = Math.max(reach, Math.hypot(...view.axes.map((dim, k) => model.coordinate(object, dim) - centre[k])));
    }

    const request = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; draw(); });
    };
    const size = () => [stage.clientWidth, stage.clientHeight];
    const scale = () => (view.zoom * 0.44 * Math.min(...size())) / reach;
    const toPixel = (x, y) => { const [width, height] = size(); return [width / 2 + x * scale(), height / 2 - y * scale()]; };

    function project() {
      for (let object = 0; object < model.n; object++) {
        const off = view.axes.map((dim, k) => model.coordinate(object, dim) - centre[k]);
        for (let side = 0; side < 3; side++) at[3 * object + side] = view.rotation[side].reduce((sum, entry, k) => sum + entry * off[k], 0);
      }
    }

    // The outline of an ellipsoid seen from afar is the ellipse of the covariance of what the eye sees.
    function outline(object) {
      const seen = (a, b) => view.axes.reduce((sum, first, i) => sum + view.axes.reduce((inner, second, j) => inner + view.rotation[a][i] * model.covariance(object, first, second) * view.rotation[b][j], 0), 0);
      return Sbmds.halfAxes(seen(0, 0), seen(0, 1), seen(1, 1)).map((half) => half * PER_PLANE);
    }

    function draw() {
      if (!painted) return;
      const [width, height] = size();
      if (!width) return;
      const ratio = Math.min(3, window.devicePixelRatio || 1);
      Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
      const ctx = canvas.getContext("2d");
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      project();
      drawAxes(ctx);
      const order = Uint32Array.from({ length: model.n }, (_, object) => object);
      if (model.n <= MOST_SORTED) order.sort((a, b) => at[3 * a + 2] - at[3 * b + 2]);
      const radius = Sbmds.pointRadius(model.n, view.zoom);
      for (const object of order) drawObject(ctx, object, radius);
      drawMarks(ctx, radius);
    }

    function drawAxes(ctx) {
      ctx.font = `11px ${Sbmds.themeColour("--sans")}`;
      ctx.strokeStyle = Sbmds.themeColour("--line");
      ctx.fillStyle = Sbmds.themeColour("--soft");
      view.axes.forEach((dim, k) => {
        const [x, y] = [view.rotation[0][k] * reach, view.rotation[1][k] * reach];
        ctx.beginPath();
        ctx.moveTo(...toPixel(-x, -y));
        ctx.lineTo(...toPixel(x, y));
        ctx.stroke();
        const [px, py] = toPixel(x, y);
        ctx.fillText(`axis ${dim + 1}`, px + 4, py - 4);
      });
    }

    function drawObject(ctx, object, radius) {
      const [red, green, blue, opacity] = painted.colours.subarray(4 * object, 4 * object + 4);
      const [x, y] = toPixel(at[3 * object], at[3 * object + 1]);
      const near = 0.5 + at[3 * object + 2] / reach / 2; // 0 far, 1 near
      ctx.fillStyle = ctx.strokeStyle = `rgb(${red},${green},${blue})`;
      if (view.ellipsoids && model.hasCovariance && model.n <= MOST_ELLIPSOIDS) {
        const [ax, ay, bx, by] = outline(object);
        const [major, minor] = [Math.hypot(ax, ay) * scale(), Math.hypot(bx, by) * scale()];
        if (major > 0.3) {
          ctx.beginPath();
          ctx.ellipse(x, y, major, minor, -Math.atan2(ay, ax), 0, 2 * Math.PI);
          ctx.globalAlpha = 0.1 * (opacity / 255);
          ctx.fill();
          ctx.globalAlpha = (0.2 + 0.4 * near) * (opacity / 255);
          ctx.stroke();
        }
      }
      ctx.globalAlpha = (0.35 + 0.65 * near) * (opacity / 255);
      ctx.beginPath();
      ctx.arc(x, y, radius * (0.75 + 0.5 * near), 0, 2 * Math.PI);
      ctx.fill();
      ctx.globalAlpha = 1;
    }

    function drawMarks(ctx, radius) {
      ctx.strokeStyle = ctx.fillStyle = Sbmds.themeColour("--ink");
      ctx.font = `12px ${Sbmds.themeColour("--sans")}`;
      for (const [object, width] of [[view.hovered, 1.5], [view.selected, 2.5]]) {
        if (object < 0) continue;
        const [x, y] = pixelOf(object);
        ctx.lineWidth = width;
        ctx.beginPath();
        ctx.arc(x, y, radius + 4, 0, 2 * Math.PI);
        ctx.stroke();
        ctx.fillText(Sbmds.shorten(model.names[object], 28), x + radius + 7, y + 4);
      }
      ctx.lineWidth = 1;
    }

    const pixelOf = (object) => toPixel(at[3 * object], at[3 * object + 1]);
    // Of objects about equally near to the pointer the one in front is meant.
    function nearest(px, py) {
      let [best, least] = [-1, REACH];
      for (let object = 0; object < model.n; object++) {
        const [x, y] = pixelOf(object);
        const distance = Math.hypot(x - px, y - py) - (2 * at[3 * object + 2]) / reach;
        if (distance < least) [best, least] = [object, distance];
      }
      return best;
    }

    function rotate(about, angle) { view.rotation = turned(view.rotation, about, angle); request(); }
    function zoom(factor) { view.zoom = Math.min(200, Math.max(0.5, view.zoom * factor)); request(); }
    function home() { Object.assign(view, { rotation: START, zoom: 1 }); request(); }
    function hover(object) {
      tip.hidden = object < 0;
      if (object >= 0) {
        const lines = view.axes.map((dim) => `axis ${dim + 1}: ${Sbmds.number(model.coordinate(object, dim))}`);
        tip.replaceChildren(element("b", {}, model.names[object]), ...lines.map((line) => element("div", {}, line)));
        const [[x, y], [width]] = [pixelOf(object), size()];
        tip.style.left = `${x + 16 + tip.offsetWidth > width ? Math.max(4, x - 16 - tip.offsetWidth) : x + 16}px`;
        tip.style.top = `${Math.max(4, y + 14)}px`;
      }
      if (object === view.hovered) return;
      view.hovered = object;
      request();
    }

    let held = null;
    const local = (event) => { const box = stage.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    stage.addEventListener("pointerdown", (event) => {
      if (event.button > 0 || event.target.closest("button")) return;
      stage.setPointerCapture(event.pointerId);
      held = { at: local(event), travelled: 0 };
    });
    stage.addEventListener("pointermove", (event) => {
      const here = local(event);
      if (!held) return hover(nearest(...here));
      const [dx, dy] = [here[0] - held.at[0], here[1] - held.at[1]];
      held = { at: here, travelled: held.travelled + Math.hypot(dx, dy) };
      if (held.travelled < CLICK) return;
      hover(-1);
      const perPixel = Math.PI / Math.min(...size());
      // A drag to the right turns about the upward axis, one downwards about the one to the right; with Shift about the line of sight.
      if (event.shiftKey) return rotate(2, -dx * perPixel);
      view.rotation = turned(view.rotation, 1, dx * perPixel);
      rotate(0, dy * perPixel);
    });
    const lift = (event) => {
      if (held && event.type === "pointerup" && held.travelled < CLICK) select(nearest(...local(event)));
      held = null;
    };
    stage.addEventListener("pointerup", lift);
    stage.addEventListener("pointercancel", lift);
    stage.addEventListener("pointerleave", () => hover(-1));
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== stage) return; // the page scrolls on, unless the map has the keys
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0018)));
    }, { passive: false });
    const KEYS = {
      ArrowLeft: () => rotate(1, -STEP), ArrowRight: () => rotate(1, STEP), ArrowUp: () => rotate(0, -STEP), ArrowDown: () => rotate(0, STEP),
      ",": () => rotate(2, STEP), ".": () => rotate(2, -STEP), "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: home, Home: home, Escape: () => select(-1),
    };
    stage.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
      event.preventDefault();
      KEYS[event.key]();
    });

    byId("ellipsoids").disabled = !model.hasCovariance || model.n > MOST_ELLIPSOIDS;
    byId("ellipsoids").addEventListener("change", (event) => { view.ellipsoids = event.target.checked; request(); });
    if (model.dims > 3) {
      const picker = (side) => {
        const list = element("select", { id: `space-axis-${side + 1}`, "aria-label": `Axis ${side + 1} of the map in space` },
          Array.from({ length: model.dims }, (_, dim) => element("option", { value: dim }, `axis ${dim + 1}`)));
        list.value = view.axes[side];
        list.addEventListener("change", () => pick(side, Number(list.value)));
        return list;
      };
      byId("space-axes").hidden = false;
      byId("space-axes").append(...[0, 1, 2].map(picker));
    }
    // An axis picked twice changes places with the other.
    function pick(side, dim) {
      const other = view.axes.indexOf(dim);
      if (other >= 0) view.axes[other] = view.axes[side];
      view.axes[side] = dim;
      [0, 1, 2].forEach((one) => (byId(`space-axis-${one + 1}`).value = view.axes[one]));
      measure();
      request();
    }
    byId("space-note").textContent =
      `${model.dims > 3 ? `Three of ${model.dims} principal axes` : "All three principal axes"}, seen from afar: near objects are larger and stronger. Drag to turn, with Shift about the line of sight; by keyboard: arrows, comma and full stop to turn, + and − to zoom, 0 to go back.`;
    stage.setAttribute("aria-label", `Map of ${Sbmds.plural(model.n, "object")} in three dimensions. The table of objects below says the same in numbers.`);
    new ResizeObserver(request).observe(stage);
    measure();
    return {
      view,
      paint: (paint) => { painted = paint; request(); },
      select: (object) => { view.selected = object; request(); },
      refresh: () => { measure(); request(); },
      pixelOf: (object) => { project(); return pixelOf(object); },
    };
  };

  // How much of the map's variance lies along each axis.
  Sbmds.drawScree = (model) => {
    const holder = byId("scree");
    const shares = model.share.filter(Number.isFinite);
    if (model.dims < 3 || shares.length < 3) return;
    const [width, height] = [420, 170];
    const { chart, x, y } = Sbmds.chartFrame({
      width, height, xRange: [0.5, shares.length + 0.5], yRange: [0, Math.max(...shares) * 1.08], xLabel: "axis", yLabel: "share of the variance", nX: shares.length,
      label: `Share of the variance on each of ${shares.length} axes: ${shares.map((share) => Sbmds.percent(share)).join(", ")}`,
    });
    shares.forEach((share, k) => {
      const bar = svg("path", { class: "scree", d: `M${x(k + 0.7)} ${y(0)}V${y(share)}H${x(k + 1.3)}V${y(0)}Z` });
      bar.append(svg("title", {}, `axis ${k + 1}: ${Sbmds.percent(share)}`));
      chart.append(bar, svg("text", { x: x(k + 1), y: y(share) - 4, "text-anchor": "middle" }, Sbmds.percent(share)));
    });
    holder.replaceChildren(element("h3", {}, "How much each axis holds"), element("figure", {}, chart));
    holder.hidden = false;
  };
})();
