// The map in three dimensions: turned by mouse and keys, with ellipsoids, axes to choose and objects to select.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countColoured, countDifferent } from "./browser.mjs";
import { checkedBrowser } from "./checked.mjs";

const browser = checkedBrowser();
let report;

const open = async (sample) => {
  report = await browser.open({ objects: 70, dims: 3, ...sample });
  await report.page.locator("#space-stage").scrollIntoViewIfNeeded();
  return report;
};
const space = async () => (await report.state()).space;
const pixels = () => browser.pixels(report.page, "#space-stage");
const pixelOf = (name) => report.page.evaluate((one) => window.sbmds.spacePixel(one), name);

test("maps of two dimensions have no space, those of three have one, with all points inside", async () => {
  report = await browser.open({ objects: 70, dims: 2 });
  assert.ok(await report.page.locator("#space").isHidden());
  assert.equal((await report.state()).space, null);
  await open();
  assert.ok(countColoured(await pixels()) > 1000);
  const { width, height } = await report.page.locator("#space-stage").boundingBox();
  assert.ok(width > 300 && height > 300);
  assert.match(await report.page.locator("#scree").innerText(), /How much each axis holds/);
  assert.equal(await report.page.locator("#scree path.scree").count(), 3);
});

test("dragging turns the map, and a turn keeps distances from the centre", async () => {
  await open();
  const before = await pixels();
  const { rotation } = await space();
  const box = await report.page.locator("#space-stage").boundingBox();
  await report.page.mouse.move(box.x + box.width / 2, box.y + box.height - 20);
  await report.page.mouse.down();
  await report.page.mouse.move(box.x + box.width / 2 + 120, box.y + box.height - 60, { steps: 6 });
  await report.page.mouse.up();
  const after = (await space()).rotation;
  assert.notDeepEqual(after, rotation);
  // Still a rotation: its rows are orthogonal and of length one.
  for (const a of [0, 1, 2]) {
    for (const b of [0, 1, 2]) {
      const product = after[a].reduce((sum, entry, k) => sum + entry * after[b][k], 0);
      assert.ok(Math.abs(product - (a === b ? 1 : 0)) < 1e-9, `${a} ${b}: ${product}`);
    }
  }
  assert.ok(countDifferent(before, await pixels()) > 1000);
});

test("keys turn, zoom and go back", async () => {
  await open();
  await report.page.locator("#space-stage").focus();
  const before = await pixels();
  for (const key of ["ArrowLeft", "ArrowUp", ",", "+"]) await report.page.keyboard.press(key);
  const { zoom } = await space();
  assert.ok(zoom > 1.2);
  assert.ok(countDifferent(before, await pixels()) > 1000);
  await report.page.keyboard.press("0");
  assert.equal(countDifferent(before, await pixels()), 0);
});

test("pointing names an object, a click selects it everywhere", async () => {
  await open();
  await report.page.mouse.move(...(await pixelOf("Hobart 33")));
  assert.match(await report.page.locator("#space-tip").innerText(), /axis 1[\s\S]*axis 3/);
  const { hoveredName } = await space();
  await report.page.mouse.down();
  await report.page.mouse.up();
  assert.equal((await report.state()).selectedName, hoveredName);
  assert.ok((await report.page.locator("#card").innerText()).includes(hoveredName));
});

test("ellipsoids can be switched on, and of more dimensions three are chosen", async () => {
  await open({ dims: 5 });
  const without = await pixels();
  await report.page.check("#ellipsoids");
  assert.ok(countDifferent(without, await pixels()) > 2000);
  await report.page.selectOption("#space-axis-1", "4");
  assert.deepEqual((await space()).axes, [4, 1, 2]);
  await report.page.selectOption("#space-axis-1", "2");
  assert.deepEqual((await space()).axes, [2, 1, 4]);
  report = await browser.open({ objects: 70, dims: 3, change: (data) => ({ ...data, covariance: null }) });
  assert.ok(await report.page.locator("#ellipsoids").isDisabled());
});
