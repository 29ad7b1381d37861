// The antigenic map: viruses filled, sera open squares, a grid of twofold dilutions, regions that hold 68% and 95% of each object's draws;
// potencies and avidities, the titres that fit worst, and how probable a large drop between two strains is.
"use strict";
(() => {
  const { element, svg, byId, number, percent } = Sbmds;
  const LARGE_DROP = 2; // twofold dilutions that vaccines are updated for
  const CELLS = 44; // of the grid on which a density is computed, along each side
  const MOST_REGIONS = 250; // more would hide each other

  Sbmds.readTitres = (sections) => (sections || []).find(({ kind }) => kind === "titres") || null;

  Sbmds.makeTitres = (model, { select }) => {
    const { titres } = model;
    byId("titres").hidden = !titres;
    if (!titres) return { mark: () => {} };
    const sera = model.n - titres.n_viruses;
    byId("titres-note").textContent = `${titres.n_viruses} viruses (filled) and ${sera} sera (open squares). A square of the grid is a twofold dilution. Shaded regions hold 68% of an object's draws, lines 95%. `
      + `Measured and expected titres differ by ${number(titres.mean_absolute_error, 3)} dilutions on average.`;
    const holder = element("div", {});
    byId("titres-figures").replaceChildren(holder, drops(model, titres), levelTable(model, titres), worstTable(model, titres));
    const draw = (axes) => holder.replaceChildren(mapFigure(model, titres, axes, select));
    draw(model.dims > 1 ? [0, 1] : [0, 0]);
    return { mark: draw };
  };

  const isSerum = (titres, object) => object >= titres.n_viruses;
  const drawn = (model, draw, object, dim) => model.draws.at(draw, object, dim);

  function mapFigure(model, titres, axes, select) {
    const at = (object) => axes.map((axis, k) => (model.dims > 1 || k === 0 ? model.coordinate(object, axis) : 0));
    const regions = model.draws && model.n <= MOST_REGIONS && model.dims > 1 ? Array.from({ length: model.n }, (_, object) => contours(model, object, axes)) : [];
    const ends = [Array.from({ length: model.n }, (_, object) => at(object)), ...regions.flatMap(({ outer }) => outer)].flat();
    const [low, high] = [Math.min, Math.max].map((most, sign) => [0, 1].map((k) => ends.reduce((found, end) => most(found, end[k]), sign ? -Infinity : Infinity) + (sign ? 0.5 : -0.5)));
    const width = 760, scale = width / (high[0] - low[0]), height = Math.max(120, scale * (high[1] - low[1]));
    const place = ([x, y]) => [(x - low[0]) * scale, height - (y - low[1]) * scale];
    const chart = svg("svg", { viewBox: `0 0 ${width} ${height.toFixed(0)}`, role: "img", "aria-label": "Antigenic map", style: "max-width: 100%; height: auto" });
    const lines = [];
    for (let x = Math.ceil(low[0]); x <= high[0]; x++) lines.push(`M${place([x, 0])[0].toFixed(1)} 0V${height.toFixed(1)}`);
    for (let y = Math.ceil(low[1]); y <= high[1]; y++) lines.push(`M0 ${place([0, y])[1].toFixed(1)}H${width}`);
    chart.append(svg("path", { d: lines.join(""), fill: "none", stroke: "var(--ink)", "stroke-width": 0.5, "stroke-opacity": 0.15 }));
    const colour = (object) => (isSerum(titres, object) ? "var(--other)" : "var(--c1)");
    const path = (loops) => loops.map((loop) => `M${loop.map((end) => place(end).map((value) => value.toFixed(1)).join(" ")).join("L")}Z`).join("");
    const strength = Math.min(0.35, 2 / Math.sqrt(model.n));
    regions.forEach(({ inner }, object) => chart.append(svg("path", { d: path(inner), fill: colour(object), "fill-opacity": 0.6 * strength, "fill-rule": "evenodd" })));
    regions.forEach(({ outer }, object) => chart.append(svg("path", { d: path(outer), fill: "none", stroke: colour(object), "stroke-width": 0.7, "stroke-opacity": strength + 0.1 })));
    for (let object = model.n - 1; object >= 0; object--) {
      const [x, y] = place(at(object)), r = Math.max(2.5, Sbmds.pointRadius(model.n, 1));
      const mark = isSerum(titres, object)
        ? svg("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, fill: "transparent", stroke: "var(--ink)", "stroke-width": 1.1 })
        : svg("circle", { cx: x, cy: y, r, fill: "var(--c1)", stroke: "var(--paper)", "stroke-width": 0.7 });
      mark.append(svg("title", {}, model.names[object]));
      mark.addEventListener("click", () => select(object));
      chart.append(mark);
    }
    return element("figure", {}, chart, element("figcaption", { class: "note" }, `Axes ${axes[0] + 1} and ${axes[1] + 1}. Names show under the pointer.`));
  }

  // Closed lines around 68% and 95% of the draws: a kernel density on a grid, cut at the height that the draws say.
  function contours(model, object, axes) {
    const n = model.draws.count;
    const points = Array.from({ length: n }, (_, draw) => axes.map((axis) => drawn(model, draw, object, axis)));
    const mean = [0, 1].map((k) => points.reduce((sum, point) => sum + point[k], 0) / n);
    const sd = [0, 1].map((k) => Math.sqrt(points.reduce((sum, point) => sum + (point[k] - mean[k]) ** 2, 0) / n) || 1e-6);
    // Half of Silverman's width: modes and bends stay visible.
    const width = sd.map((spread) => Math.max(0.55 * spread * n ** (-1 / 6), 0.02));
    const low = [0, 1].map((k) => Math.min(...points.map((point) => point[k])) - 3 * width[k]);
    const step = [0, 1].map((k) => (Math.max(...points.map((point) => point[k])) + 3 * width[k] - low[k]) / (CELLS - 1));
    const density = new Float64Array(CELLS * CELLS);
    for (const point of points) {
      const first = [0, 1].map((k) => Math.max(0, Math.ceil((point[k] - 3 * width[k] - low[k]) / step[k])));
      const last = [0, 1].map((k) => Math.min(CELLS - 1, Math.floor((point[k] + 3 * width[k] - low[k]) / step[k])));
      for (let i = first[0]; i <= last[0]; i++) {
        const a = ((low[0] + i * step[0] - point[0]) / width[0]) ** 2;
        for (let j = first[1]; j <= last[1]; j++) density[i * CELLS + j] += Math.exp(-0.5 * (a + ((low[1] + j * step[1] - point[1]) / width[1]) ** 2));
      }
    }
    const heights = Array.from(density).sort((a, b) => b - a);
    const total = heights.reduce((sum, height) => sum + height, 0);
    const level = (share) => { let sum = 0; return heights.find((height) => (sum += height) >= share * total); };
    const lines = (share) => loops(density, level(share), low, step);
    return { inner: lines(0.68), outer: lines(0.95) };
  }

  // Marching squares; segments have the higher side on their left and are joined end to end.
  function loops(density, level, low, step) {
    const value = (i, j) => density[i * CELLS + j];
    const next = new Map();
    const cut = (i, j, k, l) => { // on the edge from (i, j) to (k, l), named by its lower end and direction
      const share = (level - value(i, j)) / (value(k, l) - value(i, j));
      const key = `${Math.min(i, k)},${Math.min(j, l)},${i === k ? 1 : 0}`;
      return { key, point: [low[0] + (i + share * (k - i)) * step[0], low[1] + (j + share * (l - j)) * step[1]] };
    };
    for (let i = 0; i + 1 < CELLS; i++) {
      for (let j = 0; j + 1 < CELLS; j++) {
        const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        const up = corners.map(([a, b]) => value(a, b) >= level);
        const ins = [], outs = [];
        corners.forEach((corner, k) => {
          const other = (k + 1) % 4;
          if (up[k] && !up[other]) outs.push(cut(...corner, ...corners[other]));
          if (!up[k] && up[other]) ins.push(cut(...corner, ...corners[other]));
        });
        outs.forEach((from, k) => next.set(from.key, { point: from.point, to: ins[k].key }));
      }
    }
    const found = [];
    while (next.size) {
      let [key, { point, to }] = next.entries().next().value;
      const loop = [];
      while (key !== undefined && next.has(key)) {
        ({ point, to } = next.get(key));
        next.delete(key);
        loop.push(point);
        key = to;
      }
      if (loop.length > 2) found.push(loop);
    }
    return found;
  }

  // The probability of a large drop between two strains that the reader chooses.
  function drops(model, titres) {
    if (!model.draws || titres.n_viruses < 2) return "";
    const options = () => model.names.slice(0, titres.n_viruses).map((name, object) => element("option", { value: object }, name));
    const [one, other] = ["One strain", "Another strain"].map((label) => element("select", { "aria-label": label }, ...options()));
    other.selectedIndex = titres.n_viruses - 1;
    const answer = element("output", {});
    const update = () => {
      const [a, b] = [Number(one.value), Number(other.value)];
      const distances = Array.from({ length: model.draws.count }, (_, draw) => Math.sqrt(Array.from({ length: model.dims }, (__, dim) => (drawn(model, draw, a, dim) - drawn(model, draw, b, dim)) ** 2).reduce((x, y) => x + y)));
      const large = distances.filter((distance) => distance > LARGE_DROP).length / distances.length;
      const mean = distances.reduce((x, y) => x + y) / distances.length;
      answer.textContent = ` ${number(mean, 3)} dilutions apart; a drop of more than ${LARGE_DROP} with probability ${percent(large)}`;
    };
    [one, other].forEach((choice) => choice.addEventListener("change", update));
    update();
    return element("p", { class: "control" }, one, " and ", other, answer);
  }

  function table(label, head, rows) {
    return element("div", { class: "scroll", style: "max-height: 22rem" }, element("table", { "aria-label": label },
      element("thead", {}, element("tr", {}, head.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell) => element("td", {}, cell)))))));
  }

  function levelTable(model, titres) {
    if (!titres.levels.length) return "";
    const rows = titres.levels.map(({ level, object, mean, interval }) => [model.names[object], level, number(mean, 3), `${number(interval[0], 3)} to ${number(interval[1], 3)}`]);
    return element("div", {}, element("h3", {}, "Potencies and avidities, log2 titres"), table("Levels", ["name", "level", "mean", "95% interval"], rows));
  }

  function worstTable(model, titres) {
    if (!titres.worst.length) return "";
    const rows = titres.worst.map(({ virus, serum, measured, expected, stress }) => [model.names[virus], model.names[serum], measured, String(Math.round(expected)), number(stress, 3)]);
    return element("div", {}, element("h3", {}, "Titres that fit worst"), table("Worst titres", ["virus", "serum", "measured", "expected", "stress"], rows),
      element("p", { class: "note" }, "Stress: squared difference in log2 titres. All cells, measured or not, are in titers.csv; all pairs of strains in drops.csv."));
  }
})();
