// The clusters of a report: outlines, colours by consensus, the heat map and the numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countColoured, countDifferent } from "./browser.mjs";
import { checkedBrowser } from "./checked.mjs";

const browser = checkedBrowser();
let report;

test("without clusters there is neither section nor control", async () => {
  report = await browser.open({ objects: 70 });
  for (const id of ["clusters", "outlines-control"]) assert.ok(await report.page.locator(`#${id}`).isHidden(), id);
  assert.doesNotMatch(await report.page.locator("#contents").innerText(), /Clusters/);
});

test("one press shows clusters and outlines on the map", async () => {
  report = await browser.open({ objects: 70, clusters: true });
  const before = await browser.pixels(report.page);
  assert.match(await report.page.locator("#contents").innerText(), /Clusters/);
  await report.page.click("#show-clusters");
  const state = await report.state();
  assert.deepEqual([state.colour, state.outlines], ["consensus cluster", true]);
  const shown = await browser.pixels(report.page);
  assert.ok(countDifferent(before, shown) > 3000);
  assert.match(await report.page.locator("#legend").innerText(), /cluster 0[\s\S]*noise[\s\S]*Fainter: less certain/);
  await report.page.uncheck("#outlines");
  assert.ok(countDifferent(shown, await browser.pixels(report.page)) > 2000);
});

test("less certain objects are fainter", async () => {
  const sure = (confidence) => (data) => {
    const section = data.sections.find(({ kind }) => kind === "clusters");
    section.confidence = { f32: Buffer.from(new Float32Array(70).fill(confidence).buffer).toString("base64") };
    return data;
  };
  const coloured = [];
  for (const confidence of [1, 0.05]) {
    if (coloured.length) await report.close();
    report = await browser.open({ objects: 70, clusters: true, change: sure(confidence) });
    await report.page.selectOption("#colour", { label: "consensus cluster" });
    coloured.push(countColoured(await browser.pixels(report.page)));
  }
  assert.ok(coloured[1] < 0.5 * coloured[0], `${coloured}`);
});

test("the heat map says which objects share a cluster, and how probably", async () => {
  report = await browser.open({ objects: 70, clusters: true });
  const canvas = report.page.locator("#heat-map");
  await canvas.scrollIntoViewIfNeeded();
  assert.match(await canvas.getAttribute("aria-label"), /all pairs of 70 objects[\s\S]*Within cluster 0: \d+%/);
  const box = await canvas.boundingBox();
  await report.page.mouse.move(box.x + box.width * 0.12, box.y + box.height * 0.12);
  const tip = await report.page.locator(".heat .tip").innerText();
  assert.match(tip, /together with probability 0\.\d\d[\s\S]*\(cluster 0\)/);
  await report.page.mouse.move(box.x + box.width * 0.96, box.y + box.height * 0.12);
  assert.match(await report.page.locator(".heat .tip").innerText(), /probability 0\.0\d[\s\S]*\(cluster 0\)[\s\S]*\(noise\)/);
  await report.page.mouse.click(box.x + box.width * 0.12, box.y + box.height * 0.12);
  assert.ok(tip.includes((await report.state()).selectedName));
});

test("numbers, distribution and consensus are there in words", async () => {
  report = await browser.open({ objects: 70, clusters: true });
  const numbers = await report.page.locator("#clusters-numbers").innerText();
  for (const part of [/3 in most draws/, /0\.0500, 95% in \[0\.0400, 0\.0600\]/, /adjusted Rand index/, /classes found/, /noise/]) assert.match(numbers, part);
  assert.match(await report.page.locator(".count-chart svg").getAttribute("aria-label"), /2 in 20 draws, 3 in 75 draws, 4 in 5 draws/);
  const rows = await report.page.locator("#consensus-table tbody tr").allInnerTexts();
  assert.equal(rows.length, 4);
  assert.match(rows[0], /cluster 0\t\d+\t0\.800\tgroup A \(100%\)/);
  assert.match(rows[3], /noise\t4\t0\.600/);
  assert.match(await report.page.locator("#objects-table thead").innerText(), /consensus cluster/);
});

for (const [dims, objects] of [[1, 40], [3, 70], [2, 10000]]) {
  test(`${objects} objects in ${dims} dimensions show their clusters, on a small screen too`, async () => {
    report = await browser.open({ objects, dims, clusters: true });
    await report.page.click("#show-clusters");
    assert.ok(countColoured(await browser.pixels(report.page, "#clusters-figures figure >> nth=0")) > 2000);
    assert.ok(countColoured(await browser.pixels(report.page, "#heat-map")) > 500);
    if (dims === 3) {
      const before = await browser.pixels(report.page, "#clusters-figures figure >> nth=0");
      await report.page.selectOption("#axis-x", "2");
      assert.ok(countDifferent(before, await browser.pixels(report.page, "#clusters-figures figure >> nth=0")) > 2000, "the figure follows the axes");
    }
    await report.page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await report.page.evaluate(() => document.documentElement.scrollWidth), 390);
  });
}

test("many clusters, none at all, and dark colours", async () => {
  report = await browser.open({ objects: 70, clusters: true, theme: "dark", change: (data) => {
    const section = data.sections.find(({ kind }) => kind === "clusters");
    Object.assign(section, { codes: { u16: Buffer.from(new Uint16Array(70).fill(65535).buffer).toString("base64") }, clusters: [], noise: { size: 70, confidence: 1 }, outlines: [] });
    Object.assign(section.summary, { mode_clusters: 0, cluster_counts: { 0: 100 }, truth: null });
    return data;
  } });
  assert.match(await report.page.locator("#clusters-numbers").innerText(), /0 in most draws/);
  await report.page.click("#show-clusters");
  await report.close();
  report = await browser.open({ objects: 120, clusters: true, theme: "dark", change: (data) => {
    const section = data.sections.find(({ kind }) => kind === "clusters");
    section.codes = { u16: Buffer.from(Uint16Array.from({ length: 120 }, (_, i) => i >> 1).buffer).toString("base64") };
    section.clusters = Array.from({ length: 60 }, () => ({ size: 2, confidence: 0.9 }));
    section.summary.cluster_counts = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [40 + i, i + 1]));
    return data;
  } });
  assert.match(await report.page.locator("#clusters-numbers").innerText(), /The largest 50 of 60 clusters/);
});

test("clusters print", async () => {
  report = await browser.open({ objects: 70, clusters: true });
  await report.page.click("#show-clusters");
  assert.ok((await report.page.pdf({ format: "A4", printBackground: true })).length > 50000);
});
