// Opening a report in Chromium as a reader would, and measuring what is on the screen.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { assemble, makeData } from "./make_sample.mjs";

const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const SOFTWARE_WEBGL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const NO_WEBGL = ["--disable-3d-apis"];

// Software WebGL says so when a screenshot reads its pixels: the driver's remark, not the page's.
const DRIVER_REMARK = /GL Driver Message/;

export async function startBrowser({ webgl = true } = {}) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: [...QUIET, ...(webgl ? SOFTWARE_WEBGL : NO_WEBGL)] });
  const folder = mkdtempSync(join(tmpdir(), "sbmds-report-"));
  const blank = await browser.newPage();

  // Opens a made-up report ({objects, dims, ...}) or a file that exists ({file}).
  async function open({ file, width = 1280, height = 800, theme = "light", change = (data) => data, ...sample }) {
    const path = file || join(folder, "report.html");
    if (!file) writeFileSync(path, assemble(change(makeData(sample))));
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
    const page = await context.newPage();
    const [complaints, requests] = [[], []];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !DRIVER_REMARK.test(message.text())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.stack));
    context.on("request", (request) => requests.push(request.url()));
    const url = pathToFileURL(path).href;
    await page.goto(url);
    await page.evaluate(() => window.sbmds.ready);
    const state = () => page.evaluate(() => window.sbmds.state());
    return { page, url, complaints, requests, state, close: () => context.close() };
  }

  // [width, height, RGBA bytes] of what an element shows.
  async function pixels(page, selector = "#stage") {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const png = (await page.locator(selector).screenshot()).toString("base64");
    const bytes = await blank.evaluate(async (base64) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      let text = "";
      for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
      return btoa(text);
    }, png);
    return Buffer.from(bytes, "base64");
  }

  async function stop() {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { open, pixels, stop };
}

// Pixels that are neither grey nor nearly so.
export function countColoured(image) {
  let count = 0;
  for (let i = 0; i < image.length; i += 4) {
    if (Math.max(image[i], image[i + 1], image[i + 2]) - Math.min(image[i], image[i + 1], image[i + 2]) > 40) count++;
  }
  return count;
}

export function countDifferent(one, other) {
  let count = 0;
  for (let i = 0; i < Math.min(one.length, other.length); i += 4) {
    if (Math.abs(one[i] - other[i]) + Math.abs(one[i + 1] - other[i + 1]) + Math.abs(one[i + 2] - other[i + 2]) > 24) count++;
  }
  return count;
}

export const brightness = (image) => image.reduce((sum, value, i) => sum + (i % 4 === 3 ? 0 : value), 0) / (0.75 * image.length);
