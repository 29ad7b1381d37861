// Colours and shapes of the objects by a label or a measure, for the theme in force, and what the legend says of them.
"use strict";
(() => {
  const N_COLOURS = 8; // the palette of style.css: --c1 to --c8
  const N_SHAPES = 4; // disc, square, triangle, diamond: more levels than colours get the next shape
  const MAX_LEVELS = N_COLOURS * N_SHAPES;
  const MOST_USEFUL = 20; // words that a reader can still find in a legend
  const FADED = 30; // opacity, of 255, of levels switched off in the legend
  const NO_LEVEL = 65535;

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function rgb(hex) {
    const value = parseInt(hex.slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }

  Object.assign(Sbmds, { themeColour: css, rgb, between, FADED });

  // The columns one can colour by: labels first, then what the fit itself says of each object.
  Sbmds.colourColumns = (model) => {
    const columns = [...model.labels];
    if (model.fit.stress) columns.push({ name: "stress", kind: "numeric", values: model.fit.stress });
    if (model.fit.residual) columns.push({ name: "residual", kind: "numeric", values: model.fit.residual });
    if (model.hasCovariance) columns.push({ name: "posterior sd", kind: "numeric", values: Float32Array.from({ length: model.n }, (_, object) => model.totalSd(object)) });
    return columns;
  };

  // The column to colour by at first: one with 2 to 20 words, else one of numbers that differ, else one whose words the palette can tell apart.
  Sbmds.firstColumn = (model) => {
    const nWords = (column) => (column.kind === "categorical" ? new Set(column.codes).size : 0);
    const differs = (column) => column.kind === "numeric" && new Set(column.values.filter(Number.isFinite)).size > 1;
    const words = (most) => model.labels.find((column) => nWords(column) >= 2 && nWords(column) <= most);
    return words(MOST_USEFUL) || model.labels.find(differs) || words(MAX_LEVELS) || null;
  };

  // {colours: 4 bytes per object, shapes: 1 byte per object, legend}. `hidden` is a set of levels to fade.
  Sbmds.paint = (model, column, hidden) => {
    if (!column) return paintPlain(model.n);
    return column.kind === "numeric" ? paintNumeric(model.n, column) : paintLevels(model.n, column, hidden);
  };

  function blank(n) {
    return { colours: new Uint8Array(4 * n), shapes: new Uint8Array(n) };
  }

  function put(colours, object, [red, green, blue], opacity) {
    colours.set([red, green, blue, opacity], 4 * object);
  }

  function paintPlain(n) {
    const painted = blank(n);
    const colour = rgb(css("--plain"));
    for (let object = 0; object < n; object++) put(painted.colours, object, colour, 255);
    return { ...painted, legend: null };
  }

  function paintNumeric(n, column) {
    const painted = blank(n);
    const ramp = [0, 1, 2, 3, 4, 5, 6].map((i) => rgb(css(`--s${i}`)));
    const other = rgb(css("--other"));
    const [low, high] = middleRange(column.values);
    for (let object = 0; object < n; object++) {
      const value = column.values[object];
      const known = Number.isFinite(value);
      const share = high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5;
      put(painted.colours, object, known ? between(ramp, share) : other, 255);
    }
    return { ...painted, legend: { kind: "numeric", name: column.name, low, high, ramp: ramp.map((colour) => `rgb(${colour})`) } };
  }

  // From the 1st to the 99th percentile, so that one outlier does not make all others look alike.
  function middleRange(values) {
    const sorted = Float64Array.from(values.filter(Number.isFinite)).sort();
    if (!sorted.length) return [NaN, NaN];
    const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
    return sorted.length < 200 ? [at(0), at(1)] : [at(0.01), at(0.99)];
  }

  function between(ramp, share) {
    const scaled = share * (ramp.length - 1);
    const left = Math.min(ramp.length - 2, Math.floor(scaled));
    return ramp[left].map((channel, i) => Math.round(channel + (scaled - left) * (ramp[left + 1][i] - channel)));
  }

  // Eight colours for each shape; every other shape has them nearer to the ink, for where points are too small to show shapes.
  function levelColours() {
    const ink = rgb(css("--ink"));
    return Array.from({ length: MAX_LEVELS }, (_, rank) => {
      const colour = rgb(css(`--c${(rank % N_COLOURS) + 1}`));
      return Math.floor(rank / N_COLOURS) % 2 ? between([colour, ink], 0.45) : colour;
    });
  }

  // From the rank of a level to its colour in the theme in force; those beyond the palette, and none (-1), are grey.
  Sbmds.levelPalette = () => {
    const [palette, other] = [levelColours().map((colour) => `rgb(${colour})`), css("--other")];
    return (rank) => palette[rank] ?? other;
  };

  // The 32 most frequent levels, in their own order; the rest share one grey.
  function paintLevels(n, column, hidden) {
    const painted = blank(n);
    const sizes = new Array(column.levels.length).fill(0);
    let nMissing = 0;
    for (const code of column.codes) code === NO_LEVEL ? nMissing++ : sizes[code]++;
    const order = [...sizes.keys()].filter((code) => sizes[code]).sort((a, b) => sizes[b] - sizes[a] || a - b);
    const named = order.slice(0, MAX_LEVELS).sort((a, b) => a - b);
    const rankOf = new Int32Array(column.levels.length).fill(-1);
    named.forEach((code, rank) => (rankOf[code] = rank));
    const palette = levelColours();
    const other = rgb(css("--other"));
    const opacity = column.opacity ? (object) => Math.max(FADED + 1, Math.round(255 * column.opacity[object])) : () => 255;
    for (let object = 0; object < n; object++) {
      const code = column.codes[object];
      const rank = code === NO_LEVEL ? -1 : rankOf[code];
      put(painted.colours, object, rank < 0 ? other : palette[rank], hidden.has(rank) ? FADED : opacity(object));
      painted.shapes[object] = rank < 0 ? 0 : Math.floor(rank / N_COLOURS);
    }
    const entries = named.map((code, rank) => ({
      key: rank, text: column.levels[code], size: sizes[code], colour: `rgb(${palette[rank]})`, shape: Math.floor(rank / N_COLOURS),
    }));
    const rest = order.slice(MAX_LEVELS);
    const nRest = nMissing + rest.reduce((total, code) => total + sizes[code], 0);
    const restText = rest.length ? `${Sbmds.count(rest.length)} further levels${nMissing ? " or none" : ""}` : column.none || "no label";
    if (nRest) entries.push({ key: -1, text: restText, size: nRest, colour: `rgb(${other})`, shape: 0 });
    return { ...painted, legend: { kind: "categorical", name: column.name, entries, note: column.note } };
  }

  // The outline of a shape of radius 1 about (0, 0), as an SVG path: legend and canvas fallback draw from it.
  Sbmds.shapePaths = [
    "M1 0A1 1 0 1 1 -1 0A1 1 0 1 1 1 0Z",
    "M-.89 -.89H.89V.89H-.89Z",
    "M0 -1.15L1.1 .8H-1.1Z",
    "M0 -1.25L1.05 0L0 1.25L-1.05 0Z",
  ];

  Sbmds.drawLegend = (holder, legend, hidden, onToggle) => {
    holder.replaceChildren();
    if (!legend) return;
    holder.append(Sbmds.element("h3", {}, legend.name));
    if (legend.kind === "numeric") {
      const ramp = Sbmds.element("div", { class: "ramp", role: "img", "aria-label": `Colours from ${Sbmds.brief(legend.low)} to ${Sbmds.brief(legend.high)}` });
      ramp.style.background = `linear-gradient(90deg, ${legend.ramp.join(", ")})`;
      holder.append(ramp, Sbmds.element("div", { class: "ends" }, ...[legend.low, legend.high].map((value) => Sbmds.element("span", {}, Sbmds.brief(value)))));
      return;
    }
    const row = (entry) => Sbmds.element("li", {}, Sbmds.element("button",
      { type: "button", "aria-pressed": String(!hidden.has(entry.key)), title: "Show or fade", onclick: () => onToggle(entry.key) },
      Sbmds.svg("svg", { class: "swatch", viewBox: "-1.3 -1.3 2.6 2.6", "aria-hidden": "true" }, Sbmds.svg("path", { d: Sbmds.shapePaths[entry.shape], fill: entry.colour })),
      Sbmds.element("span", {}, entry.text), Sbmds.element("span", { class: "count" }, Sbmds.count(entry.size))));
    holder.append(Sbmds.element("ul", {}, legend.entries.map(row)), legend.note ? Sbmds.element("p", { class: "note" }, legend.note) : "");
  };
})();
