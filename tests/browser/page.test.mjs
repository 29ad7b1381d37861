// The page around the map: verdict, search, tables, charts, paper, small and large data, and what is missing.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brightness, countColoured, countDifferent } from "./browser.mjs";
import { checkedBrowser } from "./checked.mjs";

const browser = checkedBrowser();
let report;

test("search by keyboard finds an object and shows its neighbours with probabilities", async () => {
  report = await browser.open({ objects: 70 });
  await report.page.keyboard.press("/");
  await report.page.keyboard.type("osaka 3");
  assert.deepEqual(await report.page.locator("#matches li").allInnerTexts(), ["Osaka 3", "Osaka 39"]);
  await report.page.keyboard.press("ArrowDown");
  await report.page.keyboard.press("Enter");
  assert.equal((await report.state()).selectedName, "Osaka 39");
  const rows = await report.page.locator("#neighbours tbody tr").allInnerTexts();
  assert.equal(rows.length, 8);
  assert.match(rows[0], /\t50%\t100%$/);
  await report.page.fill("#search", "nowhere");
  assert.match(await report.page.locator("#matches").innerText(), /No object/);
  assert.equal(await report.page.locator("#live").innerText(), "Osaka 39 selected");
});

test("the verdict comes first, in words", async () => {
  report = await browser.open({ objects: 70, failed: true });
  assert.match(await report.page.locator("#verdict").innerText(), /^Not converged: the largest R-hat is 1.31[\s\S]*folded/);
  assert.ok((await report.page.locator("#verdict").boundingBox()).y < 200);
  assert.ok((await report.page.locator("#diagnostics td.alarm").count()) > 10);
});

const mapVerdict = {
  verdict: "The map explains little: 3% of the variance of the dissimilarities (Stress-1 0.700). Are these similarities?", describes_data: false,
  findings: ["similarities", "undetermined"], sigma: 0.3, coverage: 0.96,
  worst_pairs: [["Bergen 1", "Osaka 3", 5, 1, 4.2], ["Osaka 3", "Bergen 1", 1, 2, -8.5]].map(([a, b, observed, fitted, sigmas]) =>
    ({ a, b, observed, fitted, residual_in_sigmas: sigmas, predicted: [0.5, 2.5] })),
};

test("the map has a verdict of its own, with ellipses where locations are undetermined", async () => {
  report = await browser.open({ objects: 70, change: (data) => ({ ...data, map_verdict: mapVerdict }) });
  assert.match(await report.page.locator("#verdict").innerText(), /^Chains: do they agree\?\s+Converged/);
  assert.match(await report.page.locator("#map-verdict").innerText(), /^Map: does it describe the data\?\s+The map explains little: 3%[\s\S]*similarities\?$/);
  assert.equal(await report.page.locator("#map-verdict.bad").count(), 1);
  assert.ok((await report.page.locator("#map-verdict").boundingBox()).y < 300);
  assert.equal((await report.state()).ellipses, true);
  assert.match(await report.page.locator("#shepard-note").innerText(), /dotted lines[\s\S]*96.0%/);
  assert.deepEqual(await report.page.locator("#shepard-plot text.worst").allTextContents(), ["Bergen 1 – Osaka 3", "Osaka 3 – Bergen 1"]);
  assert.equal(await report.page.locator("#shepard-plot circle.worst").count(), 2);
  const rows = await report.page.locator("#worst-pairs tbody tr").allInnerTexts();
  assert.match(rows[0], /^Osaka 3 – Bergen 1\t1.000\t2.000\t−8.500\t0.5000 to 2.500$/);
  await report.page.locator("#worst-pairs td button").first().click();
  assert.equal((await report.state()).selectedName, "Osaka 3");
});

test("couplings that do not carry over come before the chains; a run of old has one verdict", async () => {
  report = await browser.open({ objects: 70, change: (data) => ({ ...data, map_verdict: { ...mapVerdict, findings: ["not_carried_over"] } }) });
  const top = async (id) => (await report.page.locator(id).boundingBox()).y;
  assert.ok((await top("#map-verdict")) < (await top("#verdict")));
  report = await browser.open({ objects: 70 });
  assert.ok(await report.page.locator("#map-verdict").isHidden());
  assert.ok(await report.page.locator("#worst-pairs").isHidden());
  assert.equal((await report.state()).ellipses, false);
});

test("objects are listed worst first, sort, turn pages, and select on the map", async () => {
  report = await browser.open({ objects: 70 });
  const column = async (at) => (await report.page.locator(`#objects-table td:nth-child(${at})`).allInnerTexts());
  const stress = (await column(2)).map(Number);
  assert.equal(stress.length, 12);
  assert.deepEqual(stress, [...stress].sort((a, b) => b - a));
  await report.page.locator("#objects-table th button", { hasText: "object" }).click();
  assert.deepEqual((await column(1)).slice(0, 2), ["Bergen 1", "Bergen 13"]);
  await report.page.locator("#objects-table .pager button", { hasText: "Next" }).click();
  assert.match(await report.page.locator("#objects-table .pager").innerText(), /13–24 of 70 objects/);
  const [name] = await column(1);
  await report.page.locator("#objects-table td button").first().click();
  assert.equal((await report.state()).selectedName, name);
  await report.page.waitForFunction(() => document.getElementById("stage").getBoundingClientRect().top >= 0);
});

test("traces, ranks and the Shepard plot are drawn; pairs say their names", async () => {
  report = await browser.open({ objects: 70 });
  assert.equal(await report.page.locator("#traces svg").count(), 6);
  assert.ok(countColoured(await browser.pixels(report.page, "#traces .trace >> nth=0")) > 5000);
  const plot = report.page.locator("#shepard-plot svg");
  assert.ok(countColoured(await browser.pixels(report.page, "#shepard-plot svg")) > 5000);
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  for (let step = 0; step <= 20 && (await report.page.locator("#shepard-plot .tip").isHidden()); step++) {
    await report.page.mouse.move(box.x + box.width * 0.3, box.y + box.height * (0.6 + 0.01 * step));
  }
  assert.match(await report.page.locator("#shepard-plot .tip").innerText(), / – [\s\S]*observed[\s\S]*95% in/);
});

test("configuration, seed, version and citation are there", async () => {
  report = await browser.open({ objects: 70, change: (data) => ({ ...data, seed: 12345678901234567890n }) });
  assert.match(await report.page.locator("#how").innerText(), /sbmds 0.1.0, seed 12345678901234567890\.[\s\S]*couplings = "band:10"/);
  assert.match(await report.page.locator("#cite").innerText(), /Sample citation/);
  assert.equal(await report.page.title(), "sample-70x2");
});

test("text from the data is text, never markup", async () => {
  const nasty = '</script><img src="http://localhost:9/x" onerror="window.broken = true">';
  report = await browser.open({ objects: 12, change: (data) => {
    data.names[0] = data.title = data.verdict.text = data.labels[0].levels[0] = nasty;
    return data;
  } });
  await report.page.fill("#search", "</script");
  await report.page.keyboard.press("Enter");
  assert.equal(await report.page.locator("#card h3").innerText(), nasty);
  assert.equal(await report.page.locator("h1").innerText(), nasty);
  assert.equal(await report.page.evaluate(() => window.broken), undefined);
});

test("the page may not use the network even if it tried", async () => {
  report = await browser.open({ objects: 12 });
  const tried = await report.page.evaluate(() => fetch("http://localhost:9/").then(() => "sent", (error) => error.message));
  assert.match(tried, /fetch/i);
  assert.match(report.complaints.splice(0).join(), /Content Security Policy/);
});

test("what the run does not have is left out", async () => {
  report = await browser.open({ objects: 30, bare: true, change: (data) => ({ ...data, covariance: null, citation: null, summary: [], axis_share: null }) });
  for (const id of ["shepard", "player", "cite", "all-axes"]) assert.ok(await report.page.locator(`#${id}`).isHidden(), id);
  assert.ok(await report.page.locator("#ellipses").isDisabled());
  assert.ok(countColoured(await browser.pixels(report.page)) > 700);
  await report.page.mouse.click(...(await report.page.evaluate(() => window.sbmds.pixel("Osaka 3"))));
  assert.equal(await report.page.locator("#card h3").innerText(), "Osaka 3");
});

test("three objects, and objects all in one place", async () => {
  report = await browser.open({ objects: 3, chains: 1 });
  assert.ok(countColoured(await browser.pixels(report.page)) > 100);
  await report.close();
  const zero = { f32: Buffer.alloc(4 * 24).toString("base64") };
  report = await browser.open({ objects: 12, change: (data) => ({ ...data, mean: zero, axis_share: [null, null], draws: null }) });
  assert.ok(Number.isFinite((await report.page.evaluate(() => window.sbmds.pixel("Osaka")))[0]));
  assert.ok(countColoured(await browser.pixels(report.page)) > 20);
});

for (const objects of [10000, 100000]) {
  test(`${objects} objects load, show, zoom and answer`, async () => {
    report = await browser.open({ objects });
    const whole = await browser.pixels(report.page);
    assert.ok(countColoured(whole) > 20000);
    const at = await report.page.evaluate(() => window.sbmds.pixel("Bergen 9997"));
    await report.page.mouse.move(...at);
    await report.page.mouse.wheel(0, -1500);
    await report.page.waitForFunction(() => window.sbmds.state().zoom > 5);
    assert.ok(countDifferent(whole, await browser.pixels(report.page)) > 20000);
    await report.page.fill("#search", "bergen 9997");
    await report.page.keyboard.press("Enter");
    assert.equal((await report.state()).selectedName, "Bergen 9997");
    if (objects === 100000) assert.ok(await report.page.locator("#player").isHidden(), "no draws, no player");
  });
}

test("a report of 1,000 objects is below 4 MB", async () => {
  report = await browser.open({ objects: 1000, draws: 140 }); // 140 draws: about the 1.5 MB a report spends on them
  assert.ok(statSync(fileURLToPath(report.url)).size < 4e6);
});

test("a small screen: nothing wider than the screen, all reachable", async () => {
  report = await browser.open({ objects: 70, dims: 3, width: 390 });
  assert.equal(await report.page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.ok(countColoured(await browser.pixels(report.page)) > 1500);
});

test("everything is reached by keyboard and named for those who do not see", async () => {
  report = await browser.open({ objects: 70, dims: 3 });
  const reached = new Set();
  for (let step = 0; step < 60; step++) {
    await report.page.keyboard.press("Tab");
    reached.add(await report.page.evaluate(() => document.activeElement.id));
  }
  for (const id of ["theme", "axis-x", "axis-y", "colour", "ellipses", "cloud", "play", "draw", "stage", "zoom-in", "search"]) assert.ok(reached.has(id), id);
  const nameless = await report.page.evaluate(() => [...document.querySelectorAll("button, input, select, svg[role=img], #stage")]
    .filter((node) => !(node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.length)).map((node) => node.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, []);
});

test("prints to PDF, in light colours, and is itself again afterwards", async () => {
  report = await browser.open({ objects: 70, dims: 3, theme: "dark" });
  await report.page.evaluate(() => window.addEventListener("beforeprint", () => {
    const canvas = document.getElementById("layer-under");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const [points, names] = [(i) => Math.max(...data.subarray(i, i + 3)) - Math.min(...data.subarray(i, i + 3)) > 60, (i) => data[i] < 60 && data[i + 2] < 60];
    const count = (is) => data.reduce((sum, value, i) => sum + (i % 4 === 3 && value > 128 && is(i - 3) ? 1 : 0), 0);
    window.onPaper = { points: count(points), names: count(names), theme: document.documentElement.dataset.theme };
  }));
  const pdf = await report.page.pdf({ format: "A4", printBackground: true });
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  assert.ok(pdf.length > 30000);
  const { points, names, theme } = await report.page.evaluate(() => window.onPaper);
  assert.equal(theme, "light");
  assert.ok(points > 10000, `${points} pixels of points on paper`); // three times as fine as on the screen
  assert.ok(names > 5000, `${names} pixels of names on paper`);
  assert.ok(brightness(await browser.pixels(report.page)) < 60);
});
