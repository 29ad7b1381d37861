// A report made by the program itself, from simulated data with labels. Skipped where the program cannot make reports.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { countColoured, countDifferent, startBrowser } from "./browser.mjs";

const built = ["target/release/sbmds", "target/debug/sbmds"].map((path) => fileURLToPath(new URL(`../../${path}`, import.meta.url)));
const sbmds = process.env.SBMDS || built.find(existsSync);
const reports = sbmds && spawnSync(sbmds, ["report", "--help"]).status === 0;

function run(...args) {
  const { status, stderr } = spawnSync(sbmds, args, { encoding: "utf8" });
  assert.ok(status === 0 || (args[0] === "fit" && status === 1), `sbmds ${args.join(" ")} ended with ${status}: ${stderr}`); // 1: drawn, not converged
}

test("the program asked for makes reports", { skip: !process.env.SBMDS && "no program asked for" }, () => assert.ok(reports, `${sbmds} report --help fails`));

for (const dims of [2, 3]) {
  test(`a report of a fit in ${dims} dimensions`, { skip: !reports && "no sbmds that makes reports" }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "sbmds-real-"));
    const browser = await startBrowser();
    try {
      const [data, fit, labels, file] = ["data", "fit", "labels.csv", "out.html"].map((name) => join(folder, name));
      run("simulate", "--objects", "30", "--dims", String(dims), "--seed", "1", "--out", data);
      const names = readFileSync(join(data, "distances.csv"), "utf8").split("\n")[0].split(",").slice(1).map((name) => name.trim());
      assert.equal(names.length, 30);
      writeFileSync(labels, ["name,half,number", ...names.map((name, i) => `${name},${i < 15 ? "first" : "second"},${i}`)].join("\n"));
      run("fit", join(data, "distances.csv"), "--dims", String(dims), "--warmup", "300", "--draws", "300", "--chains", "2", "--seed", "1", "--out", fit);
      run("report", fit, "--labels", labels, "--out", file);
      assert.ok(statSync(file).size < 4e6);

      const report = await browser.open({ file });
      const state = await report.state();
      assert.deepEqual([state.nObjects, state.nDims, state.colour], [30, dims, "half"]);
      const plain = await browser.pixels(report.page);
      assert.ok(countColoured(plain) > 700);
      await report.page.mouse.move(...(await report.page.evaluate((name) => window.sbmds.pixel(name), names[4])));
      assert.ok((await report.page.locator("#tip").innerText()).includes(names[4]));
      await report.page.mouse.move(5, 5);
      await report.page.check("#ellipses");
      assert.ok(countDifferent(plain, await browser.pixels(report.page)) > 500);
      await report.page.fill("#search", names[7]);
      await report.page.keyboard.press("Enter");
      assert.equal((await report.state()).selectedName, names[7]);
      assert.ok((await report.page.locator("#neighbours tbody tr").count()) > 0);
      assert.match(await report.page.locator("#card").innerText(), /half\s+first[\s\S]*number\s+7/);
      assert.ok((await report.page.locator("#verdict").innerText()).length > 20);
      assert.ok((await report.page.locator("#traces svg").count()) >= 4);
      assert.ok(await report.page.locator("#clusters").isHidden());
      await report.page.click("#play");
      await report.page.waitForFunction(() => window.sbmds.state().draw >= 0);
      assert.deepEqual(report.complaints, []);
      assert.deepEqual([...new Set(report.requests)], [report.url]);

      run("cluster", fit, "--min-points", "4", "--draws", "50", "--labels", labels, "--truth", "half"); // refreshes the report that fit wrote
      const clustered = await browser.open({ file: join(fit, "report.html") });
      assert.match(await clustered.page.locator("#clusters-note").innerText(), /50 draws of 600/);
      assert.match(await clustered.page.locator("#clusters-numbers").innerText(), /adjusted Rand index/);
      const before = await browser.pixels(clustered.page);
      await clustered.page.click("#show-clusters");
      assert.equal((await clustered.state()).colour, "consensus cluster");
      assert.ok(countDifferent(before, await browser.pixels(clustered.page)) > 500);
      assert.ok(countColoured(await browser.pixels(clustered.page, "#heat-map")) > 500);
      assert.deepEqual(clustered.complaints, []);
    } finally {
      await browser.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
