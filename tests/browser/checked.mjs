// A browser for all tests of a file (or of a group), whose reports must be silent and ask for nothing.
import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import { startBrowser } from "./browser.mjs";

// After each test the report opened last is checked and closed.
export function checkedBrowser(options) {
  let browser;
  let report;
  before(async () => (browser = await startBrowser(options)));
  afterEach(async () => {
    assert.deepEqual(report.complaints, [], "the console is silent");
    assert.deepEqual([...new Set(report.requests)], [report.url], "no request leaves the file");
    await report.close();
  });
  after(() => browser.stop());
  return { open: async (sample) => (report = await browser.open(sample)), pixels: (...what) => browser.pixels(...what) };
}
