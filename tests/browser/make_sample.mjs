// A report of made-up data, assembled as `sbmds report` assembles it: page template, styles, data, scripts in one file.
//
//     node make_sample.mjs OUT.html [--objects N] [--dims D] [--draws S] [--bare] [--failed] [--clusters]
//
// --bare leaves out labels, draws, neighbours and fit; --failed gives a verdict that did not converge.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const PAGE = new URL("../../crates/sbmds/src/report/page/", import.meta.url);
const read = (name) => readFileSync(new URL(name, PAGE), "utf8");
const escapeHtml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

// A seed may be a BigInt: 64 bits, written as a plain number.
const toJson = (data) => JSON.stringify(data, (_, value) => (typeof value === "bigint" ? `big ${value}` : value)).replaceAll(/"big (\d+)"/g, "$1");

export function assemble(data) {
  const scripts = read("files.txt").trim().split("\n").map(read);
  const parts = {
    title: escapeHtml(data.title),
    style: `<style>\n${read("style.css")}</style>`,
    data: `<script id="sbmds-data" type="application/json">${toJson(data).replaceAll("<", "\\u003c")}</script>`,
    script: scripts.map((script) => `<script>\n${script}</script>\n`).join(""),
  };
  return read("page.html").replaceAll(/<!--sbmds:(\w+)-->/g, (_, name) => parts[name]);
}

// mulberry32: small, seeded, the same everywhere.
function randomStream(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

const pack = (kind, array) => ({ [kind]: Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64") });
const f32 = (values) => pack("f32", Float32Array.from(values));
const u32 = (values) => pack("u32", Uint32Array.from(values));
const range = (n) => Array.from({ length: n }, (_, i) => i);

const PLACES = ["Bergen", "Quito", "Osaka", "Lagos", "Turin", "Perth", "Oulu", "Cusco", "Hobart", "Malmö", "Nantes", "São Luís"];

// Clusters whose spread shrinks from axis to axis, with a covariance per object.
function makeMap(n, dims, random) {
  const nClusters = Math.min(9, Math.max(2, Math.round(Math.sqrt(n) / 3)));
  const spread = (dim) => 4 / (1 + 0.6 * dim);
  const centres = range(nClusters).map(() => range(dims).map((dim) => spread(dim) * random.normal()));
  const cluster = range(n).map(() => Math.floor(random.uniform() ** 1.4 * nClusters));
  const mean = new Float32Array(n * dims);
  const triangle = (dims * (dims + 1)) / 2;
  const covariance = new Float32Array(n * triangle);
  for (let object = 0; object < n; object++) {
    for (let dim = 0; dim < dims; dim++) mean[object * dims + dim] = centres[cluster[object]][dim] + 0.35 * spread(dim) * random.normal() * 0.8;
    let at = object * triangle;
    const sds = range(dims).map(() => 0.12 + 0.25 * random.uniform());
    for (let a = 0; a < dims; a++) for (let b = a; b < dims; b++) covariance[at++] = a === b ? sds[a] ** 2 : (random.uniform() - 0.5) * 0.6 * sds[a] * sds[b];
  }
  return { cluster, nClusters, mean, covariance, triangle };
}

function makeDraws(n, dims, count, map, random) {
  const values = new Float64Array(count * n * dims);
  for (let s = 0; s < count; s++) {
    for (let object = 0; object < n; object++) {
      let diagonal = object * map.triangle;
      for (let dim = 0; dim < dims; dim++) {
        values[(s * n + object) * dims + dim] = map.mean[object * dims + dim] + Math.sqrt(map.covariance[diagonal]) * random.normal();
        diagonal += dims - dim;
      }
    }
  }
  const ends = range(dims).map((dim) => {
    let [low, high] = [Infinity, -Infinity];
    for (let i = dim; i < values.length; i += dims) [low, high] = [Math.min(low, values[i]), Math.max(high, values[i])];
    return { scale: (high - low) / 65534, offset: (low + high) / 2 };
  });
  const quantised = Int16Array.from(values, (value, i) => Math.round((value - ends[i % dims].offset) / ends[i % dims].scale));
  return { count, x: { ...pack("i16", quantised), scale: ends.map((end) => end.scale), offset: ends.map((end) => end.offset) } };
}

function makeNeighbours(n, dims, mean) {
  const [k, candidates] = [Math.min(5, n - 1), Math.min(10, n - 1)];
  const [index, nearest, among] = [[], [], []];
  for (let object = 0; object < n; object++) {
    const distance = (other) => range(dims).reduce((sum, dim) => sum + (mean[object * dims + dim] - mean[other * dims + dim]) ** 2, 0);
    const others = range(n).filter((other) => other !== object).map((other) => [distance(other), other]);
    others.sort((a, b) => a[0] - b[0]);
    others.slice(0, candidates).forEach(([, other], rank) => {
      index.push(other);
      nearest.push(0.5 * 0.5 ** rank);
      among.push(Math.max(0.02, 1 - 0.09 * rank * (1 + rank / 10)));
    });
  }
  return { k, candidates, index: u32(index), nearest: f32(nearest), among: f32(among) };
}

function makeShepard(n, dims, mean, random) {
  const nPairs = (n * (n - 1)) / 2;
  const rows = range(Math.min(2000, nPairs)).map(() => {
    const a = Math.floor(random.uniform() * n);
    const b = (a + 1 + Math.floor(random.uniform() * (n - 1))) % n;
    const fitted = Math.sqrt(range(dims).reduce((sum, dim) => sum + (mean[a * dims + dim] - mean[b * dims + dim]) ** 2, 0));
    const half = 0.25 + 0.4 * random.uniform();
    return { a, b, fitted, observed: Math.abs(fitted + 0.4 * random.normal()), low: Math.max(0, fitted - half), high: fitted + half };
  });
  const take = (key) => rows.map((row) => row[key]);
  return { a: u32(take("a")), b: u32(take("b")), observed: f32(take("observed")), mean: f32(take("fitted")), low: f32(take("low")), high: f32(take("high")), n_pairs: nPairs };
}

function makeTrace(name, level, step, chains, failed, random) {
  const length = 500;
  const values = range(chains).flatMap((chain) => {
    let now = 0;
    return range(length).map(() => ((now = 0.5 * now + random.normal()), level + step * (now + (failed && chain === 1 ? 3 : 0))));
  });
  const order = range(values.length).sort((a, b) => values[a] - values[b]);
  const ranks = new Uint32Array(chains * 20);
  order.forEach((at, rank) => ranks[Math.floor(at / length) * 20 + Math.floor((rank * 20) / values.length)]++);
  return { name, rhat: failed ? 1.31 : 1.002, ess_bulk: failed ? 14 : 1830, ess_tail: failed ? 31 : 2210, thin: 2, values: f32(values), ranks: pack("u32", ranks) };
}

function makeDiagnostics(names, failed, random) {
  const pair = () => `distance of ${names[Math.floor(random.uniform() * names.length)]} and ${names[Math.floor(random.uniform() * names.length)]}`;
  const rows = ["log density", "sigma", ...range(60).map(pair)].map((quantity) => {
    const mean = 1 + 5 * random.uniform();
    const ess = failed ? 20 + 300 * random.uniform() : 900 + 2500 * random.uniform();
    return { quantity, mean, sd: 0.2, q5: mean - 0.33, median: mean, q95: mean + 0.33, rhat: 1 + (failed ? 0.3 : 0.004) * random.uniform(), ess_bulk: ess, ess_tail: 1.1 * ess, mcse_mean: 0.004 };
  });
  rows.push({ quantity: "distance of fixed ends", mean: 1, sd: 0, q5: 1, median: 1, q95: 1, rhat: null, ess_bulk: null, ess_tail: null, mcse_mean: null });
  return rows.sort((a, b) => (b.rhat ?? 0) - (a.rhat ?? 0));
}

function makeLabels(n, map, random) {
  const levels = range(map.nClusters).map((i) => `group ${"ABCDEFGHIJ"[i]}`);
  const fine = range(Math.min(40, n)).map((i) => `clade ${i + 1}`);
  return [
    { name: "group", kind: "categorical", levels, codes: pack("u16", Uint16Array.from(map.cluster, (code, i) => (i % 23 === 22 ? 65535 : code))) },
    { name: "year", kind: "numeric", values: f32(range(n).map((i) => (i % 31 === 30 ? NaN : 1990 + Math.floor(30 * random.uniform())))) },
    { name: "clade", kind: "categorical", levels: fine, codes: pack("u16", Uint16Array.from({ length: n }, (_, i) => i % fine.length)) },
  ];
}

// Clusters as the map was made, every 17th object noise; outlines are rings about the clusters' means that grow from draw to draw.
function makeClusters(n, dims, map, random) {
  const [nDraws, minimum] = [100, 3];
  const codes = Uint16Array.from(map.cluster, (cluster, i) => (i % 17 === 16 ? 65535 : cluster));
  const sizes = range(map.nClusters).map((cluster) => codes.filter((code) => code === cluster).length);
  const confidence = Float32Array.from(codes, () => 0.35 + 0.65 * random.uniform() ** 0.4);
  const axes = dims === 1 ? [[0, 0]] : range(dims).flatMap((a) => range(dims).filter((b) => b > a).map((b) => [a, b]));
  const centre = (cluster, dim) => {
    const members = range(n).filter((i) => codes[i] === cluster);
    return members.reduce((sum, i) => sum + map.mean[i * dims + dim], 0) / Math.max(1, members.length);
  };
  const ring = (cluster, draw, [a, b]) => (dims === 1
    ? f32([centre(cluster, 0) - 1 - 0.1 * draw, 0, centre(cluster, 0) + 1 + 0.1 * draw, 0])
    : f32(range(12).flatMap((k) => [[a, Math.cos], [b, Math.sin]].map(([dim, wave]) => centre(cluster, dim) + (1.6 + 0.12 * draw) * wave((k * Math.PI) / 6)))));
  const outlines = range(5).flatMap((draw) => range(map.nClusters).map((cluster) => ({ draw, cluster, corners: axes.map((pair) => ring(cluster, draw, pair)) })));
  const order = range(n).sort((a, b) => codes[a] - codes[b] || confidence[b] - confidence[a]);
  const nBins = Math.min(n, 200);
  const ends = range(nBins).map((bin) => Math.floor(((bin + 1) * n) / nBins));
  const together = range(nBins).flatMap((row) => range(nBins - row).map((step) => {
    const [a, b] = [order[ends[row] - 1], order[ends[row + step] - 1]];
    return Math.round(65535 * (codes[a] === codes[b] && codes[a] !== 65535 ? confidence[a] * confidence[b] : 0.08 * random.uniform()));
  }));
  const spread = (mean, half) => ({ mean, q2_5: mean - half, q97_5: mean + half });
  const nNoise = codes.filter((code) => code === 65535).length;
  return {
    kind: "clusters", codes: pack("u16", codes), confidence: f32(confidence), clusters: sizes.map((size) => ({ size, confidence: 0.8 })), noise: { size: nNoise, confidence: 0.6 },
    draws: range(5).map((draw) => [0, 10 * draw]), axes, outlines, heat_map: { order: u32(order), ends, together: pack("u16", Uint16Array.from(together)) },
    summary: {
      hdbscan: { min_cluster_size: minimum, min_samples: minimum, selection: "eom" }, seed: 1, n_objects: n, n_draws: nDraws, n_available: 4000, mode_clusters: map.nClusters,
      cluster_counts: { [map.nClusters - 1]: 20, [map.nClusters]: 75, [map.nClusters + 1]: 5 }, noise: spread(nNoise, 0.5 * nNoise), sbmds_version: "0.1.0",
      truth: { column: "group", n_classes: map.nClusters, n_unknown: 3, error: spread(0.05, 0.01), pooled_error: spread(0.04, 0.01), classes_found: { [map.nClusters]: nDraws }, rand_index: spread(0.8, 0.05), rand_index_clustered: spread(0.9, 0.02) },
      consensus: { n_clusters: map.nClusters, sizes, n_noise: nNoise, expected_variation: 0.4, mean_confidence: 0.79 },
    },
  };
}

const CONFIG = `sbmds_version = "0.1.0"\n\n[model]\nn_dims = 2\ncouplings = "band:10"\nnoise = "truncated-normal"\n\n[sampler]\nsampler = "auto"\nn_warmup = 1000\n\n[run]\nchains = 4\ndraws = 1000\nseed = 1\n`;

export function makeData({ objects: n = 70, dims = 2, draws = n <= 1000 ? 40 : n <= 50000 ? 20 : 0, bare = false, failed = false, clusters = false, chains = 4, seed = 1 } = {}) {
  const random = randomStream(seed);
  const map = makeMap(n, dims, random);
  const names = range(n).map((i) => (n <= PLACES.length ? PLACES[i] : `${PLACES[i % PLACES.length]} ${i + 1}`));
  const variance = range(dims).map((dim) => range(n).reduce((sum, i) => sum + map.mean[i * dims + dim] ** 2, 0));
  const total = variance.reduce((a, b) => a + b);
  const [good, bad] = ["Converged: the largest R-hat is 1.003 (sigma), the smallest effective sample size 1539 (log density).",
    "Not converged: the largest R-hat is 1.31 (sigma), the smallest effective sample size 14 (log density). Run longer, or look at the traces."];
  return {
    format: 1, sbmds_version: "0.1.0", title: `sample-${n}x${dims}`,
    verdict: { converged: !failed, text: failed ? bad : good, warnings: failed ? ["Chain 2 sits in another mode: the map is folded there.", "3 divergences after warm-up."] : [] },
    summary: [["sigma", "0.4020 +- 0.01860, 90% in [0.3718, 0.4279]"], ["stress", "0.3677 rms; worst 1.091 (Osaka 3)"], ["largest R-hat", "1.003 (sigma)"], ["smallest ESS", "1539 (log density)"],
      ["data", `${n} objects, ${(n * (n - 1)) / 2} pairs (full), ${dims} dimensions`], ["draws", "4 chains x 1000 after 1000 of warm-up"], ["sampler", "nuts, acceptance 0.7980, 0 divergences"]],
    config: CONFIG, seed: 1, citation: "Sample citation: A. Author and B. Author (2025). Sparse Bayesian multidimensional scaling. Journal, 1(1), 1-20.",
    n_objects: n, n_dims: dims, n_chains: chains, n_draws: 1000, n_pairs: (n * (n - 1)) / 2, names,
    labels: bare ? [] : makeLabels(n, map, random),
    mean: pack("f32", map.mean), covariance: pack("f32", map.covariance), axis_share: variance.map((v) => v / total),
    fit: bare ? null : { stress: f32(range(n).map(() => 0.2 + 0.8 * random.uniform() ** 3)), residual: f32(range(n).map(() => 0.2 * random.normal())), partners: u32(range(n).map(() => Math.min(20, n - 1))) },
    draws: bare || !draws ? null : makeDraws(n, dims, draws, map, random),
    neighbours: bare || n > 3000 ? null : makeNeighbours(n, dims, map.mean),
    shepard: bare ? null : makeShepard(n, dims, map.mean, random),
    traces: bare ? [] : ["sigma", "lp", "distance of the first pair"].map((name, i) => makeTrace(name, [0.4, -10187, 3][i], [0.02, 9, 0.3][i], chains, failed, random)),
    diagnostics: bare ? [] : makeDiagnostics(names, failed, random), n_monitored: 500,
    sections: [{ kind: "not yet known" }, ...(clusters ? [makeClusters(n, dims, map, random)] : [])],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals, values } = parseArgs({ allowPositionals: true,
    options: { objects: { type: "string" }, dims: { type: "string" }, draws: { type: "string" }, bare: { type: "boolean" }, failed: { type: "boolean" }, clusters: { type: "boolean" } } });
  const numbers = Object.fromEntries(["objects", "dims", "draws"].filter((key) => values[key]).map((key) => [key, Number(values[key])]));
  writeFileSync(positionals[0], assemble(makeData({ ...values, ...numbers })));
}
