// Diffusion along a tree: its rates as densities, and the tree over the map, from the root to the tips.
"use strict";
(() => {
  const { element, svg, byId, number, chartFrame } = Sbmds;
  const NONE = 4294967295;
  const SHADES = 7; // colours of time, from the root to the latest tip

  // The section of that kind, decoded; null if the run was fitted without a tree.
  Sbmds.readTree = (sections, unpack) => {
    const section = (sections || []).find(({ kind }) => kind === "tree");
    if (!section) return null;
    const rates = section.rates.map((rate) => ({ ...rate, all: unpack(rate.all), chains: unpack(rate.chains) }));
    const { nodes } = section;
    const unpacked = nodes && { parents: unpack(nodes.parents), objects: unpack(nodes.objects), times: unpack(nodes.times), mean: unpack(nodes.mean) };
    return { ...section, rates, nodes: unpacked };
  };

  Sbmds.makeTree = (model, { select }) => {
    const { tree } = model;
    byId("tree").hidden = !tree;
    if (!tree) return { mark: () => {} };
    byId("tree-note").textContent = `Locations diffuse along ${tree.tree}, whose branches are ${number(tree.total_length)} units of time long in all. Rates are in squares of the map's unit.`;
    const holder = element("div", {});
    byId("tree-figures").replaceChildren(element("div", {}, ...tree.rates.map((rate) => rateFigure(rate, model.raw.n_chains)), branchTable(tree.branches)), holder);
    const draw = (axes) => holder.replaceChildren(...(tree.nodes ? [treeFigure(model, axes, select)] : [element("p", { class: "note" }, "This run kept no locations, so that nothing is known of its ancestors.")]));
    draw(model.dims > 1 ? [0, 1] : [0, 0]);
    return { mark: draw };
  };

  function rateFigure(rate, chains) {
    const [low, high] = rate.range;
    const n = rate.all.length;
    const top = Math.max(...rate.all, ...rate.chains);
    const { chart, x, y } = chartFrame({
      width: 520, height: 210, xRange: rate.range, yRange: [0, 1.06 * top], nY: 3,
      label: `Posterior density of ${rate.name}: mean ${number(rate.mean)}, 95% between ${number(rate.interval[0])} and ${number(rate.interval[1])}`,
    });
    const path = (values, from) => Array.from({ length: n }, (_, k) => `${k ? "L" : "M"}${x(low + ((high - low) * k) / (n - 1)).toFixed(1)} ${y(values[from + k]).toFixed(1)}`).join("");
    const [left, right] = rate.interval.map(x);
    chart.append(svg("rect", { x: left, y: 10, width: right - left, height: y(0) - 10, fill: "var(--accent)", opacity: 0.08 }));
    for (let chain = 0; chain < chains; chain++) chart.append(svg("path", { d: path(rate.chains, chain * n), fill: "none", stroke: `var(--c${(chain % 8) + 1})`, "stroke-width": 0.8, "stroke-opacity": 0.8 }));
    chart.append(svg("path", { d: path(rate.all, 0), fill: "none", stroke: "var(--ink)", "stroke-width": 1.8 }), svg("path", { d: `M${x(rate.mean)} ${y(0)}V10`, stroke: "var(--accent)", "stroke-dasharray": "3 3" }));
    return element("figure", { class: "rate" }, element("h3", {}, rate.name, element("small", {}, `${number(rate.mean)}, 95% in [${number(rate.interval[0])}, ${number(rate.interval[1])}]`)), chart,
      element("figcaption", { class: "note" }, `${rate.meaning}. Black: all draws; thin: each chain.`));
  }

  function branchTable(branches) {
    if (!branches) return "";
    const rows = [["rate, mean over branches", branches.diffusion_rate], ["rate, weighted by time", branches.weighted_diffusion_rate],
      ["coefficient, mean over branches", branches.diffusion_coefficient], ["coefficient, weighted by time", branches.weighted_diffusion_coefficient]];
    return element("div", {}, element("h3", {}, "Along the branches"),
      element("div", { class: "scroll" }, element("table", { id: "branch-table", "aria-label": "Branch statistics" },
        element("thead", {}, element("tr", {}, ["statistic", "mean", "5%", "95%"].map((name) => element("th", { scope: "col" }, name)))),
        element("tbody", {}, rows.map(([name, { mean, q5, q95 }]) => element("tr", {}, element("td", {}, name), ...[mean, q5, q95].map((value) => element("td", {}, number(value)))))))),
      element("p", { class: "note" }, "Rate: distance / time; coefficient: distance² / (4 time), with ancestors drawn from their posterior, as BEAST logs them."));
  }

  // Branches from ancestor to descendant, the later the lighter; one path for each shade, so that large trees stay quick.
  function treeFigure(model, axes, select) {
    const { parents, objects, times, mean } = model.tree.nodes;
    const { dims } = model;
    const at = (node, side) => (dims === 1 && side === 1 ? times[node] : mean[node * dims + axes[side]]);
    const [latest, all] = [Math.max(...Array.from(times)), [0, 1].map((side) => Array.from(times, (_, node) => at(node, side)))];
    const ranges = all.map((values) => { const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]; const pad = 0.04 * (high - low || 1); return [low - pad, high + pad]; });
    const [width, height] = [560, 480];
    const [unit, plot] = [Math.max((ranges[0][1] - ranges[0][0]) / (width - 67), (ranges[1][1] - ranges[1][0]) / (height - 40)), [width - 67, height - 40]];
    const equal = dims === 1 ? ranges : ranges.map(([low, high], side) => [(low + high) / 2 - (unit * plot[side]) / 2, (low + high) / 2 + (unit * plot[side]) / 2]);
    const label = dims === 1 ? ["Axis 1", "Time from the root"] : axes.map((axis) => Sbmds.axisName(model, axis));
    const { chart, x, y } = chartFrame({ width, height, xRange: equal[0], yRange: equal[1], nX: 6, nY: 6, xLabel: label[0], yLabel: label[1],
      label: `The tree over the map on ${label.join(" and ")}: ${Sbmds.plural(model.n, "tip")}, with the mean locations of their ancestors` });
    const ranks = new Uint32Array(times.length);
    Array.from(times.keys()).sort((a, b) => times[a] - times[b]).forEach((node, rank) => { ranks[node] = rank; });
    const shade = (node) => Math.floor((SHADES * ranks[node]) / times.length);
    const point = (node) => `${x(at(node, 0)).toFixed(1)} ${y(at(node, 1)).toFixed(1)}`;
    const paths = Array.from({ length: SHADES }, () => []);
    parents.forEach((parent, node) => { if (parent !== NONE) paths[shade(node)].push(`M${point(parent)}L${point(node)}`); });
    paths.forEach((lines, k) => chart.append(svg("path", { class: "branches", d: lines.join(""), fill: "none", stroke: `var(--s${k})`, "stroke-width": 0.8, "stroke-opacity": 0.75 })));
    objects.forEach((object, node) => {
      if (object === NONE) return;
      const dot = svg("circle", { cx: x(at(node, 0)).toFixed(1), cy: y(at(node, 1)).toFixed(1), r: model.n > 300 ? 1.8 : 3, fill: `var(--s${shade(node)})` });
      dot.append(svg("title", {}, `${model.names[object]}, time ${number(times[node])}`));
      dot.addEventListener("click", () => select(object));
      chart.append(dot);
    });
    const root = parents.length - 1;
    chart.append(svg("path", { class: "root", d: `M${point(root)}m-6 0h12m-6 -6v12`, stroke: "var(--ink)", "stroke-width": 1.6 }, svg("title", {}, "root")));
    return element("figure", { class: "tree-map" }, element("h3", {}, "The tree over the map"), chart,
      element("figcaption", { class: "note" }, `Lines are branches between mean locations, from the root (cross) to the tips (dots); colours follow the order of the nodes in time, from 0 to ${number(latest)} after the root.`));
  }
})();
