// SPDX-License-Identifier: GPL-2.0-only
// The page of one run: the table of its results, a drawing of one column, and what was run.
"use strict";
const run = (() => {
  const place = (id) => document.getElementById(id);

  // Rows of a CSV file below its comments; a quoted value may hold commas, line ends and doubled quotes.
  const readCsv = (file) => {
    const text = file.replace(/^(#.*\n)+/, "");
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
  // Rows of one label are told apart by the numbers that stand first.
  for (const column of figures.slice(0, 2)) if (new Set(rows.map(labelOf)).size < rows.length) labels.push(column);
  labels.sort((a, b) => a - b);
  // "iterationSeconds" as "iteration (s)".
  const UNITS = { Seconds: "s", Bytes: "bytes", Samples: "samples", Joules: "J", Meters: "m", BitsPerSecond: "bit/s",
    BytesPerSecond: "bytes/s", PerSecond: "1/s", Ns: "ns", Mhz: "MHz", Ghz: "GHz" };
  const ALONE = { seconds: "time (s)", bitsPerSecond: "rate (bit/s)" };
  const titleOf = (name) => {
    if (ALONE[name]) return ALONE[name];
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

  // Empties a drawing, and returns what adds to it.
  const drawIn = (id, width, height) => {
    const svg = place(id);
    svg.replaceChildren();
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    return (tag, attributes, text = "") => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.textContent = text;
      svg.append(element);
    };
  };

  const drawBars = () => {
    const column = Number(place("figure").value);
    const values = rows.filter((row) => row[column] !== "");
    const most = Math.max(...values.map((row) => Math.abs(Number(row[column]))), Number.MIN_VALUE);
    const line = 22;
    const labelled = values.map((row) => labelOf(row)).map((one) => one.length > 34 ? `${one.slice(0, 33)}\u2026` : one);
    const left = 12 + 8 * Math.max(0, ...labelled.map((one) => one.length));
    const width = 420;
    const add = drawIn("bars", left + width + 110, values.length * line + 4);
    values.forEach((row, number) => {
      const value = Number(row[column]);
      const length = Math.max(1, Math.abs(value) / most * width);
      add("text", { x: left - 8, y: number * line + 16, "text-anchor": "end" }, labelled[number]);
      add("rect", { x: left, y: number * line + 3, width: length, height: line - 6,
        fill: value < 0 ? "#D55E00" : "#0072B2" });
      add("text", { x: left + length + 6, y: number * line + 16 }, format(value));
    });
  };

  const shorten = (value) => {
    const [size, letter] = [[1e9, "\u2009G"], [1e6, "\u2009M"], [1e3, "\u2009k"]]
      .find((one) => Math.abs(value) >= one[0]) ?? [1, ""];
    return format(Number((value / size).toPrecision(4))) + letter;
  };

  // One column over another, a line for each combination of values of the columns that tell them apart.
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999999"];
  const drawCurves = ({ points, over, of, by, expected }) => {
    const [heads, ...rest] = readCsv(points);
    const values = (name) => [...new Set(rest.map((row) => row[heads.indexOf(name)]))];
    const choose = (name, options, texts = options) => {
      const select = make("select", {}, ...options.map((value, at) => make("option", { value, textContent: texts[at] })));
      select.dataset.name = name;
      select.onchange = draw;
      place("choices").append(make("label", {}, `${titleOf(name)} `, select), " ");
      return select;
    };
    const linesOf = (column) => {
      const found = new Map();
      for (const row of rest) {
        const x = row[heads.indexOf(over)];
        const y = row[heads.indexOf(column)];
        if (x === "" || y === "" || filters.some((one) => one.value && one.value !== row[heads.indexOf(one.dataset.name)])) continue;
        const name = filters.filter((one) => !one.value)
          .map((one) => `${titleOf(one.dataset.name)} ${row[heads.indexOf(one.dataset.name)]}`).join(", ");
        if (!found.has(name)) found.set(name, []);
        found.get(name).push([Number(x), Number(y)]);
      }
      return found;
    };
    const draw = () => {
      const main = linesOf(figure.value);
      const beside = expected && figure.value === of[0] ? linesOf(expected) : new Map();
      const all = [...main.values(), ...beside.values()].flat();
      const range = (at) => all.reduce(([low, high], point) => [Math.min(low, point[at]), Math.max(high, point[at])],
        [Infinity, -Infinity]);
      const [from, to] = range(0);
      let [low, high] = range(1);
      low = Math.min(low, high > 0 ? 0 : low);
      high = high > low ? high : low + 1;
      const width = Math.min(1000, place("curves").clientWidth);
      const [height, left, bottom] = [340, 84, 296];
      const add = drawIn("lines", width, height);
      const x = (value) => left + (value - from) / (to - from || 1) * (width - left - 16);
      const y = (value) => bottom - (value - low) / (high - low) * (bottom - 14);
      const ticks = (start, end, count) => {
        const step = tickStep(end - start || 1, count);
        return Array.from({ length: Math.floor((end - start) / step + 1e-9) + 1 },
          (_, at) => Number(((Math.ceil(start / step - 1e-9) + at) * step).toPrecision(12))).filter((one) => one <= end);
      };
      for (const at of ticks(low, high, 6)) {
        add("line", { x1: left, x2: width - 16, y1: y(at), y2: y(at), stroke: "#ddd" });
        add("text", { x: left - 8, y: y(at) + 4, "text-anchor": "end" }, shorten(at));
      }
      for (const at of ticks(from, to, Math.max(2, width / 110))) {
        add("line", { x1: x(at), x2: x(at), y1: 14, y2: bottom, stroke: "#eee" });
        add("text", { x: x(at), y: bottom + 18, "text-anchor": "middle" }, shorten(at));
      }
      add("text", { x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, titleOf(over));
      const names = [...main.keys()];
      for (const [lines, dash] of [[main, ""], [beside, "5 4"]]) {
        for (const [name, line] of lines) {
          const colour = COLOURS[names.indexOf(name) % COLOURS.length];
          add("polyline", { points: line.map((point) => `${x(point[0])},${y(point[1])}`).join(" "), fill: "none",
            stroke: colour, "stroke-width": 1.5, "stroke-dasharray": dash });
          if (!dash && line.length <= 40) {
            for (const point of line) add("circle", { cx: x(point[0]), cy: y(point[1]), r: 3, fill: colour });
          }
        }
      }
      place("names").replaceChildren(...[...main].map(([name, line], at) => {
        const sample = make("i");
        sample.style.background = COLOURS[at % COLOURS.length];
        const figures = line.map((point) => point[1]).sort((a, b) => a - b);
        const mean = figures.reduce((sum, one) => sum + one, 0) / figures.length;
        return make("span", {}, sample, `${name}${name ? ": " : ""}${shorten(mean)} in the mean, ` +
          `${shorten(figures[0])} to ${shorten(figures[figures.length - 1])}`);
      }), ...(beside.size ? [make("span", { textContent: `dashed: ${titleOf(expected)}` })] : []));
      const title = `${titleOf(figure.value)} over ${titleOf(over)}`;
      place("over").textContent = title[0].toUpperCase() + title.slice(1);
      place("lines").setAttribute("aria-label", title);
    };
    const figure = choose("figure", of, of.map(titleOf));
    const filters = by.filter((name) => values(name).length > 1)
      .map((name) => choose(name, ["", ...values(name)], ["all", ...values(name)]));
    for (const one of filters) {
      if (linesOf(of[0]).size > COLOURS.length) one.selectedIndex = 1;
    }
    draw();
    window.addEventListener("resize", draw);
  };

  const list = (id, lines, none) => place(id).replaceChildren(
    ...(lines.length ? lines : [none]).map((text) => make("li", { textContent: text })));

  place("command").textContent = data.command;
  place("table").textContent = data.table;
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
  place("notes").append(...data.notes.map((textContent) => make("p", { textContent })));
  place("figure").append(...figures.map((column) => make("option", { value: column, textContent: titleOf(names[column]) })));
  const usual = figures.find((column) => /^(iteration|simulatedLatency|mean.*|weightUpdate)Seconds$/.test(names[column]));
  if (usual !== undefined) place("figure").value = usual;
  place("figure").onchange = drawBars;
  if (data.curves) drawCurves(data.curves);
  else place("curves").remove();
  drawTable();
  if (rows.length < 2 || data.curves?.points === data.results) place("comparison").remove();
  else if (figures.length) drawBars();
  list("costs", Object.entries(data.run.layerCosts ?? {}).map(([type, cost]) =>
    `${type}: ${cost.origin} (${cost.source})`), "No layer costs are used.");
  place("files").append(...data.files.map((name) => make("li", {}, make("a", { href: name, textContent: name }))));
  place("options").textContent = Object.entries(data.run.options ?? {})
    .map(([name, value]) => /\s/.test(value) ? `'--${name}=${value}'` : `--${name}=${value}`).join(" ");
  return { rows, names };
})();
