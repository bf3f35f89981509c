// SPDX-License-Identifier: GPL-2.0-only
// The page of one run: the table of its results, a drawing of one column, and what was run.
"use strict";
const run = (() => {
  const place = (id) => document.getElementById(id);
  const SHOWN_BARS = 30;
  const SHOWN_PLANS = 20;

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
  // Plans have a drawing of their own.
  const shown = names.map((_, column) => column).filter((column) => !isSame(column) && names[column] !== "plan");
  const figures = shown.filter((column) => rows.some((row) => row[column] !== "") &&
    rows.every((row) => row[column] === "" || isNumber(row[column])));
  // As few columns as tell rows apart, planners and cases before all others and numbers last.
  const labels = [];
  const labelOf = (row) => labels.filter((column) => row[column] !== "").map((column) =>
    figures.includes(column) ? `${titleOf(names[column])} ${row[column]}` : row[column]).join(", ") || "-";
  const rank = (column) => ["planner", "case"].indexOf(names[column]) >>> 0;
  for (const column of [...shown.filter((one) => !figures.includes(one)).sort((a, b) => rank(a) - rank(b)), ...figures.slice(0, 2)]) {
    const before = new Set(rows.map(labelOf)).size;
    if (before === rows.length) break;
    labels.push(column);
    if (new Set(rows.map(labelOf)).size === before) labels.pop();
  }
  // What the scenario is about; then whatever takes seconds. Plans that change take time between iterations.
  const changesPlans = rows.some((row) => Number(row[names.indexOf("planChanges")]) > 0);
  const POINTS = ["difference", "meanLatencySeconds", "simulatedLatencySeconds", "meanResponseSeconds",
    "samplesPerSecond", changesPlans ? "totalSeconds" : "iterationSeconds"];
  const usual = [...POINTS.map((name) => names.indexOf(name)), ...figures.filter((column) => /Seconds$/.test(names[column])),
    ...figures].find((column) => figures.includes(column));
  // The table begins with what tells rows apart, and this figure.
  const first = (column) => (labels.includes(column) && !figures.includes(column) ? -2 : column === usual ? -1 : 0);
  shown.sort((a, b) => first(a) - first(b) || a - b);
  const lookOf = (name) => look(name, names);
  const write = (column, text) => text === "" ? "-" : isNumber(text) ? lookOf(names[column]).write(Number(text))
    : text;
  let order = { column: -1, sign: 1 };

  const drawTable = () => {
    const sorted = order.column < 0 ? rows
      : [...rows].sort((a, b) => order.sign * compare(a[order.column], b[order.column]));
    document.querySelector("#results thead").replaceChildren(make("tr", {}, ...shown.map((column) => {
      const cell = make("th", { textContent: lookOf(names[column]).title, title: names[column], tabIndex: 0 });
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
        textContent: write(column, row[column]), className: figures.includes(column) ? "" : "text",
      })))));
  };

  // Empties a drawing, and returns what adds to it.
  const drawIn = (id, width, height) => {
    const svg = place(id);
    svg.replaceChildren();
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    return (tag, attributes, text = "", hint = "") => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.textContent = text;
      if (hint) {
        const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
        title.textContent = hint;
        element.append(title);
      }
      svg.append(element);
    };
  };

  // Longest texts of a place, in pixels; letters are some seven wide, at most eight in short words.
  const clip = (text, pixels) => text.length * 7 <= pixels ? text : `${text.slice(0, Math.max(1, pixels / 7 - 1))}\u2026`;

  const drawBars = () => {
    const column = Number(place("figure").value);
    const all = rows.filter((row) => row[column] !== "");
    const size = (row) => Math.abs(Number(row[column]));
    const values = all.length <= SHOWN_BARS ? all : [...all].sort((a, b) => size(b) - size(a)).slice(0, SHOWN_BARS);
    place("left").textContent = [
      all.length > values.length ? `the ${values.length} largest of ${all.length}` : "",
      names[column] === "totalSeconds" ? "what a user waits for: iterations, decisions and moved weights" : "",
    ].filter((text) => text).join("; ");
    const most = Math.max(...values.map(size), Number.MIN_VALUE);
    const total = Math.min(1000, place("comparison").clientWidth);
    const isNarrow = total < 640; // labels stand above their bars
    const line = isNarrow ? 40 : 22;
    const longest = Math.max(...values.map((row) => labelOf(row).length));
    const left = isNarrow ? 0 : Math.min(12 + 8 * longest, total / 2);
    const width = total - left - 90;
    const add = drawIn("bars", total, values.length * line + 4);
    values.forEach((row, number) => {
      const value = Number(row[column]);
      const length = Math.max(1, Math.abs(value) / most * width);
      const top = number * line + (isNarrow ? 19 : 3);
      add("text", isNarrow ? { x: 0, y: top - 4 } : { x: left - 8, y: top + 13, "text-anchor": "end" },
        clip(labelOf(row), isNarrow ? total : left - 8));
      add("rect", { x: left, y: top, width: length, height: 16, fill: value < 0 ? "#D55E00" : "#0072B2" });
      add("text", { x: left + length + 6, y: top + 13 }, lookOf(names[column]).write(value));
    });
  };

  // A strip for each plan: the network's layers, or the batch's samples, from left to right, and who has them.
  const drawPlans = (plans) => {
    const known = new Map(); // cases with the same plan, by plan
    for (const plan of plans) {
      const key = JSON.stringify(plan.parts.map((part) => [part.device, part.spans]));
      const label = [plan.case, plan.moment].filter((text) => text !== "").join(", ");
      if (known.has(key)) known.get(key).labels.push(label);
      else known.set(key, { ...plan, labels: [label] });
    }
    const strips = [...known.values()].slice(0, SHOWN_PLANS);
    place("more").textContent = known.size > strips.length ? `and ${known.size - strips.length} more in results.csv` : "";
    const colours = new Map();
    const colourOf = (device) => {
      if (!colours.has(device)) colours.set(device, colourAt(colours.size));
      return colours.get(device);
    };
    const width = Math.min(1000, place("plan").clientWidth);
    const add = drawIn("strips", width, strips.length * 68);
    strips.forEach(({ labels: whose, parts, shareOf }, number) => {
      const top = number * 68 + 18;
      const count = Math.max(...parts.flatMap((part) => part.spans.map((span) => span[1] + 1)));
      add("text", { x: 0, y: top - 5 }, clip(whose.join("; "), width));
      let free = 0; // where the next name of a first layer may stand
      for (const part of parts) {
        const facts = [`${part.device}: ${part.work.replaceAll("..", " to ").replaceAll(",", ", ")}`];
        if (part.share !== undefined) facts.push(`${(100 * part.share).toFixed(1)} % of the ${shareOf}`);
        if (part.capacityBytes) facts.push(`${writeBytes(part.memoryBytes)} of ${writeBytes(part.capacityBytes)}`);
        for (const [first, last] of part.spans) {
          const x = first / count * width;
          const length = (last + 1) / count * width - x;
          const colour = colourOf(part.device);
          add("rect", { x, y: top, width: Math.max(1, length - 1), height: 24, fill: colour }, "", facts.join(", "));
          if (length > 40) {
            const fill = ["#56B4E9", "#E69F00", "#F0E442"].includes(colour) ? "#000" : "#fff";
            add("text", { x: x + 4, y: top + 16, fill, "pointer-events": "none" }, clip(part.device, length - 8));
          }
          const text = part.work.split(",")[part.spans.findIndex((span) => span[0] === first)].split("..")[0];
          if (x >= free && x + 7 * text.length <= width) {
            add("text", { x, y: top + 38, "font-size": 11, fill: "#555" }, text);
            free = x + 7 * text.length + 6;
          }
        }
      }
    });
    place("devices").replaceChildren(...[...colours].map(([device, colour]) => {
      const sample = make("i");
      sample.style.background = colour;
      return make("span", {}, sample, device);
    }));
  };

  // A table of a file of draws; a number is written as the column, or the figure in the row, asks.
  const drawDraws = (id, file, keep = () => true) => {
    const [heads, ...lines] = readCsv(file);
    const figure = heads.indexOf("figure");
    place(id).replaceChildren(
      make("tr", {}, ...heads.map((name) => make("th", { textContent: lookOf(name).title }))),
      ...lines.filter(keep).map((row) => make("tr", {}, ...row.map((text, at) => make("td", {
        textContent: at === figure ? lookOf(text).title : isNumber(text) && at > 1
          ? lookOf(figure < 0 ? heads[at] : row[figure]).write(Number(text)) : text,
        className: at > 1 ? "" : "text",
      })))));
  };

  const shorten = (value) => {
    const [size, letter] = [[1e9, "\u2009G"], [1e6, "\u2009M"], [1e3, "\u2009k"]]
      .find((one) => Math.abs(value) >= one[0]) ?? [1, ""];
    return format(Number((value / size).toPrecision(4))) + letter;
  };

  // One column over another, a line for each combination of values of the columns that tell them apart.
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
      const colours = coloursOf(names);
      for (const [lines, dash] of [[main, ""], [beside, "5 4"]]) {
        for (const [name, line] of lines) {
          const colour = colours[names.indexOf(name)];
          add("polyline", { points: line.map((point) => `${x(point[0])},${y(point[1])}`).join(" "), fill: "none",
            stroke: colour, "stroke-width": 1.5, "stroke-dasharray": dash });
          if (!dash && line.length <= 40) {
            for (const point of line) add("circle", { cx: x(point[0]), cy: y(point[1]), r: 3, fill: colour });
          }
        }
      }
      place("names").replaceChildren(...[...main].map(([name, line], at) => {
        const sample = make("i");
        sample.style.background = colours[at];
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
    .map((name) => `${lookOf(name).title} ${write(names.indexOf(name), rows[0][names.indexOf(name)])}`).join("; ") || "nothing";
  place("stacks").textContent = data.run.unlikeStacks ?? "";
  place("notes").append(...data.notes.map((textContent) => make("p", { textContent })));
  place("figure").append(...figures.map((column) => make("option", { value: column, textContent: lookOf(names[column]).title })));
  if (usual !== undefined) place("figure").value = usual;
  place("figure").onchange = drawBars;
  // Rows of a sweep are lines over what it varies.
  const over = ["bandwidthBitsPerSecond", "devices"].find((name) => figures.includes(names.indexOf(name)));
  const curves = data.curves ?? (over && rows.length > 3 ? {
    points: data.results, over, of: [usual, ...figures.filter((column) => column !== usual)].map((column) => names[column])
      .filter((name) => name !== over), by: shown.filter((column) => ["planner", "pipelines"].includes(names[column]))
      .map((column) => names[column]) } : null);
  if (curves) drawCurves(curves);
  else place("curves").remove();
  drawTable();
  const plans = data.run.plans ?? [];
  if (plans.length) drawPlans(plans);
  else place("plan").remove();
  if (data.draws) {
    drawDraws("intervals", data.draws.intervals, (row) => row[3] !== row[5]);
    drawDraws("orders", data.draws.orders);
  } else place("draws").remove();
  const hasBars = rows.length > 1 && curves?.points !== data.results && figures.length > 0;
  if (hasBars) drawBars();
  else place("comparison").remove();
  window.addEventListener("resize", () => {
    if (plans.length) drawPlans(plans);
    if (hasBars) drawBars();
  });
  place("pictures").append(...(data.pictures ?? []).map((name) =>
    make("a", { href: name }, make("img", { src: name, alt: name }))));
  list("costs", Object.entries(data.run.layerCosts ?? {}).map(([type, cost]) =>
    `${type}: ${cost.origin} (${cost.source})`), "No layer costs are used.");
  place("files").append(...data.files.map((name) => make("li", {}, make("a", { href: name, textContent: name }))));
  place("options").textContent = Object.entries(data.run.options ?? {})
    .map(([name, value]) => /\s/.test(value) ? `'--${name}=${value}'` : `--${name}=${value}`).join(" ");
  return { rows, names };
})();
