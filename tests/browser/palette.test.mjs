// The colours of style.css: texts readable (WCAG AA), levels told apart by readers with any of the common forms of colour vision.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync(new URL("../../crates/sbmds/src/report/page/style.css", import.meta.url), "utf8");
const block = (selector) => css.slice(css.indexOf(`${selector} {`), css.indexOf("}", css.indexOf(`${selector} {`)));
const colours = (selector) => Object.fromEntries([...block(selector).matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]));

const linear = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (one, other) => {
  const [low, high] = [luminance(linear(one)), luminance(linear(other))].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

// Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB; and full colour vision.
const VISION = {
  full: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const seen = (matrix, rgb) => matrix.map((row) => Math.min(1, Math.max(0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])));

// Oklab (Ottosson 2020), in which distances are about as large as they look.
function oklab([r, g, b]) {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}
const apart = (matrix, one, other) => {
  const [a, b] = [one, other].map((hex) => oklab(seen(matrix, linear(hex))));
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
};

for (const [theme, selector] of [["light", ":root"], ["dark", ':root[data-theme="dark"]']]) {
  const colour = colours(selector);
  const levels = Array.from({ length: 8 }, (_, i) => colour[`c${i + 1}`]);

  test(`${theme}: texts have contrast 4.5 or more`, () => {
    for (const text of ["ink", "soft", "accent", "good", "bad"]) {
      for (const ground of ["paper", "raised", "grid"]) assert.ok(contrast(colour[text], colour[ground]) >= 4.5, `${text} on ${ground}: ${contrast(colour[text], colour[ground])}`);
    }
  });

  test(`${theme}: points have contrast 3 or more`, () => {
    for (const level of [...levels, colour.plain]) assert.ok(contrast(level, colour.raised) >= 3, `${level}: ${contrast(level, colour.raised)}`);
  });

  // 0.076 is what the palette of Okabe and Ito reaches under the same four kinds of vision.
  test(`${theme}: levels are at least 0.09 apart for every kind of vision`, () => {
    for (const [kind, matrix] of Object.entries(VISION)) {
      levels.forEach((one, i) => levels.slice(0, i).forEach((other) => assert.ok(apart(matrix, one, other) >= 0.09, `${one} and ${other}, ${kind}: ${apart(matrix, one, other)}`)));
    }
  });

  test(`${theme}: the ramp of numbers goes one way in lightness`, () => {
    const lightness = Array.from({ length: 7 }, (_, i) => oklab(linear(colour[`s${i}`]))[0]);
    lightness.slice(1).forEach((value, i) => assert.ok(value > lightness[i] + 0.02));
  });
}
