// Maps with several modes: the choice among them, and objects that are in two places.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countColoured, countDifferent } from "./browser.mjs";
import { checkedBrowser } from "./checked.mjs";

const browser = checkedBrowser();

const twoModes = (data) => ({
  ...data,
  object_modes: [{ object: 4, shown: 0, modes: [
    { share: 0.7, mean: [1, 1], covariance: [0.04, 0, 0.04] },
    { share: 0.3, mean: [-6, 5], covariance: [0.3, 0.1, 0.2] },
  ] }],
});

// The same map upside down, as the second mode.
const twoMaps = (data) => {
  const mean = new Float32Array(Uint8Array.from(Buffer.from(data.mean.f32, "base64")).buffer).map((x, i) => (i % 2 ? -x : x));
  const { covariance, axis_share, fit, draws, neighbours, shepard } = data;
  const other = { shown: "a central draw of mode 2 of 2", mode: "mode 2, chain 3", mean: { f32: Buffer.from(mean.buffer).toString("base64") },
    covariance, axis_share, object_modes: [], fit, draws, neighbours, shepard };
  return { ...twoModes(data), shown: "posterior mean of mode 1 of 2", mode: "mode 1, chains 0, 1 and 2", other_maps: [other] };
};

test("an object in two places is drawn in both, with shares and an ellipse each", async () => {
  let report = await browser.open({ objects: 70 });
  const plain = countColoured(await browser.pixels(report.page));
  assert.equal((await report.state()).nOtherModes, 0);
  await report.close();
  report = await browser.open({ objects: 70, change: twoModes });
  assert.equal((await report.state()).nOtherModes, 1);
  const without = await browser.pixels(report.page);
  assert.ok(countColoured(without) > 0 && plain > 0);
  await report.page.check("#ellipses");
  assert.ok(countDifferent(without, await browser.pixels(report.page)) > 5000);
  await report.page.evaluate(() => window.sbmds.ready);
  await report.page.fill("#search", await report.page.evaluate(() => JSON.parse(document.getElementById("sbmds-data").textContent).names[4]));
  await report.page.keyboard.press("Enter");
  const card = await report.page.locator("#card").innerText();
  assert.match(card, /mode 1\s+70% of the draws, at 1\.00, 1\.00 \(shown\)/);
  assert.match(card, /mode 2\s+30% of the draws, at \u22126\.00, 5\.00/);
  assert.ok(await report.page.locator("#mode-control").isHidden());
});

test("another mode can be chosen and changes map, table and draws together", async () => {
  const report = await browser.open({ objects: 70, change: twoMaps });
  const list = report.page.locator("#mode");
  assert.deepEqual(await list.locator("option").allInnerTexts(), ["mode 1, chains 0, 1 and 2", "mode 2, chain 3"]);
  const name = await report.page.evaluate(() => JSON.parse(document.getElementById("sbmds-data").textContent).names[9]);
  await report.page.fill("#search", name);
  await report.page.keyboard.press("Enter");
  const second = async () => parseFloat((await report.page.locator("#card").innerText()).match(/axis 2\s+(\S+)/)[1].replace("\u2212", "-"));
  const [before, first] = [await browser.pixels(report.page), await second()];
  await list.selectOption("1");
  assert.equal(await second(), -first, "the card follows");
  assert.deepEqual([(await report.state()).shown, (await report.state()).nOtherModes], ["a central draw of mode 2 of 2", 0]);
  assert.equal(await report.page.locator("#draw-number").innerText(), "a central draw");
  assert.ok(countDifferent(before, await browser.pixels(report.page)) > 1500);
  await list.selectOption("0");
  assert.equal(await second(), first);
  assert.equal(await report.page.locator("#draw-number").innerText(), "mean");
});
