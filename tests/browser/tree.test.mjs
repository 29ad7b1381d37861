// The tree of a report, made by the program itself from simulated data. Skipped where the program cannot make reports.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browser.mjs";

const built = ["target/release/sbmds", "target/debug/sbmds"].map((path) => fileURLToPath(new URL(`../../${path}`, import.meta.url)));
const sbmds = process.env.SBMDS || built.find(existsSync);

function run(...args) {
  const { status, stderr } = spawnSync(sbmds, args, { encoding: "utf8" });
  assert.ok(status === 0 || (args[0] === "fit" && status === 1), `sbmds ${args.join(" ")} ended with ${status}: ${stderr}`); // 1: drawn, not converged
}

for (const dims of [1, 3]) {
  test(`the tree of a fit in ${dims} dimensions`, { skip: !sbmds && "no sbmds" }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "sbmds-tree-"));
    const browser = await startBrowser();
    try {
      const [data, fit, tree] = ["data", "fit", "tree.nwk"].map((name) => join(folder, name));
      run("simulate", "--objects", "20", "--dims", "2", "--seed", "1", "--out", data);
      const names = readFileSync(join(data, "distances.csv"), "utf8").split("\n")[0].split(",").slice(1).map((name) => name.trim());
      writeFileSync(tree, `${names.slice(1).reduce((inner, name, i) => `(${inner}:${0.1 + (i % 3) / 10},${name}:${0.5 + (i % 4) / 10})`, names[0])};`);
      run("fit", join(data, "distances.csv"), "--tree", tree, "--dims", String(dims), "--warmup", "200", "--draws", "200", "--chains", "2", "--seed", "1", "--out", fit);
      const report = await browser.open({ file: join(fit, "report.html") });
      const { page } = report;
      assert.match(await page.locator("#contents").innerText(), /Diffusion along the tree/);
      assert.match(await page.locator("#tree-note").innerText(), /tree 1 of tree\.nwk/);
      assert.equal(await page.locator("#tree .rate svg").count(), 2);
      assert.match(await page.locator("#tree .rate h3").first().innerText(), /Diffusion rate[\s\S]*95% in \[/);
      assert.equal(await page.locator("#branch-table tbody tr").count(), 4);
      assert.equal(await page.locator("#tree .tree-map circle").count(), 20);
      const branches = await page.locator("#tree path.branches").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")).join(""));
      assert.equal(branches.match(/M/g).length, 38, "a branch for every node but the root");
      assert.doesNotMatch(branches, /NaN/);
      await page.locator("#tree .tree-map circle").first().dispatchEvent("click");
      assert.ok((await report.state()).selectedName, "a tip that is pressed is selected");
      assert.deepEqual(report.complaints, []);
      assert.deepEqual([...new Set(report.requests)], [report.url]);
    } finally {
      await browser.stop();
      rmSync(folder, { recursive: true });
    }
  });
}
