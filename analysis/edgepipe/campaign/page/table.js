// SPDX-License-Identifier: GPL-2.0-only
// The table of results: sorted, filtered, and opened to the runs behind each row.
"use strict";
const table = (() => {
  const head = document.querySelector("#results thead");
  const body = document.querySelector("#results tbody");
  const filters = document.getElementById("filters");
  const wanted = data.keys.map(() => "");
  let words = "";
  let figures = data.shown.map((name) => data.figures.indexOf(name));
  let order = { column: -1, sign: 1 };
  const MOST_CHOICES = 30;
  const MOST_ROWS = 300;  // at first: more of them take a second to lay out
  let isWhole = false;

  // Columns: keys first, by their rank, then the figures that are shown, then the number of runs.
  const ranks = data.choices.map((values) => new Map(values.map((one, rank) => [one, rank])));
  const lookOf = (figure) => look(data.figures[figure], data.figures);
  const value = (group, column) => {
    if (column < data.keys.length) return ranks[column].get(group.keys[column]);
    const figure = figures[column - data.keys.length];
    if (figure === undefined) return group.runs.length;
    return group.means[figure] ? group.means[figure][0] : "";
  };

  const write = (figure, number, count) =>
    typeof number === "number" ? lookOf(figure).write(number, count) : format(number);

  const matches = (group) =>
    group.keys.every((key, index) => wanted[index] === "" || String(key) === wanted[index]) &&
    words.toLowerCase().split(/\s+/).every((word) =>
      group.keys.some((key) => String(key).toLowerCase().includes(word)));

  const chosen = () => {
    const groups = data.groups.filter(matches);
    if (order.column >= 0) {
      groups.sort((a, b) => order.sign * compare(value(a, order.column), value(b, order.column)));
    }
    return groups;
  };

  const runsOf = (group) => {
    const list = make("div");
    for (const [number, ...values] of group.runs) {
      const run = data.cases[number];
      const copy = make("button", { textContent: "copy" });
      copy.onclick = async () => {
        try {
          await navigator.clipboard.writeText(run.command);
          copy.textContent = "copied";
        } catch {
          getSelection().selectAllChildren(copy.previousElementSibling);
        }
      };
      const facts = [...figures.map((figure) => `${lookOf(figure).title} ${write(figure, values[figure])}`),
        `took ${format(run.seconds)} s and ${format(Math.round(run.bytes / 1e6))} MB on ${run.host}`,
        `commit ${run.commit || "unknown"}`, run.ended];
      if (run.outcome !== "ok") facts.unshift(run.outcome);
      const line = make("p", {}, `run ${run.run}: `, make("code", { textContent: run.command }), " ", copy);
      if (run.timeline) {
        const show = make("button", { textContent: "timeline" });
        show.onclick = () => timeline.show(run.timeline);
        line.append(" ", show);
      }
      line.append(make("br"), make("small", { textContent: facts.join("; ") }));
      list.append(line);
    }
    return list;
  };

  const draw = () => {
    const columns = [...data.keys.map((name) => name.replace(/^-+/, "")),
      ...figures.map((figure) => lookOf(figure).title), "runs"];
    head.replaceChildren(make("tr", {}, ...columns.map((name, column) => {
      const cell = make("th", { textContent: name, tabIndex: 0 });
      if (column < data.keys.length) cell.className = "text";
      if (column === order.column) cell.ariaSort = order.sign > 0 ? "ascending" : "descending";
      cell.onclick = () => {
        order = { column, sign: order.column === column ? -order.sign : 1 };
        draw();
      };
      cell.onkeydown = (event) => { if (event.key === "Enter") cell.onclick(); };
      return cell;
    })));
    const groups = chosen();
    const shown = isWhole ? groups : groups.slice(0, MOST_ROWS);
    body.replaceChildren(...shown.map((group) => {
      const row = make("tr", { className: "group" });
      for (const key of group.keys) row.append(make("td", { className: "text", textContent: format(key) }));
      for (const figure of figures) {
        const mean = group.means[figure];
        const cell = make("td", { textContent: mean ? write(figure, mean[0]) : "-" });
        if (mean && mean[1] !== null) {
          const half = mean[1] ? `\u00b1 ${write(figure, Number(mean[1].toPrecision(2)), 2)}` : "equal";
          cell.append(make("span", { className: "half", textContent: ` ${half}` }));
        }
        row.append(cell);
      }
      row.append(make("td", { textContent: group.runs.length }));
      row.onclick = () => {
        if (row.nextElementSibling?.classList.contains("runs")) {
          row.nextElementSibling.remove();
          return;
        }
        const cell = make("td", { colSpan: columns.length }, runsOf(group));
        row.after(make("tr", { className: "runs" }, cell));
      };
      return row;
    }));
    const count = document.getElementById("count");
    count.textContent = `${groups.length} of ${data.groups.length} rows`;
    if (shown.length < groups.length) {
      const all = make("button", { id: "whole", textContent: "show all" });
      all.onclick = () => { isWhole = true; draw(); };
      count.append(`, the first ${shown.length} shown `, all);
    }
  };

  data.keys.forEach((name, index) => {
    const values = [...new Set(data.choices[index].map(String))];
    if (values.length > MOST_CHOICES) return;  // the search finds them
    const choice = make("select", {}, make("option", { value: "", textContent: "all" }),
      ...values.map((one) => make("option", { value: one, textContent: one || "-" })));
    choice.dataset.key = name;
    choice.onchange = () => { wanted[index] = choice.value; draw(); };
    filters.append(make("label", {}, `${name.replace(/^-+/, "")} `, choice));
  });
  const search = make("input", { type: "search", id: "search" });
  search.oninput = () => { words = search.value; draw(); };
  filters.append(make("label", {}, "search ", search));
  const columns = make("details", {}, make("summary", { textContent: "columns" }));
  data.figures.forEach((name, figure) => {
    const box = make("input", { type: "checkbox", checked: figures.includes(figure) });
    box.onchange = () => {
      figures = box.checked ? [...figures, figure] : figures.filter((one) => one !== figure);
      order = { column: -1, sign: 1 };
      draw();
    };
    columns.append(make("label", {}, box, lookOf(figure).title, " "));
  });
  filters.append(columns);
  draw();
  return { draw };
})();
