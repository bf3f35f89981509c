// SPDX-License-Identifier: GPL-2.0-only
// What every page of results uses: its data, and how values are written and compared.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

const format = (value) => {
  if (value === null || value === undefined || value === "") return "-";
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return value.toLocaleString("en-US").replaceAll(",", "\u2009");
  return size >= 1e-3 && size < 1e6 ? String(Number(value.toPrecision(4))) : value.toExponential(3);
};

const isNumber = (value) => value !== "" && Number.isFinite(Number(value));

// Colours of lines and devices: Okabe and Ito's palette for colour-blind readers.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#000000", "#999999"];
// Cases that have the same colour on every page and, by looks.py, which reads this, in every picture.
const LOOKS = {
  "qdmp": "#0072B2", "dads": "#D55E00", "neurosurgeon": "#E69F00", "edge-only": "#999999", "cloud-only": "#56B4E9",
  "defp": "#0072B2", "milp": "#000000", "ogreedy": "#009E73", "igreedy": "#CC79A7", "defp-as-printed": "#E69F00",
  "all-local": "#999999", "all-server": "#D55E00",
  "bno": "#D55E00", "bno-normalized": "#E69F00", "equal": "#999999", "random": "#56B4E9", "optimal": "#0072B2",
  "neither": "#999999", "replanning": "#0072B2", "adjacent": "#E69F00", "both": "#D55E00"
};
// No two of the first 24 are alike: those after the last of the colours are paler.
const colourAt = (at, colours = COLOURS) => {
  const colour = colours[at % colours.length];
  const strength = Math.max(30, 100 - 35 * Math.floor(at / colours.length));
  return strength === 100 ? colour : `color-mix(in srgb, ${colour} ${strength}%, white)`;
};
// Colours of cases; those without one of their own get what the others leave, in turn.
const coloursOf = (names) => {
  const left = COLOURS.filter((colour) => !names.some((name) => LOOKS[name] === colour));
  let at = 0;
  return names.map((name) => LOOKS[name] ?? colourAt(at++, left));
};

// Units at the end of a column's name, columns that are no more than one, and those that are shown in another
// unit: pattern, unit of the file, unit shown, factor, and a column beside which alone it holds. Read by
// units.py, too.
const UNITS = {
  "ends": {"Seconds": "s", "Bytes": "bytes", "Samples": "samples", "Joules": "J", "Meters": "m",
    "BitsPerSecond": "bit/s", "BytesPerSecond": "bytes/s", "PerSecond": "1/s", "Ns": "ns", "Mhz": "MHz", "Ghz": "GHz"},
  "alone": {"seconds": "time (s)", "bitsPerSecond": "rate (bit/s)"},
  "shown": [
    ["(Latency|Response|weightUpdate|exchangeAndStep|queue)Seconds$", "s", "ms", 1000, ""],
    ["^iterationSeconds$", "s", "ms", 1000, "weightUpdateSeconds"],
    ["(Rate|Share)$|^(difference|limit|modelError)$", "", "%", 100, ""],
    ["BitsPerSecond$", "bit/s", "Mbit/s", 0.000001, ""]
  ]
};

// "iterationSeconds" as "iteration (s)".
const titleOf = (name) => {
  if (UNITS.alone[name]) return UNITS.alone[name];
  const [unit] = Object.keys(UNITS.ends).sort((a, b) => b.length - a.length).filter((one) => name.endsWith(one));
  const words = (unit ? name.slice(0, -unit.length) : name).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return unit && words ? `${words} (${UNITS.ends[unit]})` : words || name;
};

const digits = (value, count = 4) => value === 0 ? "0"
  : Math.abs(value) >= 10 ** count ? format(Math.round(value)) : value.toPrecision(count);
const writeBytes = (value, count = 4) => {
  const power = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1) / 3)));
  return power ? `${digits(value / 1e3 ** power, count)} ${"BkMG"[power]}B` : `${format(value)} B`;
};

// Title of a column, and how its values are written, both in the unit of the terminal; count: of digits.
const look = (name, names) => {
  const [, from, to, factor] = UNITS.shown.find(([pattern, , , , beside]) =>
    new RegExp(pattern).test(name) && (!beside || names.includes(beside))) ?? [];
  if (to === "%") {
    return { title: titleOf(name),
      write: (value, count) => `${count ? digits(factor * value, count) : (factor * value).toFixed(1)} %` };
  }
  if (to) {
    return { title: titleOf(name).replace(`(${from})`, `(${to})`), write: (value, count) => digits(factor * value, count) };
  }
  if (/Bytes(Per[A-Z][a-z]+)?$/.test(name)) {
    const per = /Second$/.test(name) ? "/s" : "";
    return { title: titleOf(name).replace(/ \(bytes.*\)/, ""), write: (value, count) => writeBytes(value, count) + per };
  }
  return { title: titleOf(name), write: /Seconds$/.test(name) && name !== "simulatedSeconds" ? digits : format };
};

// A round distance of ticks, so that there are about so many over a length.
const tickStep = (length, count) => {
  const rough = length / count;
  const base = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * base).find((one) => one >= rough);
};

// Numbers by size, before texts; what is missing comes last.
const compare = (a, b) => {
  const missing = (value) => value === "" || value === null || value === undefined;
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
};
