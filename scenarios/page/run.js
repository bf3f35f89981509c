// SPDX-License-Identifier: GPL-2.0-only
// The page of one run: the table of its results, a drawing of one column, and what was run.
"use strict";
const run = (() => {
  const place = (id) => document.getElementById(id);

  // Rows of a CSV file; a quoted value may hold commas, line ends and doubled quotes.
  const readCsv = (text) => {
    const rows = [[""]];
    let isQuoted = false;
    for (let at = 0; at < text.length; ++at) {
      const row = rows[rows.length - 1];
      const sign = text[at];
      if (isQuoted && sign === '"' && text[at + 1] === '"') row[row.length - 1] += text[++at];
      else if (sign === '"') isQuoted = !isQuoted;
      else if (!isQuoted && sign === ",") row.push("");
      else if (!isQuoted && sign === "\n") rows.push([""]);
      else row[row.length - 1] += sign;
    }
    return rows.filter((row) => row.length > 1 || row[0] !== "");
  };

  const [names = [], ...rows] = readCsv(data.results);
  const isSame = (column) => rows.length > 1 && rows.every((row) => row[column] === rows[0][column]);
  const shown = names.map((_, column) => column).filter((column) => !isSame(column));
  const figures = shown.filter((column) => rows.some((row) => row[column] !== "") &&
    rows.every((row) => row[column] === "" || isNumber(row[column])));
  const labels = shown.filter((column) => !figures.includes(column));
  const labelOf = (row) => labels.map((column) => row[column]).filter((text) => text !== "").join(", ") || "-";
  // "iterationSeconds" as "iteration (s)".
  const UNITS = { Seconds: "s", Bytes: "bytes", Samples: "samples", Joules: "J", Meters: "m", BitsPerSecond: "bit/s",
    BytesPerSecond: "bytes/s", PerSecond: "1/s" };
  const titleOf = (name) => {
    const [unit] = Object.keys(UNITS).sort((a, b) => b.length - a.length).filter((one) => name.endsWith(one));
    const words = (unit ? name.slice(0, -unit.length) : name).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return unit && words ? `${words} (${UNITS[unit]})` : words || name;
  };
  const write = (text) => text === "" ? "-" : isNumber(text) ? format(Number(text)) : text;
  let order = { column: -1, sign: 1 };

  const drawTable = () => {
    const sorted = order.column < 0 ? rows
      : [...rows].sort((a, b) => order.sign * compare(a[order.column], b[order.column]));
    document.querySelector("#results thead").replaceChildren(make("tr", {}, ...shown.map((column) => {
      const cell = make("th", { textContent: titleOf(names[column]), title: names[column], tabIndex: 0 });
      if (!figures.includes(column)) cell.className = "text";
      if (column === order.column) cell.ariaSort = order.sign > 0 ? "ascending" : "descending";
      cell.onclick = () => {
        order = { column, sign: order.column === column ? -order.sign : 1 };
        drawTable();
      };
      cell.onkeydown = (event) => { if (event.key === "Enter") cell.onclick(); };
      return cell;
    })));
    document.querySelector("#results tbody").replaceChildren(...sorted.map((row) =>
      make("tr", {}, ...shown.map((column) => make("td", {
        textContent: write(row[column]), className: figures.includes(column) ? "" : "text",
      })))));
  };

  const drawBars = () => {
    const column = Number(place("figure").value);
    const values = rows.filter((row) => row[column] !== "");
    const most = Math.max(...values.map((row) => Math.abs(Number(row[column]))), Number.MIN_VALUE);
    const line = 22;
    const left = 230;
    const width = 420;
    const svg = place("bars");
    const add = (tag, attributes, text = "") => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.textContent = text;
      svg.append(element);
    };
    svg.replaceChildren();
    svg.setAttribute("width", left + width + 110);
    svg.setAttribute("height", values.length * line + 4);
    values.forEach((row, number) => {
      const value = Number(row[column]);
      const length = Math.max(1, Math.abs(value) / most * width);
      const label = labelOf(row);
      add("text", { x: left - 8, y: number * line + 16, "text-anchor": "end" },
        label.length > 34 ? `${label.slice(0, 33)}\u2026` : label);
      add("rect", { x: left, y: number * line + 3, width: length, height: line - 6,
        fill: value < 0 ? "#D55E00" : "#0072B2" });
      add("text", { x: left + length + 6, y: number * line + 16 }, format(value));
    });
  };

  const list = (id, lines, none) => place(id).replaceChildren(
    ...(lines.length ? lines : [none]).map((text) => make("li", { textContent: text })));

  place("command").textContent = data.command;
  place("copy").onclick = async () => {
    try {
      await navigator.clipboard.writeText(data.command);
      place("copy").textContent = "copied";
    } catch {
      getSelection().selectAllChildren(place("command"));
    }
  };
  place("facts").textContent = [...Object.entries(data.run.versions ?? {}).map(([name, version]) => `${name} ${version}`),
    `seed ${data.run.rngSeed}, run ${data.run.rngRun}`].join("; ");
  place("same").textContent = names.filter((_, column) => isSame(column))
    .map((name) => `${titleOf(name)} ${write(rows[0][names.indexOf(name)])}`).join("; ") || "nothing";
  place("figure").append(...figures.map((column) => make("option", { value: column, textContent: titleOf(names[column]) })));
  const usual = figures.find((column) => /^(iterationSeconds|mean.*Seconds|weightUpdateSeconds)$/.test(names[column]));
  if (usual !== undefined) place("figure").value = usual;
  place("figure").onchange = drawBars;
  drawTable();
  if (figures.length) drawBars();
  list("costs", Object.entries(data.run.layerCosts ?? {}).map(([type, cost]) =>
    `${type}: ${cost.origin} (${cost.source})`), "No layer costs are used.");
  place("files").append(...data.files.map((name) => make("li", {}, make("a", { href: name, textContent: name }))));
  place("options").textContent = Object.entries(data.run.options ?? {})
    .map(([name, value]) => `--${name}=${value}`).join(" ");
  return { rows, names };
})();
