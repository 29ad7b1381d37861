// Several modes: objects that have more than one, with an ellipse for each, and the choice among maps when chains are in different modes.
"use strict";
(() => {
  const { element, byId } = Sbmds;

  // The modes of single objects that the map does not show: {object, share, mean, covariance}.
  Sbmds.otherModes = (model) => model.objectModes.flatMap(({ object, shown, modes }) =>
    modes.map((mode, number) => ({ object, number, ...mode })).filter(({ number }) => number !== shown));

  // The share of the mode that is shown, after the name of an object that has several.
  Sbmds.shareOf = (model, object) => {
    const of = model.objectModes.find((one) => one.object === object);
    return of ? ` ${Sbmds.percent(of.modes[of.shown].share)}` : "";
  };

  // What the card of an object says of its modes; nothing if it has one.
  Sbmds.modeLines = (model, object) => {
    const of = model.objectModes.find((one) => one.object === object);
    if (!of) return [];
    const at = (mean) => mean.map((x) => Sbmds.number(x, 3)).join(", ");
    return of.modes.map(({ share, mean }, number) => [`mode ${number + 1}`, `${Sbmds.percent(share)} of the draws, at ${at(mean)}${number === of.shown ? " (shown)" : ""}`]);
  };

  // Each other mode: a line to where the object is shown, a small dot with its share, and its ellipse (or interval) if those are shown.
  Sbmds.drawOtherModes = (ctx, model, camera, { axes, heights, colours, pixelOf, ellipses, ink }) => {
    const entry = (a, b) => { const [low, high] = [Math.min(a, b), Math.max(a, b)]; return low * model.dims - (low * (low - 1)) / 2 + (high - low); };
    for (const { object, share, mean, covariance } of Sbmds.otherModes(model)) {
      const [x, y] = camera.toPixel(mean[axes[0]], heights ? heights[object] : mean[axes[1]]);
      const colour = `rgb(${colours.subarray(4 * object, 4 * object + 3)})`;
      Object.assign(ctx, { strokeStyle: colour, fillStyle: colour, lineWidth: 1, globalAlpha: 0.55 });
      ctx.setLineDash([3, 3]);
      ctx.beginPath();
      ctx.moveTo(x, y);
      ctx.lineTo(...pixelOf(object));
      ctx.stroke();
      ctx.setLineDash([]);
      if (ellipses && covariance.length) {
        const of = (a, b) => covariance[entry(a, b)];
        const [ax, ay, bx, by] = heights
          ? [1.96 * Math.sqrt(of(axes[0], axes[0])), 0, 0, 0] : Sbmds.halfAxes(of(axes[0], axes[0]), of(axes[0], axes[1]), of(axes[1], axes[1]));
        ctx.beginPath();
        ctx.ellipse(x, y, Math.hypot(ax, ay) * camera.scale, Math.hypot(bx, by) * camera.scale, -Math.atan2(ay, ax), 0, 2 * Math.PI);
        ctx.stroke();
      }
      ctx.globalAlpha = 0.9;
      ctx.beginPath();
      ctx.arc(x, y, 2.5, 0, 2 * Math.PI);
      ctx.fill();
      ctx.font = `11px ${Sbmds.themeColour("--sans")}`;
      ctx.textAlign = "left";
      ctx.fillStyle = ink;
      ctx.fillText(`${Sbmds.shorten(model.names[object], 20)} ${Sbmds.percent(share)}`, x + 5, y - 4);
      ctx.globalAlpha = 1;
    }
  };

  // The choice among maps, if chains are in different modes.
  Sbmds.makeModeChoice = (model, { onPick }) => {
    if (model.maps.length < 2) return;
    const list = byId("mode");
    list.append(...model.maps.map((label, number) => element("option", { value: number }, label)));
    list.addEventListener("change", () => onPick(Number(list.value)));
    byId("mode-control").hidden = false;
  };
})();
