// The report comes to life: text from the data, controls wired to the map, one selected object shared by all parts.
"use strict";
(() => {
  const { element, byId, plural, count } = Sbmds;
  let finish;
  window.sbmds = { ready: new Promise((resolve) => (finish = resolve)), state: () => null };

  const text = byId("sbmds-data").textContent;
  const model = Sbmds.readModel(JSON.parse(text));
  const columns = Sbmds.colourColumns(model);
  const hidden = new Set();
  let column = Sbmds.firstColumn(model);
  let painted = null;

  const map = Sbmds.makeMap(model, { onHover: showHover, onDraw: showDrawNumber, onAxes: showAxes });
  const grid = Sbmds.makeAxesGrid(model, { onPick: (axes) => { map.setAxes(axes); byId("stage").scrollIntoView({ block: "center" }); } });
  const space = Sbmds.makeSpace(model, { select });
  const clusters = Sbmds.makeClusters(model, { select, showOnMap: showClusters });
  const tree = Sbmds.makeTree(model, { select });
  const titres = Sbmds.makeTitres(model, { select });
  let shepard = null;
  const makeTable = () => Sbmds.makeObjectTable(model, { select, selected: () => map.view.selected });
  let table = makeTable();

  function select(object, scroll) {
    map.view.selected = object;
    if (object >= 0) map.bringIntoView(object);
    space?.select(object);
    Sbmds.showCard(model, object, select);
    shepard?.highlight(object);
    table.refresh();
    map.request();
    if (object >= 0) byId("live").textContent = `${model.names[object]} selected`;
    if (scroll) byId("stage").scrollIntoView({ block: "center" });
  }

  function showHover(object) {
    Sbmds.showTip(model, object, map.view.axes, object < 0 ? [0, 0] : map.pixelOf(object), [map.camera.width, map.camera.height]);
  }

  function showDrawNumber(draw) {
    byId("draw").value = Math.max(0, draw + 1);
    byId("draw-number").textContent = draw < 0 ? model.shown.replace(/^posterior | of mode.*$/g, "") : `draw ${draw + 1} of ${model.draws.count}`;
  }

  function showAxes(axes) {
    grid?.mark(axes);
    clusters?.mark(axes);
    tree?.mark(axes);
    titres?.mark(axes);
    for (const [side, id] of [[0, "axis-x"], [1, "axis-y"]]) if (byId(id)) byId(id).value = axes[side];
    byId("stage").setAttribute("aria-label", `Map of ${plural(model.n, "object")}, ${model.shown} on ${model.dims === 1 ? "one axis" : `axes ${axes[0] + 1} and ${axes[1] + 1}`}. The table of objects below says the same in numbers.`);
  }

  function repaint() {
    painted = Sbmds.paint(model, column, hidden);
    map.setPaint(painted);
    grid.paint(painted);
    space?.paint(painted);
    clusters.paint();
    Sbmds.drawLegend(byId("legend"), painted.legend, hidden, toggleLevel);
  }

  // The first press shows one level alone; after that presses add and remove levels; none left means all.
  function toggleLevel(key) {
    const keys = painted.legend.entries.map((entry) => entry.key);
    if (!hidden.size) keys.filter((other) => other !== key).forEach((other) => hidden.add(other));
    else hidden.has(key) ? hidden.delete(key) : hidden.add(key);
    if (hidden.size === keys.length) hidden.clear();
    repaint();
    byId("legend").querySelectorAll("button")[keys.indexOf(key)]?.focus();
  }

  function colourBy(chosen) {
    column = chosen;
    byId("colour").value = chosen ? columns.indexOf(chosen) : "";
    hidden.clear();
    repaint();
  }

  function showClusters() {
    byId("outlines").checked = map.view.outlines = true;
    colourBy(model.clusters.column);
    byId("stage").scrollIntoView({ block: "center" });
  }

  // Another of the modes that chains are in.
  function showMap(number) {
    setPlaying(false);
    model.showMap(number);
    wirePlayer();
    map.showDraw(-1);
    map.setAxes(map.view.axes);
    space?.refresh();
    Sbmds.drawScree(model);
    table = makeTable();
    repaint();
    drawCharts();
    select(map.view.selected);
    byId("live").textContent = `Map of ${model.maps[number]}`;
  }

  function wirePlayer() {
    byId("player").hidden = !model.draws;
    byId("draw").max = model.draws ? model.draws.count : 0;
  }

  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", `Use ${theme === "dark" ? "light" : "dark"} colours`);
    repaint();
  }

  function writeHead() {
    const { verdict, n_pairs: nPairs, n_chains: nChains, n_draws: nDraws } = model.raw;
    const warnings = verdict?.warnings || [];
    if (verdict) {
      const [, word, rest] = /^([^:.]{3,30})([:.].*)?$/s.exec(verdict.text) || [null, verdict.text, ""];
      byId("verdict").classList.toggle("bad", !verdict.converged);
      byId("verdict").replaceChildren(element("p", {}, element("strong", {}, word), rest || ""),
        ...(warnings.length ? [element("ul", {}, warnings.map((warning) => element("li", {}, warning)))] : []));
      byId("convergence-verdict").textContent = verdict.text;
    } else byId("verdict").hidden = true;
    Sbmds.showMapVerdict(model);
    const parts = [plural(model.n, "object"), plural(model.dims, "dimension"), Number.isFinite(nPairs) ? plural(nPairs, "pair") : null,
      nChains ? `${plural(nChains, "chain")} of ${plural(nDraws, "draw")}` : null];
    byId("counts").textContent = parts.filter(Boolean).join(" · ");
    byId("summary").replaceChildren(...(model.raw.summary || []).flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
  }

  function writeFoot() {
    const { sbmds_version: version, config, citation } = model.raw;
    const [, seed] = /"seed":\s*(\d+)/.exec(text) || [null, "unknown"]; // from the text: seeds have 64 bits, JavaScript's numbers 53
    byId("made").textContent = `sbmds ${version}, seed ${seed}. The same version, input and configuration give the same draws.`;
    byId("config").textContent = config || "";
    byId("config-box").hidden = !config;
    byId("citation").textContent = citation || "";
    byId("cite").hidden = !citation;
    byId("objects-note").textContent = model.fit.stress
      ? "Stress is the root mean square difference between fitted distances and observed dissimilarities over an object's partners, the worst first; the residual is the mean of observed minus fitted, positive where the map puts an object too near. Press a name to see it on the map."
      : "Press a name to see it on the map.";
    byId("contents").replaceChildren(...[...document.querySelectorAll("main > section:not([hidden])")]
      .map((section) => element("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)));
    byId("map-help").replaceChildren(
      "Distances on the map are in the units of the data. ", model.dims === 1 ? "The map has one dimension: height only keeps objects apart and means nothing. " : "", model.draws ? "Playing the draws shows maps that are all about equally plausible: what holds still is certain. " : "",
      element("span", { class: "keys" }, "Drag to move, scroll to zoom, point to read, click to select; by keyboard: arrows, + and −, 0 for the whole map, Enter for the object in the middle, / to find one."));
  }

  function wireControls() {
    byId("colour").append(element("option", { value: "" }, "none"), ...columns.map((one, i) => element("option", { value: i }, one.name)));
    byId("colour").value = column ? columns.indexOf(column) : "";
    byId("colour").addEventListener("change", (event) => colourBy(event.target.value === "" ? null : columns[event.target.value]));
    for (const [id, key, possible] of [["ellipses", "ellipses", model.hasCovariance], ["cloud", "cloud", model.draws], ["names-shown", "names", true], ["outlines", "outlines", model.clusters]]) {
      byId(id).disabled = !possible;
      byId(id).addEventListener("change", (event) => { map.setLayer(key, event.target.checked); });
    }
    byId("ellipses").checked = map.view.ellipses = Sbmds.needsEllipses(model);
    if (!model.draws) byId("cloud").closest("label").title = "The run kept no draws";
    if (model.dims === 1) byId("ellipses").nextSibling.textContent = " 95% intervals";
    wirePlayer();
    Sbmds.makeModeChoice(model, { onPick: showMap });
    byId("draw").addEventListener("input", (event) => {
      const draw = Number(event.target.value) - 1; // read before pausing, which puts the slider where the map is
      setPlaying(false);
      map.showDraw(draw);
    });
    byId("play").addEventListener("click", () => setPlaying(!map.view.playing));
    byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
    if (model.dims > 2) wireAxes();
  }

  function setPlaying(playing) {
    playing ? map.play() : map.pause();
    byId("play").textContent = playing ? "Pause" : "Play draws";
    byId("play").setAttribute("aria-pressed", String(playing));
  }

  function wireAxes() {
    const picker = (id, name, side) => {
      const list = element("select", { id, "aria-label": `${name} axis` },
        Array.from({ length: model.dims }, (_, dim) => element("option", { value: dim }, Sbmds.axisName(model, dim).replace(" of variance", ""))));
      list.value = map.view.axes[side];
      list.addEventListener("change", () => pick(side, Number(list.value)));
      return list;
    };
    byId("axes").hidden = false;
    byId("axes").append(picker("axis-x", "Horizontal", 0), "×", picker("axis-y", "Vertical", 1));
  }

  // An axis picked twice changes places with the other.
  function pick(side, dim) {
    const axes = [...map.view.axes];
    if (axes[1 - side] === dim) axes[1 - side] = axes[side];
    axes[side] = dim;
    map.setAxes(axes);
  }

  function drawCharts() {
    Sbmds.drawTraces(model);
    shepard = Sbmds.makeShepard(model, { select });
    shepard.highlight(map.view.selected);
  }

  function wirePrinting() {
    let theme = null;
    window.addEventListener("beforeprint", () => {
      theme = document.documentElement.dataset.theme;
      setPlaying(false);
      setTheme("light");
      grid.paintNow?.(painted);
      map.setPaper(true);
    });
    window.addEventListener("afterprint", () => { setTheme(theme); map.setPaper(false); });
  }

  writeHead();
  wireControls();
  map.setAxes(map.view.axes);
  setTheme(document.documentElement.dataset.theme);
  Sbmds.makeInteractive(map, { onSelect: select });
  Sbmds.makeSearch(model, select);
  Sbmds.showCard(model, -1, select);
  drawCharts();
  matchMedia("screen and (max-width: 860px)").addEventListener("change", drawCharts);
  Sbmds.makeDiagnosticsTable(model);
  Sbmds.makeWorstPairs(model, { select });
  Sbmds.drawScree(model);
  writeFoot();
  wirePrinting();

  // For tests: what the page shows at this moment.
  window.sbmds.state = () => ({
    nObjects: model.n, nDims: model.dims, renderer: map.renderer(), frames: map.frames(), zoom: map.camera.zoom(),
    ...map.view, selectedName: model.names[map.view.selected] ?? null, hoveredName: model.names[map.view.hovered] ?? null,
    theme: document.documentElement.dataset.theme, colour: column ? column.name : null, shown: model.shown, nOtherModes: Sbmds.otherModes(model).length,
    space: space && { ...space.view, hoveredName: model.names[space.view.hovered] ?? null },
  });
  window.sbmds.pixel = (name) => {
    const box = map.stage.getBoundingClientRect();
    const [x, y] = map.pixelOf(model.names.indexOf(name));
    return [box.left + 1 + x, box.top + 1 + y];
  };
  window.sbmds.spacePixel = (name) => {
    const box = byId("space-stage").getBoundingClientRect();
    const [x, y] = space.pixelOf(model.names.indexOf(name));
    return [box.left + x, box.top + y];
  };
  window.sbmds.reach = () => map.reach();
  requestAnimationFrame(() => requestAnimationFrame(finish));
})();
