// Who shares a cluster with whom: probabilities between bins of objects, in the order of the consensus, on a canvas.
"use strict";
(() => {
  const { element, byId, count, percent } = Sbmds;
  const SIDE = 430; // CSS pixels of the square
  const [LEFT, TOP, RIGHT] = [44, 24, 14]; // room for the names of clusters
  const RATIO = 2;
  const NOISE = 65535;
  const ROOM = 13; // pixels a name needs

  Sbmds.makeHeatMap = (model, holder, { select }) => {
    const { heat, codes } = model.clusters;
    const nBins = heat.ends.length;
    const starts = heat.ends.map((_, bin) => (bin ? heat.ends[bin - 1] : 0));
    const rowStart = (row) => row * nBins - (row * (row - 1)) / 2;
    const probability = (a, b) => heat.together[rowStart(Math.min(a, b)) + Math.abs(a - b)] / 65535;
    const groups = groupsOf(heat, codes);
    const canvas = element("canvas", { id: "heat-map", role: "img", "aria-label":
      `Probability that two objects share a cluster, for ${nBins === model.n ? "all pairs" : `${nBins} bins`} of ${Sbmds.plural(model.n, "object")} in the order of the consensus. ${groups.map(describe).join(" ")}` });
    const tip = element("div", { class: "tip", hidden: "" });
    const ramp = element("div", { class: "ramp" });
    holder.append(element("figure", { class: "heat" }, element("h3", {}, "Who shares a cluster with whom"), element("div", { class: "heat-stage" }, canvas, tip),
      element("div", { class: "heat-scale legend", "aria-hidden": "true" }, ramp, element("div", { class: "ends" }, ...["0", "probability of sharing a cluster", "1"].map((text) => element("span", {}, text)))),
      element("figcaption", { class: "note" }, `${nBins === model.n ? "Every object" : `Objects in ${nBins} bins of about ${count(model.n / nBins)}`}, by consensus cluster and the surest first; lines part the clusters. Dark squares on the diagonal are clusters that the draws agree on.`)));

    const across = (index) => LEFT + (index / model.n) * SIDE;
    const down = (index) => TOP + (index / model.n) * SIDE;
    const device = (pixel) => Math.round(pixel * RATIO);

    function describe(group) {
      const [first, last] = [heat.ends.indexOf(group.end), heat.ends.findIndex((end) => end > group.start)];
      let [sum, pairs] = [0, 0];
      for (let a = last; a <= first; a++) {
        for (let b = a; b <= first; b++) {
          const weight = (heat.ends[a] - starts[a]) * (heat.ends[b] - starts[b]);
          sum += weight * probability(a, b);
          pairs += weight;
        }
      }
      return `Within ${group.name}: ${percent(sum / pairs)}.`;
    }

    function draw() {
      const stops = ["--raised", "--s2", "--ink"].map(Sbmds.themeColour).map(Sbmds.rgb);
      const shade = Array.from({ length: 256 }, (_, i) => `rgb(${Sbmds.between(stops, i / 255)})`);
      ramp.style.background = `linear-gradient(90deg, ${stops.map((stop) => `rgb(${stop})`).join(", ")})`;
      Object.assign(canvas, { width: (LEFT + SIDE + RIGHT) * RATIO, height: (TOP + SIDE + 1) * RATIO });
      const ctx = canvas.getContext("2d");
      for (let row = 0; row < nBins; row++) {
        const [top, bottom] = [device(down(starts[row])), device(down(heat.ends[row]))];
        for (let column = 0; column < nBins; column++) {
          const [left, right] = [device(across(starts[column])), device(across(heat.ends[column]))];
          ctx.fillStyle = shade[Math.round(255 * probability(row, column))];
          ctx.fillRect(left, top, right - left, bottom - top);
        }
      }
      ctx.setTransform(RATIO, 0, 0, RATIO, 0, 0);
      drawGroups(ctx);
    }

    function drawGroups(ctx) {
      ctx.strokeStyle = Sbmds.themeColour("--bad");
      ctx.lineWidth = 0.8;
      ctx.globalAlpha = groups.length > 40 ? 0.25 : 0.8;
      ctx.beginPath();
      for (const { end } of groups.slice(0, -1)) {
        ctx.moveTo(across(end), TOP); ctx.lineTo(across(end), TOP + SIDE);
        ctx.moveTo(LEFT, down(end)); ctx.lineTo(LEFT + SIDE, down(end));
      }
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.strokeStyle = Sbmds.themeColour("--line");
      ctx.strokeRect(LEFT, TOP, SIDE, SIDE);
      ctx.fillStyle = Sbmds.themeColour("--soft");
      ctx.font = `11px ${Sbmds.themeColour("--sans")}`;
      ctx.textBaseline = "middle";
      let free = LEFT;
      for (const { start, end, short } of groups) {
        if (across(end) - across(start) < ROOM) continue;
        ctx.textAlign = "right";
        ctx.fillText(short, LEFT - 6, down((start + end) / 2));
        const half = ctx.measureText(short).width / 2;
        const middle = Math.min(across((start + end) / 2), LEFT + SIDE + RIGHT - half);
        if (middle - half < free) continue;
        ctx.textAlign = "center";
        ctx.fillText(short, middle, TOP - 10);
        free = middle + half + 6;
      }
    }

    const binAt = (pixel) => {
      const index = (pixel / SIDE) * model.n;
      return index < 0 || index >= model.n ? -1 : heat.ends.findIndex((end) => end > index);
    };
    function binsUnder(event) {
      const box = canvas.getBoundingClientRect();
      const shrunk = (LEFT + SIDE + RIGHT) / box.width;
      return [(event.clientY - box.top) * shrunk - TOP, (event.clientX - box.left) * shrunk - LEFT].map(binAt);
    }
    function binText(bin) {
      const objects = heat.order.subarray(starts[bin], heat.ends[bin]);
      const code = codes[objects[0]];
      const names = [...objects.subarray(0, 2)].map((object) => Sbmds.shorten(model.names[object], 24)).join(", ");
      return `${names}${objects.length > 2 ? ` and ${count(objects.length - 2)} more` : ""} (${code === NOISE ? "noise" : `cluster ${code}`})`;
    }
    canvas.addEventListener("pointermove", (event) => {
      const [row, column] = binsUnder(event);
      tip.hidden = row < 0 || column < 0;
      if (tip.hidden) return;
      const box = canvas.getBoundingClientRect();
      tip.replaceChildren(element("b", {}, `together with probability ${probability(row, column).toFixed(2)}`), ...[...new Set([row, column])].map((bin) => element("div", {}, binText(bin))));
      const left = event.clientX - box.left;
      tip.style.left = `${left + 14 + tip.offsetWidth > box.width ? Math.max(0, left - tip.offsetWidth - 14) : left + 14}px`;
      tip.style.top = `${event.clientY - box.top + 14}px`;
    });
    canvas.addEventListener("pointerleave", () => (tip.hidden = true));
    canvas.addEventListener("click", (event) => {
      const [row] = binsUnder(event);
      if (row >= 0 && heat.ends[row] - starts[row] === 1) select(heat.order[starts[row]], true);
    });
    return { draw };
  };

  // Runs of objects of one consensus cluster, in the order shown.
  function groupsOf(heat, codes) {
    const groups = [];
    heat.order.forEach((object, index) => {
      const code = codes[object];
      if (!groups.length || groups.at(-1).code !== code) groups.push({ code, start: index, end: index, name: code === NOISE ? "noise" : `cluster ${code}`, short: code === NOISE ? "noise" : String(code) });
      groups.at(-1).end = index + 1;
    });
    return groups;
  }
})();
