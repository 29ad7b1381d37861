// What the report holds: the data element decoded into typed arrays, and the few questions the page asks of it.
"use strict";
const Sbmds = {};

(() => {
  const NO_LEVEL = 65535; // a missing categorical label
  const NO_OBJECT = 4294967295; // fewer neighbours than columns

  const ARRAYS = { f32: Float32Array, u32: Uint32Array, u16: Uint16Array, i16: Int16Array };

  function bytes(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64);
    const out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
  }

  // {"f32": BASE64} and its kin, little-endian as every browser's typed arrays are.
  function unpack(packed) {
    if (!packed) return null;
    const kind = Object.keys(ARRAYS).find((key) => key in packed);
    return kind ? new ARRAYS[kind](bytes(packed[kind]).buffer) : null;
  }

  function unpackLabel(label) {
    if (label.kind === "numeric") return { ...label, values: unpack(label.values) };
    return { ...label, codes: unpack(label.codes) };
  }

  function unpackDraws(draws, nObjects, nDims) {
    if (!draws || !draws.count) return null;
    const quantised = unpack(draws.x);
    const { scale, offset } = draws.x;
    const at = (draw, object, dim) => offset[dim] + scale[dim] * quantised[(draw * nObjects + object) * nDims + dim];
    return { count: draws.count, at };
  }

  function unpackNeighbours(packed, nObjects) {
    if (!packed) return null;
    const [index, nearest, among] = [packed.index, packed.nearest, packed.among].map(unpack);
    const width = packed.candidates || index.length / nObjects;
    const of = (object) => {
      const rows = [];
      for (let c = object * width; c < (object + 1) * width; c++) {
        if (index[c] !== NO_OBJECT) rows.push({ object: index[c], nearest: nearest[c], among: among[c] });
      }
      return rows;
    };
    return { k: packed.k, of };
  }

  const unpackAll = (record, keys) => record && { ...record, ...Object.fromEntries(keys.map((key) => [key, unpack(record[key])])) };

  // Everything the page shows. Parts that the run does not have are null or empty, never missing.
  Sbmds.readModel = (raw) => {
    const [n, dims] = [raw.n_objects, raw.n_dims];
    const clusters = Sbmds.readClusters(raw.sections, unpack);
    const tree = Sbmds.readTree(raw.sections, unpack);
    const titres = Sbmds.readTitres(raw.sections);
    let mean = null;
    let covariance = null;
    const triangle = (dims * (dims + 1)) / 2;
    const entry = (a, b) => a * dims - (a * (a - 1)) / 2 + (b - a); // row a of the upper triangle starts at (a, a)
    const cov = (object, a, b) => (covariance ? covariance[object * triangle + entry(Math.min(a, b), Math.max(a, b))] : NaN);
    const model = {
      raw, n, dims,
      names: raw.names,
      lowerNames: raw.names.map((name) => name.toLowerCase()),
      coordinate: (object, dim) => mean[object * dims + dim],
      covariance: cov,
      sd: (object, dim) => Math.sqrt(cov(object, dim, dim)),
      totalSd: (object) => Math.sqrt(sum(dims, (dim) => cov(object, dim, dim))),
      labels: [...(raw.labels || []).map(unpackLabel), ...(clusters ? clusters.columns : [])],
      clusters, tree, titres,
      traces: (raw.traces || []).map((trace) => unpackAll(trace, ["values", "ranks"])),
      diagnostics: raw.diagnostics || [],
      maps: [raw, ...(raw.other_maps || [])].map((map) => map.mode),
    };
    // What belongs to one map: that of the run, or of another mode that chains are in.
    model.showMap = (number) => {
      const map = number ? raw.other_maps[number - 1] : raw;
      [mean, covariance] = [unpack(map.mean), unpack(map.covariance)];
      return Object.assign(model, {
        hasCovariance: Boolean(covariance),
        shown: map.shown || "mean",
        objectModes: map.object_modes || [],
        fit: unpackAll(map.fit, ["stress", "residual", "partners"]) || { stress: null, residual: null, partners: null },
        draws: unpackDraws(map.draws, n, dims),
        neighbours: unpackNeighbours(map.neighbours, n),
        shepard: unpackAll(map.shepard, ["a", "b", "observed", "mean", "low", "high"]),
        share: map.axis_share || [],
      });
    };
    return model.showMap(0);
  };

  Sbmds.labelText = (label, object) => {
    if (label.kind === "numeric") return Sbmds.brief(label.values[object]);
    return label.codes[object] === NO_LEVEL ? label.none || "–" : label.levels[label.codes[object]];
  };

  function sum(count, term) {
    let total = 0;
    for (let i = 0; i < count; i++) total += term(i);
    return total;
  }

  // Four significant digits, a true minus sign, a dash for what is unknown.
  Sbmds.number = (value, digits = 4) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    const text = size !== 0 && (size < 1e-4 || size >= 1e7)
      ? value.toExponential(digits - 2)
      : value.toFixed(Math.max(0, Math.min(6, digits - 1 - Math.floor(Math.log10(size || 1)))));
    return text.replace("-", "\u2212");
  };

  // The same without zeros that say nothing: labels are what somebody wrote, 1990 or 2.5.
  Sbmds.brief = (value) => {
    const text = Sbmds.number(value);
    return /e/.test(text) || !text.includes(".") ? text : text.replace(/\.?0+$/, "");
  };

  Sbmds.count = (value) => (Number.isFinite(value) ? Math.round(value).toLocaleString("en").replaceAll(",", "\u2009") : "–");

  Sbmds.plural = (value, word) => `${Sbmds.count(value)} ${word}${value === 1 ? "" : "s"}`;

  Sbmds.percent = (share) => {
    if (!Number.isFinite(share)) return "–";
    if (share > 0 && share < 0.01) return "<1%";
    if (share < 1 && share > 0.99) return ">99%";
    return `${Math.round(100 * share)}%`;
  };

  // Round tick values between two ends: steps of 1, 2 or 5 times a power of ten.
  Sbmds.ticks = (low, high, wanted) => {
    const span = high - low;
    if (!(span > 0)) return [low];
    const power = 10 ** Math.floor(Math.log10(span / wanted));
    const step = power * [1, 2, 5, 10].find((factor) => span / (power * factor) <= wanted);
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * span; i++) out.push(i * step);
    return out;
  };

  Sbmds.tickText = (value, ticks) => {
    const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
    const decimals = Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9)));
    const large = Math.max(...ticks.map(Math.abs)) >= 1e6;
    return (large ? value.toExponential(1) : value.toFixed(decimals)).replace("-", "\u2212").replace(/^\u2212(0\.?0*)$/, "$1");
  };

  // An element with attributes (on... are listeners) and children (strings become text).
  Sbmds.element = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);
  Sbmds.svg = (tag, attributes = {}, ...children) => build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  function build(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value);
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
  }

  Sbmds.byId = (id) => document.getElementById(id);
})();
