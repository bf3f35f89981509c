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
