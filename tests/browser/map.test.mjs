// The map as its readers use it: pointing, clicking, keys, ellipses, draws, axes, colours; with WebGL and without.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brightness, countColoured, countDifferent } from "./browser.mjs";
import { checkedBrowser } from "./checked.mjs";

for (const webgl of [true, false]) {
  describe(webgl ? "with WebGL" : "without WebGL", () => {
    const browser = checkedBrowser({ webgl });
    let report;

    test("points are drawn", async () => {
      report = await browser.open({ objects: 70 });
      assert.equal((await report.state()).renderer, webgl ? "webgl" : "canvas");
      assert.equal((await report.state()).nObjects, 70);
      // 70 discs of about 60 pixels each, some of them grey or overlapping
      assert.ok(countColoured(await browser.pixels(report.page)) > 1500);
    });

    test("pointing at an object shows its name, location, sd and fit", async () => {
      report = await browser.open({ objects: 70 });
      await report.page.mouse.move(...(await report.page.evaluate(() => window.sbmds.pixel("Hobart 33"))));
      const tip = await report.page.locator("#tip").innerText();
      for (const part of ["Hobart 33", "axis 1", "axis 2", "±", "stress", "residual"]) assert.ok(tip.includes(part), `${part} in ${tip}`);
      await report.page.mouse.move(5, 5);
      assert.ok(await report.page.locator("#tip").isHidden());
    });

    test("ellipses can be switched on and off", async () => {
      report = await browser.open({ objects: 70 });
      const without = await browser.pixels(report.page);
      await report.page.check("#ellipses");
      assert.ok(countDifferent(without, await browser.pixels(report.page)) > 5000);
      await report.page.uncheck("#ellipses");
      await report.page.mouse.move(5, 5);
      assert.equal(countDifferent(without, await browser.pixels(report.page)), 0);
    });

    test("ellipses are inside the frame, and who has zoomed in stays there", async () => {
      // Large ellipses for all: those of the outermost objects reach far beyond the points.
      const wide = (data) => ({ ...data, covariance: { f32: grown(data.covariance.f32, 100) } });
      report = await browser.open({ objects: 30, change: wide });
      const places = () => report.page.evaluate(() => window.sbmds.reach());
      const stage = await report.page.locator("#stage").boundingBox();
      const inside = ({ left, right, top, bottom }) => left >= 0 && top >= 0 && right <= stage.width && bottom <= stage.height;
      assert.ok(!inside(await places()), "without room for them they would be cut");
      await report.page.check("#ellipses");
      assert.ok(inside(await places()), JSON.stringify(await places()));
      await report.page.click("#zoom-in");
      const before = await report.page.evaluate(() => window.sbmds.pixel("Osaka 15"));
      await report.page.uncheck("#ellipses");
      assert.deepEqual(await report.page.evaluate(() => window.sbmds.pixel("Osaka 15")), before);
    });

    test("all draws can be laid under the points", async () => {
      report = await browser.open({ objects: 70 });
      const without = await browser.pixels(report.page);
      await report.page.check("#cloud");
      assert.ok(countDifferent(without, await browser.pixels(report.page)) > 1500);
    });

    test("draws play, pause and can be chosen", async () => {
      report = await browser.open({ objects: 70 });
      const still = await browser.pixels(report.page);
      await report.page.click("#play");
      await report.page.waitForFunction(() => window.sbmds.state().draw >= 1);
      assert.equal(await report.page.locator("#play").innerText(), "Pause");
      await report.page.click("#play");
      const { draw, playing } = await report.state();
      assert.equal(playing, false);
      await report.page.waitForTimeout(900); // longer than one step: a player that does not stop would be found
      assert.equal((await report.state()).draw, draw);
      assert.ok(countDifferent(still, await browser.pixels(report.page)) > 1000);
      await report.page.locator("#draw").focus();
      await report.page.keyboard.press("End");
      assert.equal(await report.page.locator("#draw-number").innerText(), "draw 40 of 40");
    });

    test("colours follow a label column, with a legend", async () => {
      report = await browser.open({ objects: 70 });
      assert.match(await report.page.locator("#legend").innerText(), /group A[\s\S]*no label/);
      const byGroup = await browser.pixels(report.page);
      await report.page.selectOption("#colour", { label: "year" });
      assert.match(await report.page.locator("#legend").innerText(), /year[\s\S]*1990/);
      assert.ok(countDifferent(byGroup, await browser.pixels(report.page)) > 800);
      await report.page.selectOption("#colour", { label: "group" });
      await report.page.locator("#legend button").first().click();
      assert.ok(countColoured(await browser.pixels(report.page)) < 0.75 * countColoured(byGroup), "other levels fade");
    });

    test("more levels than colours get further shapes", async () => {
      report = await browser.open({ objects: 200 });
      await report.page.selectOption("#colour", { label: "clade" });
      assert.match(await report.page.locator("#legend").innerText(), /clade 1[\s\S]*clade 32[\s\S]*8 further levels/);
      assert.equal(await report.page.locator("#legend path").evaluateAll((paths) => new Set(paths.map((path) => path.getAttribute("d"))).size), 4);
    });

    test("dark and light", async () => {
      report = await browser.open({ objects: 70, theme: "dark" });
      assert.ok(brightness(await browser.pixels(report.page)) < 60);
      await report.page.click("#theme");
      assert.ok(brightness(await browser.pixels(report.page)) > 200);
    });

    test("a click selects, the card tells of neighbours, Escape deselects", async () => {
      report = await browser.open({ objects: 70 });
      await report.page.mouse.click(...(await report.page.evaluate(() => window.sbmds.pixel("Hobart 33"))));
      assert.equal((await report.state()).selectedName, "Hobart 33");
      assert.equal(await report.page.locator("#card h3").innerText(), "Hobart 33");
      await report.page.locator("#neighbours button").first().click();
      assert.notEqual((await report.state()).selectedName, "Hobart 33");
      await report.page.locator("#stage").focus();
      await report.page.keyboard.press("Escape");
      assert.equal((await report.state()).selected, -1);
    });

    test("wheel, drag and keys move the window", async () => {
      report = await browser.open({ objects: 70 });
      const at = await report.page.evaluate(() => window.sbmds.pixel("Hobart 33"));
      const where = () => report.page.evaluate(() => window.sbmds.pixel("Hobart 33"));
      await report.page.mouse.move(...at);
      await report.page.mouse.wheel(0, -300);
      await report.page.waitForFunction(() => window.sbmds.state().zoom > 1.3);
      const zoomed = await where();
      assert.ok(Math.hypot(zoomed[0] - at[0], zoomed[1] - at[1]) < 1, "the point under the pointer stays there");
      await report.page.mouse.down();
      await report.page.mouse.move(at[0] + 60, at[1] + 40, { steps: 4 });
      await report.page.mouse.up();
      const dragged = await where();
      assert.ok(Math.abs(dragged[0] - at[0] - 60) < 5 && Math.abs(dragged[1] - at[1] - 40) < 5);
      assert.equal((await report.state()).selected, -1, "a drag is no click");
      await report.page.locator("#stage").focus();
      await report.page.keyboard.press("ArrowRight");
      assert.ok((await where())[0] < dragged[0] - 50);
      await report.page.keyboard.press("0");
      assert.equal((await report.state()).zoom, 1);
      await report.page.keyboard.press("Enter");
      assert.ok((await report.state()).selected >= 0);
    });

    test("axes can be picked, by list and by small maps", async () => {
      report = await browser.open({ objects: 70, dims: 4 });
      const first = await browser.pixels(report.page);
      await report.page.selectOption("#axis-x", "2");
      assert.deepEqual((await report.state()).axes, [2, 1]);
      assert.ok(countDifferent(first, await browser.pixels(report.page)) > 1000);
      await report.page.selectOption("#axis-y", "2");
      assert.deepEqual((await report.state()).axes, [1, 2], "an axis picked twice changes places");
      assert.equal(await report.page.locator("#axes-grid button").count(), 6);
      assert.ok(countColoured(await browser.pixels(report.page, "#axes-grid button >> nth=5")) > 200);
      await report.page.click('[aria-label="Show axes 1 and 4"]');
      assert.deepEqual((await report.state()).axes, [0, 3]);
    });

    test("one dimension is a strip with intervals", async () => {
      report = await browser.open({ objects: 40, dims: 1 });
      const without = await browser.pixels(report.page);
      assert.ok(countColoured(without) > 800);
      await report.page.check("#ellipses");
      assert.ok(countDifferent(without, await browser.pixels(report.page)) > 1000);
      await report.page.mouse.move(...(await report.page.evaluate(() => window.sbmds.pixel("Osaka 15"))));
      assert.match(await report.page.locator("#tip").innerText(), /Osaka 15\naxis 1/);
      assert.match(await report.page.locator("#map-help").innerText(), /height only keeps objects apart and means nothing/);
    });

    test("the first colours are those of the first useful column", async () => {
      const codes = (code) => ({ u16: Buffer.from(Uint16Array.from({ length: 40 }, (_, object) => code(object)).buffer).toString("base64") });
      const cities = { kind: "categorical", name: "city", levels: Array.from({ length: 40 }, (_, k) => `city ${k}`), codes: codes((object) => object) };
      const country = { kind: "categorical", name: "country", levels: ["Chile"], codes: codes(() => 0) };
      const opened = async (labels) => {
        report = await browser.open({ objects: 40, change: (data) => ({ ...data, labels: labels(data.labels) }) });
        return (await report.state()).colour;
      };
      assert.equal(await opened((labels) => [cities, country, ...labels]), "group");
      assert.equal(await report.page.locator("#colour").evaluate((list) => list.selectedOptions[0].textContent), "group");
      assert.equal(await opened((labels) => [cities, country, ...labels.filter(({ kind }) => kind === "numeric")]), "year");
      assert.equal(await opened(() => [cities, country]), null);
    });

    test("numbers of labels have no zeros that say nothing", async () => {
      report = await browser.open({ objects: 70 });
      await report.page.selectOption("#colour", { label: "year" });
      assert.match(await report.page.locator("#legend").innerText(), /year\s+\d{4}(\.\d*[1-9])?\s+\d{4}(\.\d*[1-9])?$/);
      assert.deepEqual(await report.page.evaluate(() => [2, 0.5, 1990, 0, -3, NaN, 1e-9, 100].map((value) => Sbmds.brief(value))),
        ["2", "0.5", "1990", "0", "\u22123", "–", "1.00e\u22129", "100"]);
    });
  });
}

// Packed numbers, each so many times as large.
function grown(base64, factor) {
  const numbers = new Float32Array(new Uint8Array(Buffer.from(base64, "base64")).buffer).map((value) => value * factor);
  return Buffer.from(numbers.buffer).toString("base64");
}
