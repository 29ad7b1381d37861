// What is on the map: positions, ellipses and draws of all objects on the chosen axes, with a strip for one-dimensional maps.
"use strict";
(() => {
  const CHI2_95 = [3.841458820694124, 5.991464547107979]; // 95% quantiles of chi-squared, 1 and 2 degrees of freedom
  const MAX_CLOUD = 200; // draws laid under the points
  const STRIP_HEIGHT = 0.2; // of the length of a one-dimensional map

  // A scene for two axes (or one, [0, 0], when D = 1). Colours, shapes and radius are the caller's to set.
  Sbmds.makeScene = (model, axes) => {
    const heights = model.dims === 1 ? stripHeights(model) : null;
    const means = positions(model.n, (object, side) => model.coordinate(object, axes[side]), heights);
    const scene = { n: model.n, axes, means, from: means, to: means, mix: 0, colours: null, shapes: null, radius: 3, ellipses: null, cloud: null };
    const drawn = new Map();
    let ellipses = null;
    return Object.assign(scene, {
      heights,
      positionsOf: (draw) => {
        if (draw < 0) return means;
        if (!drawn.has(draw)) {
          if (drawn.size > MAX_CLOUD) drawn.clear();
          drawn.set(draw, positions(model.n, (object, side) => model.draws.at(draw, object, axes[side]), heights));
        }
        return drawn.get(draw);
      },
      ellipseAxes: () => (ellipses ??= ellipsesOf(model, axes)),
      halfInterval: (object) => Math.sqrt(CHI2_95[0]) * model.sd(object, axes[0]),
      cloudPositions: () => cloudDraws(model).map((draw) => scene.positionsOf(draw)),
      bounds: (withEllipses) => bounds([...(withEllipses ? reaches(scene) : means), ...Sbmds.otherModes(model).flatMap(({ object, mean }) => [mean[axes[0]], heights ? heights[object] : mean[axes[1]]])]),
    });
  };

  Sbmds.cloudDraws = cloudDraws;

  // At most 200 draws, evenly over the chains.
  function cloudDraws(model) {
    const count = model.draws ? model.draws.count : 0;
    const shown = Math.min(count, MAX_CLOUD);
    return Array.from({ length: shown }, (_, i) => Math.floor((i * count) / shown));
  }

  function positions(n, value, heights) {
    const out = new Float32Array(2 * n);
    for (let object = 0; object < n; object++) {
      out[2 * object] = value(object, 0);
      out[2 * object + 1] = heights ? heights[object] : value(object, 1);
    }
    return out;
  }

  // On a line, objects that follow each other get heights of the van der Corput sequence, so that names and points do not collide.
  function stripHeights(model) {
    const order = Array.from({ length: model.n }, (_, object) => object).sort((a, b) => model.coordinate(a, 0) - model.coordinate(b, 0));
    const length = model.coordinate(order[model.n - 1], 0) - model.coordinate(order[0], 0) || 1;
    const heights = new Float32Array(model.n);
    order.forEach((object, rank) => (heights[object] = (mirrored(rank + 1) - 0.5) * STRIP_HEIGHT * length));
    return heights;
  }

  function mirrored(index) {
    let [value, half] = [0, 0.5];
    for (; index; index >>= 1, half /= 2) value += half * (index & 1);
    return value;
  }

  // Half-axes of the ellipse that holds 95% of a normal posterior: eigenvectors of the 2 x 2 covariance times sqrt(5.99 eigenvalue).
  function ellipsesOf(model, [first, second]) {
    const out = new Float32Array(4 * model.n);
    for (let object = 0; object < model.n; object++) {
      const covariance = (a, b) => model.covariance(object, a, b);
      out.set(halfAxes(covariance(first, first), covariance(first, second), covariance(second, second)), 4 * object);
    }
    return out;
  }

  function halfAxes(a, b, c) {
    const spread = Math.hypot((a - c) / 2, b);
    const angle = Math.atan2(2 * b, a - c) / 2;
    const major = Math.sqrt(CHI2_95[1] * Math.max(0, (a + c) / 2 + spread));
    const minor = Math.sqrt(CHI2_95[1] * Math.max(0, (a + c) / 2 - spread));
    return [major * Math.cos(angle), major * Math.sin(angle), -minor * Math.sin(angle), minor * Math.cos(angle)];
  }
  Sbmds.halfAxes = halfAxes;
  // The corners of the boxes around all ellipses, or the ends of all intervals.
  function reaches(scene) {
    const out = new Float32Array(4 * scene.n);
    for (let object = 0; object < scene.n; object++) {
      const [x, y] = scene.means.subarray(2 * object, 2 * object + 2);
      const [ax, ay, bx, by] = scene.heights ? [scene.halfInterval(object), 0, 0, 0] : scene.ellipseAxes().subarray(4 * object, 4 * object + 4);
      const [across, up] = [Math.hypot(ax, bx) || 0, Math.hypot(ay, by) || 0]; // an ellipse that is not known reaches nowhere
      out.set([x - across, y - up, x + across, y + up], 4 * object);
    }
    return out;
  }

  function bounds(xy) {
    const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
    for (let i = 0; i < xy.length; i++) {
      if (xy[i] < low[i & 1]) low[i & 1] = xy[i];
      if (xy[i] > high[i & 1]) high[i & 1] = xy[i];
    }
    const least = Math.max(high[0] - low[0], high[1] - low[1]) * 0.02; // a map without height still gets a window
    for (const side of [0, 1]) {
      const pad = Math.max(0, least - (high[side] - low[side])) / 2 + (high[side] - low[side]) * 0.04;
      low[side] -= pad;
      high[side] += pad;
    }
    return { low, high };
  }

  // A radius that keeps few objects clear and many apart; it grows a little as one zooms in.
  Sbmds.pointRadius = (n, zoom) => Math.max(1.1, 6.6 - 1.15 * Math.log10(n)) * Math.min(2.2, zoom ** 0.22);
})();
