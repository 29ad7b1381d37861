// Does the map describe the data? The second verdict, beside that on the chains, and the pairs that fit worst.
"use strict";
(() => {
  const { element, svg, byId, number } = Sbmds;
  const NORMAL_95 = 1.96; // 95% of a normal distribution lie within so many standard deviations

  const verdictOf = (model) => model.raw.map_verdict || null;
  const found = (model, finding) => Boolean(verdictOf(model)?.findings?.includes(finding));

  // With ellipses as large as the map, a map without them would lie.
  Sbmds.needsEllipses = (model) => model.hasCovariance && found(model, "undetermined");

  Sbmds.showMapVerdict = (model) => {
    const verdict = verdictOf(model);
    const [chains, map] = [byId("verdict"), byId("map-verdict")];
    map.hidden = !verdict;
    if (!verdict) return;
    chains.prepend(element("p", { class: "about" }, "Chains: do they agree?"));
    map.classList.toggle("bad", !verdict.describes_data);
    const [, first, rest] = /^(.*?[.?](?= |$))(.*)$/s.exec(verdict.verdict) || [null, verdict.verdict, ""];
    map.replaceChildren(element("p", { class: "about" }, "Map: does it describe the data?"), element("p", {}, element("strong", {}, first), rest));
    if (found(model, "not_carried_over")) chains.before(map); // no longer chain mends that
  };

  // Lines parallel to the diagonal: at a given distance, 95% of dissimilarities are expected between them.
  Sbmds.predictiveBand = (model, [low, high], x, y) => {
    const width = NORMAL_95 * (verdictOf(model)?.sigma ?? NaN);
    if (!(width < high - low)) return null;
    const line = (shift) => {
      const [from, to] = [Math.max(low, low - shift), Math.min(high, high - shift)];
      return `M${x(from + shift).toFixed(1)} ${y(from).toFixed(1)}L${x(to + shift).toFixed(1)} ${y(to).toFixed(1)}`;
    };
    return line(width) + line(-width);
  };

  Sbmds.bandNote = (model) => {
    const share = verdictOf(model)?.coverage;
    const covered = Number.isFinite(share) ? ` (${(100 * share).toFixed(1)}% of those observed lie in their own 95% predictive interval)` : "";
    return ` Between the dotted lines the model expects 95% of the dissimilarities at a given distance${covered}.`;
  };

  // The pairs that fit worst, ringed and named in the Shepard plot where a name covers no other; the table has all of them.
  const [MOST_NAMED, LONGEST_NAME] = [6, 40];
  const shortened = (name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name);
  Sbmds.worstEnds = (model) => (verdictOf(model)?.worst_pairs || []).slice(0, MOST_NAMED).flatMap((pair) => [pair.observed, pair.fitted]);
  Sbmds.nameWorstPairs = (model, chart, { x, y, width }) => {
    const taken = [];
    const isFree = (box) => taken.every((other) => box.right < other.left || other.right < box.left || box.bottom < other.top || other.bottom < box.top);
    for (const pair of (verdictOf(model)?.worst_pairs || []).slice(0, MOST_NAMED)) {
      const [px, py] = [x(pair.observed), y(pair.fitted)];
      const ring = svg("circle", { class: "worst", cx: px.toFixed(1), cy: py.toFixed(1), r: 5 });
      ring.append(svg("title", {}, `${pair.a} – ${pair.b}`));
      chart.append(ring);
      const name = shortened(`${pair.a} – ${pair.b}`);
      const room = 6.2 * name.length; // letters are about so wide
      // Away from the diagonal, where the other pairs are, if there is room.
      const toTheLeft = px + 8 + room > width || (pair.fitted > pair.observed && px - 8 - room > x(0));
      const left = toTheLeft ? px - 8 - room : px + 8;
      const box = { left, right: left + room, top: py - 7, bottom: py + 6 };
      if (left < 0 || !isFree(box)) continue;
      taken.push(box);
      chart.append(svg("text", { class: "worst", x: toTheLeft ? px - 8 : px + 8, y: py + 4, "text-anchor": toTheLeft ? "end" : "start" }, name));
    }
  };

  Sbmds.makeWorstPairs = (model, { select }) => {
    const pairs = verdictOf(model)?.worst_pairs || [];
    const holder = byId("worst-pairs");
    holder.hidden = !pairs.length;
    if (!pairs.length) return;
    const plain = (name, key, title) => ({ name, title, value: (row) => pairs[row][key], text: (row) => number(pairs[row][key]), start: "descending" });
    const columns = [
      { name: "pair", value: (row) => pairs[row].a, start: "ascending" },
      plain("observed", "observed"), plain("fitted", "fitted", "Distance on the map"),
      { ...plain("residual in sigmas", "residual_in_sigmas", "Observed minus fitted"), value: (row) => Math.abs(pairs[row].residual_in_sigmas) },
    ];
    if (pairs.some((pair) => pair.predicted)) {
      columns.push({ name: "95% predictive interval", value: (row) => pairs[row].predicted?.[0], text: (row) => pairs[row].predicted?.map((end) => number(end)).join(" to ") ?? "–", start: "ascending" });
    }
    const table = element("div");
    holder.replaceChildren(element("h3", {}, "Pairs that fit worst"), table);
    Sbmds.makeTable(table, {
      label: "Pairs that fit worst", count: pairs.length, columns, noun: "pairs", sortBy: 3, sortDown: true,
      rowName: (row) => element("button", { type: "button", class: "link", onclick: () => select(model.names.indexOf(pairs[row].a), true) }, `${pairs[row].a} – ${pairs[row].b}`),
    });
  };
})();
