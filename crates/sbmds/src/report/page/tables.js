// Tables one can sort and page through: every object (the map in words and numbers), and every monitored quantity.
"use strict";
(() => {
  const { element, number } = Sbmds;
  const PAGE = 12;
  const RHAT_LIMIT = 1.01; // Vehtari et al. 2021
  const ESS_PER_CHAIN = 100; // the same: 400 for four chains

  // columns: {name, value(row), text(row), start: "ascending" | "descending", alarm(row)}; the first column names the row.
  Sbmds.makeTable = (holder, { label, count, columns, sortBy, sortDown, rowName, chosen, noun }) => {
    const order = Array.from({ length: count }, (_, row) => row);
    let [sorted, down, page] = [sortBy, sortDown, 0];
    const head = element("tr");
    const body = element("tbody");
    const status = element("span", { role: "status" });
    const previous = element("button", { type: "button", onclick: () => turn(-1) }, "Previous");
    const next = element("button", { type: "button", onclick: () => turn(1) }, "Next");
    const nPages = Math.max(1, Math.ceil(count / PAGE));

    function sort() {
      const { value } = columns[sorted];
      const sign = down ? -1 : 1;
      const unknown = (x) => x === null || x === undefined || Number.isNaN(x);
      order.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (unknown(x) || unknown(y)) return unknown(x) - unknown(y) || a - b;
        return sign * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y) || a - b;
      });
    }
    function render() {
      head.replaceChildren(...columns.map((column, i) => element("th",
        { scope: "col", "aria-sort": i === sorted ? (down ? "descending" : "ascending") : null, title: column.title },
        element("button", { type: "button", onclick: () => sortByColumn(i) }, column.name))));
      const rows = order.slice(page * PAGE, (page + 1) * PAGE);
      body.replaceChildren(...rows.map((row) => element("tr", { class: chosen?.(row) ? "chosen" : null },
        columns.map((column, i) => element("td", { class: column.alarm?.(row) ? "alarm" : null }, i === 0 && rowName ? rowName(row) : column.text(row))))));
      status.textContent = `${Sbmds.count(page * PAGE + 1)}–${Sbmds.count(Math.min(count, (page + 1) * PAGE))} of ${Sbmds.count(count)} ${noun}`;
      previous.disabled = page === 0;
      next.disabled = page === nPages - 1;
    }
    function turn(step) {
      page = Math.min(nPages - 1, Math.max(0, page + step));
      render();
    }
    function sortByColumn(i) {
      down = i === sorted ? !down : columns[i].start === "descending";
      [sorted, page] = [i, 0];
      sort();
      render();
      head.children[i].firstChild.focus();
    }
    sort();
    render();
    holder.replaceChildren(
      element("div", { class: "scroll wide" }, element("table", { "aria-label": label }, element("thead", {}, head), body)),
      element("div", { class: "pager" }, ...(nPages > 1 ? [previous, next] : []), status));
    return { refresh: render };
  };

  const column = (name, value, extra = {}) => ({ name, value, text: (row) => number(value(row)), start: "descending", ...extra });

  Sbmds.makeObjectTable = (model, { select, selected }) => {
    const { stress, residual, partners } = model.fit;
    const columns = [{ name: "object", value: (row) => model.names[row], text: (row) => model.names[row], start: "ascending" }];
    if (stress) columns.push(column("stress", (row) => stress[row], { title: "Root mean square of observed minus fitted" }));
    if (residual) columns.push(column("residual", (row) => residual[row], { title: "Mean of observed minus fitted: positive where the map puts it too near" }));
    if (partners) columns.push(column("partners", (row) => partners[row], { text: (row) => Sbmds.count(partners[row]), title: "Objects it was compared with" }));
    for (let dim = 0; dim < model.dims; dim++) {
      columns.push(column(`axis ${dim + 1}`, (row) => model.coordinate(row, dim)));
      if (model.hasCovariance) columns.push(column("sd", (row) => model.sd(row, dim)));
    }
    for (const label of model.labels) {
      const value = label.kind === "numeric" ? (row) => label.values[row] : (row) => Sbmds.labelText(label, row);
      columns.push({ name: label.name, value, text: (row) => Sbmds.labelText(label, row), start: "ascending" });
    }
    return Sbmds.makeTable(Sbmds.byId("objects-table"), {
      label: "All objects: fit and location", count: model.n, columns, noun: "objects", sortBy: stress ? 1 : 0, sortDown: Boolean(stress),
      rowName: (row) => element("button", { type: "button", class: "link", onclick: () => select(row, true) }, model.names[row]),
      chosen: (row) => row === selected(),
    });
  };

  Sbmds.makeDiagnosticsTable = (model) => {
    const rows = model.diagnostics;
    if (!rows.length) return;
    const chains = model.raw.n_chains || 1;
    const of = (key) => (row) => rows[row][key];
    const columns = [
      { name: "quantity", value: of("quantity"), text: of("quantity"), start: "ascending" },
      column("R-hat", of("rhat"), { alarm: (row) => rows[row].rhat > RHAT_LIMIT }),
      ...["ess_bulk", "ess_tail"].map((key) => column(key === "ess_bulk" ? "bulk ESS" : "tail ESS", of(key),
        { start: "ascending", text: (row) => Sbmds.count(rows[row][key] ?? NaN), alarm: (row) => rows[row][key] !== null && rows[row][key] < ESS_PER_CHAIN * chains })),
      column("mean", of("mean")), column("sd", of("sd")), column("5%", of("q5")), column("median", of("median")), column("95%", of("q95")),
      column("error of mean", of("mcse_mean"), { title: "Monte Carlo standard error of the mean" }),
    ];
    const monitored = Math.max(model.raw.n_monitored || 0, rows.length);
    const note = monitored > rows.length
      ? `The ${Sbmds.count(rows.length)} that mixed worst, of ${Sbmds.count(monitored)} monitored quantities.` : `All ${Sbmds.count(rows.length)} monitored quantities.`;
    const holder = element("div");
    Sbmds.byId("diagnostics").replaceChildren(element("h3", {}, "R-hat and effective sample sizes"),
      element("p", { class: "note" }, `${note} R-hat compares chains: above ${RHAT_LIMIT} they disagree. ESS counts how many independent draws the draws are worth: below ${Sbmds.count(ESS_PER_CHAIN * chains)} is few.`), holder);
    Sbmds.makeTable(holder, { label: "R-hat and effective sample sizes", count: rows.length, columns, noun: "quantities", sortBy: 1, sortDown: true });
  };
})();
