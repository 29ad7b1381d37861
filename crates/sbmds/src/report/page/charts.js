// Charts in SVG, so that they follow the theme and print as lines: traces, rank histograms and the Shepard plot.
"use strict";
(() => {
  const { element, svg, number } = Sbmds;
  const N_COLOURS = 8;
  const narrow = () => matchMedia("screen and (max-width: 860px)").matches; // texts in a chart keep their size on small screens
  const chainColour = (chain) => `var(--c${(chain % N_COLOURS) + 1})`;

  function extent(values) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (!(high >= low)) return [0, 1];
    const pad = (high - low || Math.abs(high) || 1) * 0.04;
    return [low - pad, high + pad];
  }

  // A frame with ticks, and functions from values to pixels.
  function frame({ width, height, left = 52, bottom = 30, xRange, yRange, xLabel, yLabel, label, nX = 6, nY = 4 }) {
    const [top, right] = [10, 15];
    const x = (value) => left + ((value - xRange[0]) / (xRange[1] - xRange[0])) * (width - left - right);
    const y = (value) => height - bottom - ((value - yRange[0]) / (yRange[1] - yRange[0])) * (height - bottom - top);
    const [xs, ys] = [Sbmds.ticks(...xRange, nX), Sbmds.ticks(...yRange, nY)];
    const chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    chart.append(
      svg("path", { class: "grid", d: [...xs.map((v) => `M${x(v)} ${top}V${height - bottom}`), ...ys.map((v) => `M${left} ${y(v)}H${width - right}`)].join("") }),
      ...xs.map((v) => svg("text", { x: x(v), y: height - bottom + 14, "text-anchor": "middle" }, Sbmds.tickText(v, xs))),
      ...ys.map((v) => svg("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, Sbmds.tickText(v, ys))));
    if (xLabel) chart.append(svg("text", { x: width - right, y: height - 2, "text-anchor": "end" }, xLabel));
    if (yLabel) chart.append(svg("text", { x: left, y: top - 1, "text-anchor": "start", dy: "-2" }, yLabel));
    return { chart, x, y };
  }

  Sbmds.chartFrame = frame;

  function traceChart(trace, chains) {
    const length = trace.values.length / chains;
    const { chart, x, y } = frame({
      width: narrow() ? 360 : 640, height: 170, xRange: [0, Math.max(1, length * (trace.thin || 1))], yRange: extent(trace.values), xLabel: "draw",
      label: `Trace of ${trace.name}: ${chains} chains over ${length * (trace.thin || 1)} draws`,
    });
    for (let chain = 0; chain < chains; chain++) {
      let path = "";
      for (let i = 0; i < length; i++) {
        const value = trace.values[chain * length + i];
        if (Number.isFinite(value)) path += `${path ? "L" : "M"}${x(i * (trace.thin || 1)).toFixed(1)} ${y(value).toFixed(1)}`;
      }
      chart.append(svg("path", { d: path, fill: "none", stroke: chainColour(chain), "stroke-width": 0.9, "stroke-opacity": 0.75, "stroke-linejoin": "round" }));
    }
    return chart;
  }

  // One small histogram of ranks per chain: chains that mix have level ones. The line is what level means.
  function rankChart(trace, chains) {
    const bins = trace.ranks.length / chains;
    const [width, left, gap] = [narrow() ? 360 : 420, 8, 12];
    const columns = Math.min(chains, 4);
    const rows = Math.ceil(chains / columns);
    const height = rows === 1 ? 170 : 85 * rows;
    const [cellWidth, cellHeight] = [(width - left) / columns, (height - 26) / rows];
    const most = Math.max(1, ...trace.ranks);
    const chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Rank histograms of ${trace.name}, one for each of ${chains} chains` });
    for (let chain = 0; chain < chains; chain++) {
      const [x0, y0] = [left + (chain % columns) * cellWidth, 10 + Math.floor(chain / columns) * cellHeight + cellHeight - 14];
      const room = cellHeight - 20;
      const counts = [...trace.ranks.subarray(chain * bins, (chain + 1) * bins)];
      const barWidth = (cellWidth - gap) / bins;
      const bars = counts.map((count, i) => `M${(x0 + i * barWidth).toFixed(1)} ${y0}v${(-room * count / most).toFixed(1)}h${(barWidth * 0.86).toFixed(1)}V${y0}Z`).join("");
      const level = y0 - (room * counts.reduce((sum, count) => sum + count, 0)) / bins / most;
      chart.append(svg("path", { d: bars, fill: chainColour(chain), "fill-opacity": 0.8 }), svg("path", { class: "axis", d: `M${x0} ${y0}h${cellWidth - gap}` }),
        svg("path", { d: `M${x0} ${level}h${cellWidth - gap}`, stroke: "var(--ink)", "stroke-width": 1, "stroke-dasharray": "3 3" }),
        svg("text", { x: x0, y: y0 + 14 }, `chain ${chain}`));
    }
    return chart;
  }

  Sbmds.drawTraces = (model) => {
    const chains = model.raw.n_chains || 1;
    const holder = Sbmds.byId("traces");
    const rows = model.traces.filter((trace) => trace.values?.length).map((trace) => element("div", { class: "trace" },
      element("h3", {}, trace.name === "lp" ? "log density" : trace.name,
        element("small", {}, `R-hat ${number(trace.rhat)} · bulk ESS ${Sbmds.count(trace.ess_bulk ?? NaN)} · tail ESS ${Sbmds.count(trace.ess_tail ?? NaN)}`)),
      element("figure", {}, traceChart(trace, chains)), element("figure", {}, trace.ranks ? rankChart(trace, chains) : "")));
    if (rows.length) {
      holder.replaceChildren(element("p", { class: "note" },
        "Left: each chain draw by draw; chains that agree look like one band. Right: ranks of each chain's draws among all; chains that mix have bars level with the dashed line."), ...rows);
    }
  };

  // Observed dissimilarity against fitted distance with its 95% interval; pairs of the selected object stand out.
  Sbmds.makeShepard = (model, { select }) => {
    const { shepard } = model;
    const section = Sbmds.byId("shepard");
    if (!shepard || !shepard.observed.length) {
      section.hidden = true;
      return { highlight: () => {} };
    }
    const nShown = shepard.observed.length;
    const [low, high] = extent([...shepard.observed, ...shepard.low, ...shepard.high, ...Sbmds.worstEnds(model)].filter(Number.isFinite));
    const range = [low < 0.15 * high ? 0 : low, high];
    const [width, height] = narrow() ? [360, 320] : [800, 500];
    const { chart, x, y } = frame({
      width, height, bottom: 38, xRange: range, yRange: range, xLabel: "observed dissimilarity", yLabel: "fitted distance", nX: 7, nY: 6,
      label: `Shepard plot: fitted distance against observed dissimilarity of ${nShown} pairs, with 95% intervals`,
    });
    const intervals = (pairs) => pairs.map((i) => `M${x(shepard.observed[i]).toFixed(1)} ${y(shepard.low[i]).toFixed(1)}V${y(shepard.high[i]).toFixed(1)}`).join("");
    const dots = (pairs) => pairs.map((i) => `M${x(shepard.observed[i]).toFixed(1)} ${y(shepard.mean[i]).toFixed(1)}h0`).join("");
    const band = Sbmds.predictiveBand(model, range, x, y);
    const all = Array.from({ length: nShown }, (_, i) => i);
    const faint = nShown > 600 ? 0.22 : 0.4;
    const marked = svg("path", { fill: "none", stroke: "var(--bad)", "stroke-width": 1.4 });
    const markedDots = svg("path", { fill: "none", stroke: "var(--bad)", "stroke-width": 6, "stroke-linecap": "round" });
    chart.append(
      svg("path", { d: `M${x(range[0])} ${y(range[0])}L${x(range[1])} ${y(range[1])}`, stroke: "var(--soft)", "stroke-dasharray": "4 4", fill: "none" }),
      svg("path", { d: band ?? "", stroke: "var(--soft)", "stroke-dasharray": "1.5 3", fill: "none" }),
      svg("path", { d: intervals(all), stroke: "var(--plain)", "stroke-opacity": faint, fill: "none" }),
      svg("path", { d: dots(all), stroke: "var(--plain)", "stroke-opacity": nShown > 600 ? 0.6 : 0.9, "stroke-width": nShown > 600 ? 3 : 4.5, "stroke-linecap": "round", fill: "none" }),
      marked, markedDots);
    Sbmds.nameWorstPairs(model, chart, { x, y, width });
    const tip = element("div", { class: "tip", hidden: "" });
    Sbmds.byId("shepard-plot").replaceChildren(chart, tip);
    const note = `A sample of ${Sbmds.count(nShown)} of ${Sbmds.count(shepard.n_pairs)} pairs.`;
    Sbmds.byId("shepard-note").textContent =
      `${nShown < shepard.n_pairs ? note : `All ${Sbmds.count(nShown)} pairs.`} Bars are 95% intervals of the fitted distance; on the dashed line the map agrees with what was observed.${band ? Sbmds.bandNote(model) : ""}`;

    const mark = (pairs) => { marked.setAttribute("d", intervals(pairs)); markedDots.setAttribute("d", dots(pairs)); };
    let chosen = [];
    let under = -1;
    chart.addEventListener("pointermove", (event) => {
      const box = chart.getBoundingClientRect();
      const [px, py] = [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
      let best = 12 ** 2;
      under = -1;
      for (let i = 0; i < nShown; i++) {
        const distance = (x(shepard.observed[i]) - px) ** 2 + (y(shepard.mean[i]) - py) ** 2;
        if (distance < best) [under, best] = [i, distance];
      }
      tip.hidden = under < 0;
      mark(under < 0 ? chosen : [under]);
      if (under < 0) return;
      tip.replaceChildren(element("b", {}, `${model.names[shepard.a[under]]} – ${model.names[shepard.b[under]]}`),
        element("div", {}, `observed ${number(shepard.observed[under])}`),
        element("div", {}, `fitted ${number(shepard.mean[under])}, 95% in [${number(shepard.low[under])}, ${number(shepard.high[under])}]`));
      const left = event.clientX - box.left;
      tip.style.left = `${left + 14 + tip.offsetWidth > box.width ? Math.max(0, left - tip.offsetWidth - 14) : left + 14}px`;
      tip.style.top = `${event.clientY - box.top + 14}px`;
    });
    chart.addEventListener("pointerleave", () => { tip.hidden = true; under = -1; mark(chosen); });
    chart.addEventListener("click", () => { if (under >= 0) select(shepard.a[under], true); });
    return { highlight: (object) => { chosen = object < 0 ? [] : all.filter((i) => shepard.a[i] === object || shepard.b[i] === object); mark(chosen); } };
  };
})();
