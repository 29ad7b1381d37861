// The map panel: layers in step with one camera, names where there is room, the selected object with its neighbours, and playing the draws.
"use strict";
(() => {
  const NAMES_AMONG = 1500; // names are placed when at most this many objects are in view
  const STEP_MILLISECONDS = 700; // from one draw to the next
  const HALO = 3;

  Sbmds.makeMap = (model, { onHover, onDraw, onAxes }) => {
    const stage = Sbmds.byId("stage");
    const [under, glCanvas, over] = ["layer-under", "layer-points", "layer-over"].map(Sbmds.byId);
    const camera = Sbmds.makeCamera();
    const gl = Sbmds.webglRenderer(glCanvas);
    const view = { axes: model.dims > 1 ? [0, 1] : [0, 0], ellipses: false, cloud: false, names: true, outlines: false, selected: -1, hovered: -1, draw: -1, playing: false, paper: false };
    let scene = null;
    let painted = null;
    let asked = false;
    let frames = 0;

    const request = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; drawNow(); });
    };

    function context(canvas, ratio) {
      const [width, height] = [Math.round(camera.width * ratio), Math.round(camera.height * ratio)];
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      const ctx = canvas.getContext("2d");
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, camera.width, camera.height);
      return ctx;
    }

    function drawNow() {
      if (!scene || !painted) return;
      const ratio = view.paper ? 3 : Math.min(3, window.devicePixelRatio || 1);
      const rim = Sbmds.themeColour("--raised");
      Object.assign(scene, {
        colours: painted.colours, shapes: painted.shapes, radius: Sbmds.pointRadius(model.n, camera.zoom()),
        ellipses: view.ellipses && model.hasCovariance && !scene.heights ? scene.ellipseAxes() : null,
        cloud: view.cloud && model.draws ? (scene.laid ??= scene.cloudPositions()) : null,
      });
      const usesGl = gl && !gl.lost() && !view.paper;
      const underCtx = context(under, ratio);
      drawGrid(underCtx);
      if (view.ellipses && model.hasCovariance && scene.heights) drawIntervals(underCtx);
      glCanvas.hidden = !usesGl;
      if (usesGl) gl.draw(scene, camera, ratio, [1, 3, 5].map((at) => parseInt(rim.slice(at, at + 2), 16)));
      else Sbmds.drawPlain(underCtx, scene, camera);
      over.hidden = view.paper; // browsers print stacked canvases as if they were opaque: on paper all is drawn on one
      drawOver(view.paper ? underCtx : context(over, ratio));
      frames++;
    }

    const now = (object) => [0, 1].map((side) => {
      const at = 2 * object + side;
      return scene.from[at] + scene.mix * (scene.to[at] - scene.from[at]);
    });
    const pixelOf = (object) => camera.toPixel(...now(object));

    function drawGrid(ctx) {
      const [left, top] = camera.toMap(0, 0);
      const [right, bottom] = camera.toMap(camera.width, camera.height);
      const [line, text] = [Sbmds.themeColour("--grid"), Sbmds.themeColour("--soft")];
      const wanted = Math.max(3, camera.width / 110);
      const [across, up] = [Sbmds.ticks(left, right, wanted), scene.heights ? [] : Sbmds.ticks(bottom, top, wanted * camera.height / camera.width)];
      ctx.strokeStyle = line;
      ctx.lineWidth = 1;
      ctx.beginPath();
      for (const x of across) { const px = Math.round(camera.toPixel(x, 0)[0]) + 0.5; ctx.moveTo(px, 0); ctx.lineTo(px, camera.height); }
      for (const y of up) { const py = Math.round(camera.toPixel(0, y)[1]) + 0.5; ctx.moveTo(0, py); ctx.lineTo(camera.width, py); }
      ctx.stroke();
      ctx.fillStyle = text;
      ctx.font = `11px ${Sbmds.themeColour("--sans")}`;
      ctx.textAlign = "center";
      for (const x of across) {
        const px = camera.toPixel(x, 0)[0];
        if (px > 24 && px < camera.width - 24) ctx.fillText(Sbmds.tickText(x, across), px, camera.height - 22);
      }
      ctx.textAlign = "left";
      for (const y of up) {
        const py = camera.toPixel(0, y)[1];
        if (py > 38 && py < camera.height - 44) ctx.fillText(Sbmds.tickText(y, up), 6, py - 4);
      }
      ctx.textAlign = "right";
      ctx.fillText(Sbmds.axisName(model, view.axes[0]), camera.width - 12, camera.height - 7);
      if (!scene.heights) {
        ctx.textAlign = "left";
        ctx.fillText(Sbmds.axisName(model, view.axes[1]), 8, 16);
      }
    }

    function drawIntervals(ctx) {
      ctx.lineWidth = 1.5;
      for (let object = 0; object < model.n; object++) {
        const [mean, half] = [scene.means[2 * object], scene.halfInterval(object)];
        const [left, y] = camera.toPixel(mean - half, scene.heights[object]);
        const [red, green, blue, opacity] = painted.colours.subarray(4 * object, 4 * object + 4);
        ctx.strokeStyle = `rgba(${red},${green},${blue},${(0.55 * opacity) / 255})`;
        ctx.beginPath();
        ctx.moveTo(left, y);
        ctx.lineTo(left + 2 * half * camera.scale, y);
        ctx.stroke();
      }
    }

    function drawOver(ctx) {
      const [ink, paper] = ["--ink", "--raised"].map(Sbmds.themeColour);
      if (view.draw < 0 && !view.playing) {
        const { heights } = scene;
        Sbmds.drawOtherModes(ctx, model, camera, { axes: view.axes, heights, colours: painted.colours, pixelOf, ellipses: view.ellipses, ink });
      }
      if (view.outlines && model.clusters) Sbmds.drawOutlines(ctx, model.clusters, camera, view.axes, scene.heights);
      const neighbours = view.selected >= 0 && model.neighbours ? model.neighbours.of(view.selected) : [];
      if (view.selected >= 0) {
        drawOwnDraws(ctx, ink);
        const [x, y] = pixelOf(view.selected);
        ctx.strokeStyle = ink;
        for (const { object, among } of neighbours) {
          ctx.globalAlpha = 0.1 + 0.6 * among;
          ctx.lineWidth = 0.5 + 1.5 * among;
          ctx.beginPath();
          ctx.moveTo(x, y);
          ctx.lineTo(...pixelOf(object));
          ctx.stroke();
        }
        ctx.globalAlpha = 1;
      }
      for (const [object, width] of [[view.hovered, 1.5], [view.selected, 2.5]]) {
        if (object < 0) continue;
        ctx.strokeStyle = ink;
        ctx.lineWidth = width;
        ctx.beginPath();
        ctx.arc(...pixelOf(object), scene.radius + 4, 0, 2 * Math.PI);
        ctx.stroke();
      }
      drawNames(ctx, [view.selected, view.hovered, ...neighbours.map(({ object }) => object)].filter((object) => object >= 0), { ink, paper });
    }

    function drawOwnDraws(ctx, ink) {
      if (!model.draws) return;
      ctx.fillStyle = ink;
      ctx.globalAlpha = 0.3;
      for (const draw of Sbmds.cloudDraws(model)) {
        const [x, y] = camera.toPixel(model.draws.at(draw, view.selected, view.axes[0]), scene.heights ? scene.heights[view.selected] : model.draws.at(draw, view.selected, view.axes[1]));
        ctx.fillRect(x - 1.2, y - 1.2, 2.4, 2.4);
      }
      ctx.globalAlpha = 1;
    }

    // Greedy: those that matter first, then the rest in input order, each to the right, left, above or below its point where nothing is yet.
    function drawNames(ctx, first, { ink, paper }) {
      const room = Sbmds.makeRoom(camera.width, camera.height);
      const seen = view.names ? inView() : [];
      for (const object of seen) room.point(...pixelOf(object), scene.radius);
      ctx.font = `12px ${Sbmds.themeColour("--sans")}`;
      ctx.lineJoin = "round";
      const isFirst = new Set(first);
      for (const object of [...first, ...seen.filter((other) => !isFirst.has(other) && painted.colours[4 * other + 3] > Sbmds.FADED)]) {
        const text = Sbmds.shorten(model.names[object], 28) + Sbmds.shareOf(model, object);
        const spot = room.text(...pixelOf(object), ctx.measureText(text).width, scene.radius, object === view.selected || object === view.hovered);
        if (!spot) continue;
        ctx.strokeStyle = paper;
        ctx.lineWidth = HALO;
        ctx.strokeText(text, ...spot);
        ctx.fillStyle = ink;
        ctx.globalAlpha = isFirst.has(object) || view.selected < 0 ? 1 : 0.55;
        ctx.fillText(text, ...spot);
        ctx.globalAlpha = 1;
      }
    }

    function inView() {
      const out = [];
      for (let object = 0; object < model.n; object++) {
        if (camera.sees(...now(object)) && out.push(object) > NAMES_AMONG) return [];
      }
      return out;
    }

    function nearest(px, py, within) {
      const [x, y] = camera.toMap(px, py);
      let [best, least] = [-1, (within / camera.scale) ** 2];
      for (let object = 0; object < model.n; object++) {
        const [a, b] = [2 * object, 2 * object + 1];
        const dx = scene.from[a] + scene.mix * (scene.to[a] - scene.from[a]) - x;
        const dy = scene.from[b] + scene.mix * (scene.to[b] - scene.from[b]) - y;
        const distance = dx * dx + dy * dy;
        if (distance < least) [best, least] = [object, distance];
      }
      return best;
    }

    function setAxes(axes) {
      view.axes = axes;
      scene = Sbmds.makeScene(model, axes);
      showDraw(view.draw);
      frame();
      onAxes(axes);
      request();
    }

    // The whole map is what is shown of it: with its ellipses, if they are.
    const whole = () => scene.bounds(view.ellipses && model.hasCovariance);
    function frame() {
      const { low, high } = whole();
      camera.setHome(low, high);
    }

    function setLayer(key, shown) {
      view[key] = shown;
      if (key === "ellipses") camera.isHome() ? frame() : (camera.home = whole()); // who has zoomed in stays there
      request();
    }

    function showDraw(draw) {
      view.draw = draw;
      scene.from = scene.to = scene.positionsOf(draw);
      scene.mix = 0;
      onDraw(draw);
      request();
    }

    function play() {
      if (!model.draws || view.playing) return;
      view.playing = true;
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      let last = performance.now();
      const tick = (time) => {
        if (!view.playing) return;
        const passed = Math.max(0, time - last);
        if (passed >= STEP_MILLISECONDS) {
          showDraw((view.draw + 1) % model.draws.count);
          last = time;
        } else if (!still) {
          scene.to = scene.positionsOf((view.draw + 1) % model.draws.count);
          const part = passed / STEP_MILLISECONDS;
          scene.mix = part * part * (3 - 2 * part);
        }
        drawNow();
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    }

    function resize() {
      const box = stage.getBoundingClientRect();
      if (!box.width) return;
      camera.resize(box.width - 2, box.height - 2);
      stage.style.setProperty("--aspect", `${box.width} / ${box.height}`);
      request();
    }

    if (model.dims === 1) stage.classList.add("strip");
    glCanvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); request(); });
    new ResizeObserver(resize).observe(stage);
    resize();

    return {
      stage, camera, view, request, nearest, setAxes, setLayer, showDraw, play, pixelOf,
      pause: () => { view.playing = false; showDraw(view.draw); },
      setPaint: (paint) => { painted = paint; request(); },
      hover: (object) => { if (object !== view.hovered) { view.hovered = object; onHover(object); request(); } },
      setPaper: (paper) => { view.paper = paper; drawNow(); },
      // The pixels between which all ellipses lie.
      reach: () => {
        const { low, high } = scene.bounds(true);
        const [[left, bottom], [right, top]] = [camera.toPixel(...low), camera.toPixel(...high)];
        return { left, right, top, bottom };
      },
      renderer: () => (gl && !gl.lost() ? "webgl" : "canvas"),
      frames: () => frames,
      bringIntoView: (object) => { const at = now(object); if (!camera.sees(...at)) camera.centreOn(...at); },
    };
  };

  Sbmds.axisName = (model, dim) => {
    const share = model.share[dim];
    return `axis ${dim + 1}${Number.isFinite(share) && model.dims > 1 ? ` (${Sbmds.percent(share)} of variance)` : ""}`;
  };

  Sbmds.shorten = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

  // Free room for texts, on a grid of small cells.
  Sbmds.makeRoom = (width, height) => {
    const [cellWidth, cellHeight] = [6, 7];
    const columns = Math.ceil(width / cellWidth) + 1;
    const rows = Math.ceil(height / cellHeight) + 1;
    const taken = new Uint8Array(columns * rows);
    const cells = function* (left, top, right, bottom) {
      for (let row = Math.max(0, Math.floor(top / cellHeight)); row <= Math.min(rows - 1, Math.floor(bottom / cellHeight)); row++) {
        for (let column = Math.max(0, Math.floor(left / cellWidth)); column <= Math.min(columns - 1, Math.floor(right / cellWidth)); column++) yield row * columns + column;
      }
    };
    const isFree = (box) => { for (const cell of cells(...box)) if (taken[cell]) return false; return true; };
    const take = (box) => { for (const cell of cells(...box)) taken[cell] = 1; };
    return {
      point: (x, y, radius) => take([x - radius / 2, y - radius / 2, x + radius / 2, y + radius / 2]),
      // Where the text's baseline starts, or null without room; `forced` texts are drawn in any case.
      text: (x, y, length, radius, forced) => {
        const gap = radius + 4;
        const spots = [[x + gap, y + 4], [x - gap - length, y + 4], [x - length / 2, y - gap - 1], [x - length / 2, y + gap + 10]];
        const box = ([left, base]) => [left, base - 9, left + length, base + 2];
        const inside = ([left]) => left > 2 && left + length < width - 2;
        const spot = spots.find((candidate) => inside(candidate) && isFree(box(candidate))) || (forced ? spots.find(inside) || spots[0] : null);
        if (spot) take(box(spot));
        return spot;
      },
    };
  };
})();
