// Clusters with their uncertainty: what HDBSCAN of many draws found, outlines of a few draws, and the partition they agree on.
"use strict";
(() => {
  const { element, svg, byId, number, count, percent } = Sbmds;
  const NOISE = 65535;
  const FAINTEST = 0.15; // opacity of an object without any confidence
  const FIGURE = { width: 560, height: 470 };
  const MOST_ROWS = 50; // clusters listed; the rest are small

  // The section of that kind, decoded, with two more columns to colour by; null if the run was not clustered.
  Sbmds.readClusters = (sections, unpack) => {
    const section = (sections || []).find(({ kind }) => kind === "clusters");
    if (!section) return null;
    const [codes, confidence] = [unpack(section.codes), unpack(section.confidence)];
    const levels = section.clusters.map((_, cluster) => `cluster ${cluster}`);
    const outlines = section.outlines.map((outline) => ({ ...outline, corners: outline.corners.map(unpack) }));
    const heat = { ...section.heat_map, order: unpack(section.heat_map.order), together: unpack(section.heat_map.together) };
    const column = { name: "consensus cluster", kind: "categorical", levels, codes, none: "noise", note: "Fainter: less certain.",
      opacity: Float32Array.from(confidence, (value) => FAINTEST + (1 - FAINTEST) * Math.min(1, Math.max(0, value))) };
    return { ...section, codes, confidence, outlines, heat, column, columns: [column, { name: "cluster confidence", kind: "numeric", values: confidence }] };
  };

  // Outlines on these axes, coloured by the consensus cluster they belong to.
  Sbmds.drawOutlines = (ctx, clusters, camera, axes, heights) => {
    const pair = clusters.axes.findIndex(([first, second]) => Math.min(...axes) === first && Math.max(...axes) === second);
    if (pair < 0) return;
    const [across, up] = axes[0] <= axes[1] ? [0, 1] : [1, 0];
    const reach = heights ? Math.max(...heights) : 0;
    const colour = Sbmds.levelPalette();
    ctx.lineWidth = 1.3;
    ctx.lineJoin = "round";
    for (const { cluster, corners } of clusters.outlines) {
      const flat = corners[pair];
      ctx.beginPath();
      for (const [x, y] of heights ? strip(flat, reach) : points(flat, across, up)) ctx.lineTo(...camera.toPixel(x, y));
      ctx.closePath();
      ctx.fillStyle = ctx.strokeStyle = colour(cluster);
      ctx.globalAlpha = 0.035;
      ctx.fill();
      ctx.globalAlpha = 0.85;
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  };

  const points = (flat, across, up) => Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i + across], flat[2 * i + up]]);

  // On a line a cluster is an interval, drawn as high as the strip.
  function strip(flat, reach) {
    const [low, high] = [flat[0], flat[flat.length - 2]];
    return [[low, -reach], [high, -reach], [high, reach], [low, reach]];
  }

  Sbmds.makeClusters = (model, { select, showOnMap }) => {
    const { clusters } = model;
    byId("clusters").hidden = byId("outlines-control").hidden = !clusters;
    if (!clusters) return { paint: () => {}, mark: () => {} };
    const { n_draws: nDraws, n_available: nAvailable, hdbscan } = clusters.summary;
    byId("clusters-note").textContent =
      `HDBSCAN of ${Sbmds.plural(nDraws, "draw")} of ${count(nAvailable)}, with clusters of ${count(hdbscan.min_cluster_size)} objects or more. What the draws disagree on, the map leaves open.`;
    const canvas = element("canvas", { role: "img" });
    const button = element("button", { type: "button", id: "show-clusters", onclick: showOnMap }, "Show on the map above");
    byId("clusters-figures").replaceChildren(
      element("figure", {}, element("h3", {}, `Outlines of ${Sbmds.plural(clusters.draws.length, "draw")}`), canvas,
        element("figcaption", { class: "note" }, "Locations shown, coloured by consensus cluster and fainter where less certain; grey is noise. Lines are the convex outlines of each draw's clusters, each draw aligned to the map.", " ", button)));
    const heat = Sbmds.makeHeatMap(model, byId("clusters-figures"), { select });
    byId("clusters-numbers").replaceChildren(element("div", { class: "cluster-numbers" }, numbers(clusters), countChart(clusters.summary)), ...consensusTable(model));
    let axes = model.dims > 1 ? [0, 1] : [0, 0];

    function drawFigure() {
      const painted = Sbmds.paint(model, clusters.column, new Set());
      const height = model.dims === 1 ? 200 : FIGURE.height;
      const ratio = 2;
      Object.assign(canvas, { width: FIGURE.width * ratio, height: height * ratio });
      canvas.setAttribute("aria-label", `Map of ${Sbmds.plural(model.n, "object")} on ${model.dims === 1 ? "one axis" : `axes ${axes[0] + 1} and ${axes[1] + 1}`} by consensus cluster, with the outlines of the clusters of ${Sbmds.plural(clusters.draws.length, "draw")}`);
      const ctx = canvas.getContext("2d");
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      const scene = Object.assign(Sbmds.makeScene(model, axes), { colours: painted.colours, shapes: painted.shapes, radius: 0.8 * Sbmds.pointRadius(model.n, 1) });
      const camera = Sbmds.makeCamera();
      camera.resize(FIGURE.width, height);
      const { low, high } = scene.bounds();
      camera.setHome(low, high);
      Sbmds.drawPlain(ctx, scene, camera);
      Sbmds.drawOutlines(ctx, clusters, camera, axes, scene.heights);
    }
    return {
      paint: () => { drawFigure(); heat.draw(); },
      mark: (shown) => { axes = shown; drawFigure(); },
    };
  };

  const interval = (spread, digits) => (spread ? `${number(spread.mean, digits)}, 95% in [${number(spread.q2_5, digits)}, ${number(spread.q97_5, digits)}]` : "–");

  const shares = (counts, total) => Object.entries(counts).sort((a, b) => b[1] - a[1]).slice(0, 6).map(([what, n]) => `${what} in ${percent(n / total)}`).join(", ");

  // A sum of rounding errors is nothing.
  const bits = (value) => (Number.isFinite(value) ? Math.max(0, value).toFixed(3) : "–");

  function numbers({ summary }) {
    const { truth, noise, consensus, n_draws: nDraws } = summary;
    const lines = [
      ["clusters", `${count(summary.mode_clusters)} in most draws`],
      ["noise", `${interval(noise, 4)} objects`],
      ["consensus", `${Sbmds.plural(consensus.n_clusters, "cluster")}, ${count(consensus.n_noise)} objects noise; mean confidence ${number(consensus.mean_confidence, 3)}, ${bits(consensus.expected_variation)} bits from a draw on average`],
    ];
    if (truth) {
      lines.push(["true classes", `column ${truth.column}: ${count(truth.n_classes)} classes${truth.n_unknown ? `, ${Sbmds.plural(truth.n_unknown, "object")} without` : ""}`],
        ["classes found", `${shares(truth.classes_found, nDraws)} of draws`],
        ["error", `${interval(truth.error, 3)} (mean over clusters, noise left out)`],
        ["error, pooled", `${interval(truth.pooled_error, 3)} (over objects in clusters)`],
        ["adjusted Rand index", interval(truth.rand_index, 3)],
        ["same, without noise", interval(truth.rand_index_clustered, 3)]);
    }
    return element("dl", { class: "summary" }, lines.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
  }

  // How many draws have how many clusters.
  function countChart({ cluster_counts: counts, n_draws: nDraws, mode_clusters: mode }) {
    const rows = Object.entries(counts).map(([clusters, draws]) => [Number(clusters), draws]).sort((a, b) => a[0] - b[0]);
    const [step, bar, height, left] = [54, 34, 150, 6];
    const most = Math.max(...rows.map(([, draws]) => draws));
    const width = Math.max(240, left + rows.length * step);
    const chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Number of clusters: ${rows.map(([clusters, draws]) => `${clusters} in ${draws} draws`).join(", ")}` });
    chart.style.maxWidth = `${width}px`;
    rows.forEach(([clusters, draws], i) => {
      const [x, top] = [left + i * step, height - 34 - (100 * draws) / most];
      chart.append(
        svg("rect", { x, y: top, width: bar, height: height - 34 - top, fill: clusters === mode ? "var(--accent)" : "var(--other)" }),
        svg("text", { x: x + bar / 2, y: top - 4, "text-anchor": "middle" }, percent(draws / nDraws)),
        svg("text", { x: x + bar / 2, y: height - 19, "text-anchor": "middle" }, String(clusters)));
    });
    chart.append(svg("path", { class: "axis", d: `M0 ${height - 34}H${width}` }), svg("text", { x: left, y: height - 3 }, "clusters in a draw"));
    return element("figure", { class: "count-chart" }, element("h3", {}, "Number of clusters"), element("div", { class: "scroll" }, chart));
  }

  // The commonest word of a column among the members of each cluster; null without such a column.
  function majorities(model) {
    const { clusters } = model;
    const name = clusters.summary.truth?.column;
    const label = model.labels.find((one) => one.name === name && one.kind === "categorical" && one !== clusters.column);
    if (!label) return null;
    const tallies = clusters.clusters.map(() => new Map());
    clusters.codes.forEach((cluster, object) => {
      const code = label.codes[object];
      if (cluster !== NOISE && code !== NOISE) tallies[cluster].set(code, (tallies[cluster].get(code) || 0) + 1);
    });
    return tallies.map((tally) => {
      const [code, n] = [...tally].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] || [];
      const total = [...tally.values()].reduce((sum, value) => sum + value, 0);
      return n ? `${label.levels[code]} (${percent(n / total)})` : "–";
    });
  }

  function consensusTable(model) {
    const { clusters, noise } = model.clusters;
    const found = majorities(model);
    const swatch = (cluster) => svg("svg", { class: "swatch", viewBox: "-1.3 -1.3 2.6 2.6", "aria-hidden": "true" },
      svg("path", { d: Sbmds.shapePaths[0], style: `fill: var(${cluster >= 0 && cluster < 8 ? `--c${cluster + 1}` : "--other"})` }));
    const row = (name, { size, confidence }, cluster) => element("tr", {}, element("td", {}, swatch(cluster), ` ${name}`), element("td", {}, count(size)),
      element("td", {}, number(confidence, 3)), ...(found ? [element("td", {}, found[cluster] ?? "")] : []));
    const rows = clusters.slice(0, MOST_ROWS).map((one, cluster) => row(`cluster ${cluster}`, one, cluster));
    if (noise.size) rows.push(row("noise", noise, -1));
    const head = ["cluster", "objects", "mean confidence", ...(found ? [`most are (${model.clusters.summary.truth.column})`] : [])];
    const rest = clusters.length - MOST_ROWS;
    return [element("h3", {}, "Consensus"),
      element("p", { class: "note" }, `The partition nearest to all draws. An object's confidence is its mean probability of sharing a cluster with the other members of its own; of noise, of being noise.${rest > 0 ? ` The largest ${MOST_ROWS} of ${count(clusters.length)} clusters.` : ""}`),
      element("div", { class: "scroll" }, element("table", { id: "consensus-table", "aria-label": "Consensus clusters" },
        element("thead", {}, element("tr", {}, head.map((name) => element("th", { scope: "col" }, name)))), element("tbody", {}, rows)))];
  }
})();
