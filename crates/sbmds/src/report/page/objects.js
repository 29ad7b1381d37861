// One object and many: the tip under the pointer, the card of the selected object with its neighbours, and finding one by name.
"use strict";
(() => {
  const { element, byId, number, percent } = Sbmds;
  const MAX_MATCHES = 10;
  const MAX_NEIGHBOURS = 8;

  const withSd = (model, object, dim) => {
    const sd = model.sd(object, dim);
    return number(model.coordinate(object, dim)) + (Number.isFinite(sd) ? ` ± ${number(sd, 3)}` : "");
  };

  function fitLines(model, object) {
    const { stress, residual, partners } = model.fit;
    const lines = [];
    if (stress) lines.push(["stress", number(stress[object])]);
    if (residual) lines.push(["residual", number(residual[object], 3)]);
    if (partners) lines.push(["partners", Sbmds.count(partners[object])]);
    return lines;
  }

  Sbmds.showTip = (model, object, axes, at, bounds) => {
    const tip = byId("tip");
    tip.hidden = object < 0;
    if (object < 0) return;
    const dims = model.dims === 1 ? [0] : axes;
    const lines = [
      ...dims.map((dim) => `axis ${dim + 1}: ${withSd(model, object, dim)}`),
      ...fitLines(model, object).filter(([name]) => name !== "partners").map(([name, text]) => `${name} ${text}`),
      ...model.labels.slice(0, 4).map((label) => `${label.name}: ${Sbmds.labelText(label, object)}`),
    ];
    tip.replaceChildren(element("b", {}, model.names[object]), ...lines.map((line) => element("div", {}, line)));
    const [width, height] = [tip.offsetWidth, tip.offsetHeight];
    tip.style.left = `${at[0] + 16 + width > bounds[0] ? Math.max(4, at[0] - 16 - width) : at[0] + 16}px`;
    tip.style.top = `${Math.max(4, Math.min(at[1] + 14, bounds[1] - height - 4))}px`;
  };

  Sbmds.showCard = (model, object, select) => {
    const card = byId("card");
    card.classList.toggle("filled", object >= 0);
    if (object < 0) {
      card.replaceChildren(element("p", { class: "empty" }, "Select an object, on the map or by name, to see where it may lie and what lies nearest."));
      return;
    }
    const dims = Array.from({ length: model.dims }, (_, dim) => dim);
    const lines = [
      ...model.labels.map((label) => [label.name, Sbmds.labelText(label, object)]),
      ...dims.map((dim) => [`axis ${dim + 1}`, withSd(model, object, dim)]),
      ...Sbmds.modeLines(model, object),
      ...fitLines(model, object),
    ];
    card.replaceChildren(
      element("div", { class: "head" }, element("h3", {}, model.names[object]),
        element("button", { type: "button", class: "quiet", "aria-label": "Deselect", onclick: () => select(-1) }, "×")),
      element("dl", {}, lines.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])),
      ...neighbourTable(model, object, select));
  };

  function neighbourTable(model, object, select) {
    if (!model.neighbours) return [];
    const rows = model.neighbours.of(object).slice(0, MAX_NEIGHBOURS);
    if (!rows.length) return [];
    const { k } = model.neighbours;
    return [element("h4", {}, "Nearest neighbours"),
      element("table", { id: "neighbours", "aria-label": `Probable neighbours of ${model.names[object]}` },
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "probability of being"), element("th", { scope: "col" }, "nearest"), element("th", { scope: "col" }, `among ${k}`))),
        element("tbody", {}, rows.map((row) => element("tr", {},
          element("td", {}, element("button", { type: "button", class: "link", onclick: () => select(row.object) }, model.names[row.object])),
          element("td", {}, percent(row.nearest)), element("td", {}, percent(row.among))))))];
  }

  // Names that start with the text before names that merely hold it.
  Sbmds.findByName = (model, text) => {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const [starts, holds] = [[], []];
    for (let object = 0; object < model.n && starts.length < MAX_MATCHES; object++) {
      const at = model.lowerNames[object].indexOf(wanted);
      if (at === 0) model.lowerNames[object] === wanted ? starts.unshift(object) : starts.push(object);
      else if (at > 0 && holds.length < MAX_MATCHES) holds.push(object);
    }
    return [...starts, ...holds].slice(0, MAX_MATCHES);
  };

  // A combobox: type, arrows, Enter; Escape closes, then clears. "/" anywhere on the page goes here.
  Sbmds.makeSearch = (model, select) => {
    const [input, list] = [byId("search"), byId("matches")];
    let found = [];
    let active = -1;

    function show(open) {
      list.hidden = !open;
      input.setAttribute("aria-expanded", String(open));
      active >= 0 && open ? input.setAttribute("aria-activedescendant", `match-${active}`) : input.removeAttribute("aria-activedescendant");
    }
    function render() {
      list.replaceChildren(...found.map((object, i) => element("li",
        { role: "option", id: `match-${i}`, "aria-selected": String(i === active), onpointerdown: (event) => { event.preventDefault(); choose(i); } }, model.names[object])));
      if (!found.length) list.append(element("li", { class: "none", role: "option", "aria-disabled": "true" }, "No object has this in its name"));
      show(input.value.trim() !== "");
      list.children[active]?.scrollIntoView({ block: "nearest" });
    }
    function choose(i) {
      input.value = model.names[found[i]];
      select(found[i]);
      show(false);
    }
    function search() {
      found = Sbmds.findByName(model, input.value);
      active = found.length ? 0 : -1;
      render();
    }
    const move = (step) => {
      if (list.hidden) return search();
      if (!found.length) return;
      active = (active + step + found.length) % found.length;
      render();
    };
    input.addEventListener("input", search);
    input.addEventListener("focus", () => input.select());
    input.addEventListener("blur", () => show(false));
    input.addEventListener("keydown", (event) => {
      const act = {
        ArrowDown: () => move(1), ArrowUp: () => move(-1),
        Enter: () => { if (list.hidden) search(); if (active >= 0) choose(active); },
        Escape: () => (list.hidden ? (input.value = "") : show(false)),
      }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.focus();
    });
  };
})();
