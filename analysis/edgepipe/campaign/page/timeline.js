// SPDX-License-Identifier: GPL-2.0-only
// The timeline of a stored run: a lane for each device's tasks and for what it sends.
"use strict";
const timeline = (() => {
  // Legends and colours as in analysis/timeline.py.
  const KINDS = {
    forward: ["forward", "#0072B2"],
    backward: ["backward", "#E69F00"],
    "assist-forward": ["forward for a neighbour", "#7FB2D9"],
    "assist-backward": ["backward for a neighbour", "#F3CE80"],
    update: ["weight update", "#009E73"],
    planning: ["planning", "#F0E442"],
    activations: ["sends activations", "#56B4E9"],
    gradients: ["sends gradients", "#D55E00"],
    "activation-parts": ["sends activations to its head", "#88CCEE"],
    "gradient-parts": ["sends gradients to its head", "#EE8866"],
    weights: ["lends weights to a helper", "#CC79A7"],
    grant: ["hands over samples", "#332288"],
    result: ["returns their results", "#44AA99"],
    "weight-gradients": ["returns weight gradients", "#661100"],
    "group-gradients": ["sums gradients in its group", "#882255"],
    "tied-gradients": ["sums gradients of weights that several stages hold", "#882255"],
    "layer-weights": ["moves layers to another device", "#999933"],
    block: ["blocks", "#0072B2"],
    attention: ["attention", "#E69F00"],
    experts: ["experts", "#CC79A7"],
    draft: ["draft model", "#999933"],
    head: ["head", "#009E73"],
    sending: ["handles what it sends", "#F0E442"],
    receiving: ["handles what it receives", "#88CCEE"],
    exchange: ["sends to other nodes", "#D55E00"],
  };
  const OTHER = ["control messages", "#8C8C8C"];
  const lookOf = (kind) => KINDS[kind] ?? OTHER;
  const DARK = new Set(["#882255", "#0072B2", "#D55E00", "#009E73", "#332288", "#661100", "#999933", "#44AA99"]);
  const LANE = 16;
  const GAP = 6;
  const TOP = 22;
  const part = document.getElementById("timeline");
  const runs = document.getElementById("runs");
  const simulations = document.getElementById("simulations");
  const canvas = document.getElementById("drawing");
  const hover = document.getElementById("hover");
  const pen = canvas.getContext("2d");
  const read = new Map();
  const cuts = new Map(); // when recording ended, by simulation
  let lanes = [];
  let marks = []; // where, text, and when
  let end = 1;
  let view = { from: 0, to: 1 };
  let left = 120;
  let drawn = [];

  const inflate = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  const unpack = async (hash) => {
    if (!read.has(hash)) {
      const packed = data.timelines[hash];
      read.set(hash, simulationsOf((typeof packed === "string" ? await inflate(packed) : packed).traceEvents));
    }
    return read.get(hash);
  };

  // By the name of the simulation: devices in their order, each with tasks and transfers in seconds.
  const simulationsOf = (events) => {
    const places = new Map();
    const threads = new Map();
    for (const event of events) {
      if (event.ph !== "M") continue;
      if (event.name === "process_labels") {
        cuts.set(places.get(event.pid)?.simulation, Number(event.args.labels.match(/from ([\d.e+-]+) s on/)?.[1]));
      } else if (event.name === "process_name") {
        const [simulation, device] = event.args.name.split(/ \/ (?=[^/]*$)/);
        places.set(event.pid, { simulation, device });
      } else if (event.name === "thread_name") {
        threads.set(`${event.pid} ${event.tid}`, event.args.name);
      }
    }
    const found = new Map();
    for (const event of events) {
      const place = places.get(event.pid);
      if (event.ph !== "X" || !place) continue;
      if (!found.has(place.simulation)) found.set(place.simulation, new Map());
      const devices = found.get(place.simulation);
      if (!devices.has(place.device)) devices.set(place.device, { name: place.device, task: [], transfer: [] });
      const spans = devices.get(place.device)[event.cat];
      spans?.push({
        kind: event.name, from: event.ts / 1e6, to: (event.ts + event.dur) / 1e6, device: place.device,
        way: event.cat === "transfer" ? threads.get(`${event.pid} ${event.tid}`) ?? "" : "",
        iteration: event.args.iteration, microBatch: event.args.microBatch, bytes: event.args.bytes,
      });
    }
    return found;
  };

  const time = (seconds, step = seconds) => {
    const unit = step >= 1 || step === 0 ? [1, "s"] : step >= 1e-3 ? [1e3, "ms"] : [1e6, "\u00b5s"];
    return `${Number((seconds * unit[0]).toPrecision(6))} ${unit[1]}`;
  };

  const x = (seconds) => left + (seconds - view.from) / (view.to - view.from) * (canvas.clientWidth - left);
  const secondsAt = (pixel) => view.from + (pixel - left) / (canvas.clientWidth - left) * (view.to - view.from);

  const draw = () => {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = TOP + lanes.length * (2 * LANE + GAP);
    canvas.style.height = `${height}px`;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "11px system-ui, sans-serif";
    left = Math.min(170, width / 3);
    drawAxis(width, height);
    drawn = [];
    lanes.forEach((device, number) => {
      const top = TOP + number * (2 * LANE + GAP);
      pen.fillStyle = "#222";
      pen.fillText(device.name, 4, top + LANE, left - 8);
      for (const [row, spans] of [device.task, device.transfer].entries()) {
        for (const span of spans) {
          if (span.to < view.from || span.from > view.to) continue;
          const start = Math.max(left, x(span.from));
          const box = { x: start, y: top + row * LANE, width: Math.max(1, Math.min(width, x(span.to)) - start),
            height: LANE - 2, span };
          const [, colour] = lookOf(span.kind);
          pen.fillStyle = colour;
          pen.fillRect(box.x, box.y, box.width, box.height);
          if (box.width > 14 && span.microBatch !== undefined) {
            pen.fillStyle = DARK.has(colour) ? "#fff" : "#000";
            pen.fillText(span.microBatch, box.x + 3, box.y + LANE - 5, box.width - 4);
          }
          drawn.push(box);
        }
      }
    });
    for (const [at, text, when] of marks) {
      if (at < view.from || at > view.to) continue;
      pen.fillStyle = "#D00000";
      pen.fillRect(Math.min(x(at), width - 2), TOP - 8, 2, height);
      pen.textAlign = "right";
      pen.fillText(`${text}, ${time(Number(when.toPrecision(4)))}`, x(at) - 4, TOP + LANE);
      pen.textAlign = "left";
    }
  };

  const drawAxis = (width, height) => {
    const length = view.to - view.from;
    const step = tickStep(length, Math.max(2, (width - left) / 90));
    pen.strokeStyle = "#ddd";
    pen.fillStyle = "#555";
    for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
      pen.beginPath();
      pen.moveTo(x(at), TOP - 4);
      pen.lineTo(x(at), height);
      pen.stroke();
      pen.fillText(time(at, step), x(at) + 2, 12);
    }
  };

  const zoom = (factor, at = (view.from + view.to) / 2) => {
    const length = Math.min(end, Math.max(1e-7, (view.to - view.from) / factor));
    const share = (at - view.from) / (view.to - view.from);
    move(at - share * length, length);
  };

  const move = (from, length) => {
    const start = Math.min(Math.max(0, from), end - length);
    view = { from: start, to: start + length };
    draw();
  };

  const spanAt = (pixelX, pixelY) => {
    for (let index = drawn.length - 1; index >= 0; --index) {
      const box = drawn[index];
      if (pixelX >= box.x - 1 && pixelX <= box.x + box.width + 1 && pixelY >= box.y && pixelY <= box.y + box.height) {
        return box.span;
      }
    }
    return null;
  };

  const describe = (span) => {
    const facts = [`${span.device}${span.way ? ` ${span.way}` : ""}: ${span.kind}`];
    if (span.microBatch !== undefined) facts.push(`micro-batch ${span.microBatch}`);
    facts.push(`iteration ${span.iteration}`, `${time(span.from)} to ${time(span.to)}`, `takes ${time(span.to - span.from)}`);
    if (span.bytes !== undefined) facts.push(`${format(span.bytes)} bytes`);
    return facts.join(", ");
  };

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  const showSimulation = async () => {
    const found = (await unpack(runs.value)).get(simulations.value);
    lanes = found ? [...found.values()] : [];
    const spans = lanes.flatMap((device) => [...device.task, ...device.transfer]);
    end = spans.reduce((most, span) => Math.max(most, span.to), 1e-6);
    marks = [[cuts.get(simulations.value), "recorded up to here"], [data.stalls?.[simulations.value], "stalled"]]
      .filter(([at]) => at !== undefined).map(([at, text]) => [Math.min(at, end), text, at]);
    view = { from: 0, to: end };
    const kinds = [...new Set(spans.map((span) => span.kind))];
    const looks = [...Object.keys(KINDS).filter((kind) => kinds.includes(kind)).map(lookOf),
      ...(kinds.every((kind) => KINDS[kind]) ? [] : [OTHER])];
    document.getElementById("legend").replaceChildren(...looks.map((look) => colourOf(...look)));
    hover.textContent = "Wheel, pinch or + and \u2212 zoom; drag to move; point at a bar for what it is.";
    draw();
  };

  const colourOf = (name, colour) => {
    const sample = make("i");
    sample.style.background = colour;
    return make("span", {}, sample, name);
  };

  const showRun = async () => {
    const names = [...(await unpack(runs.value)).keys()];
    simulations.replaceChildren(...names.map((name) => make("option", { value: name, textContent: name })));
    await showSimulation();
  };

  const show = async (hash) => {
    runs.value = hash;
    await showRun();
    part.scrollIntoView({ behavior: "smooth" });
  };

  const start = () => {
    const names = Object.entries(data.names);
    if (!names.length) {
      part.remove();
      return;
    }
    runs.parentElement.hidden = names.length < 2;
    runs.append(...names.map(([value, textContent]) => make("option", { value, textContent })));
    const isPacked = Object.values(data.timelines).some((one) => typeof one === "string");
    if (isPacked && typeof DecompressionStream === "undefined") {
      part.replaceChildren(make("p", { textContent: "This browser is too old to unpack timelines." }));
      return;
    }
    listen();
    showRun();
  };

  const listen = () => {
    runs.onchange = showRun;
    simulations.onchange = showSimulation;
    document.getElementById("in").onclick = () => zoom(2);
    document.getElementById("out").onclick = () => zoom(0.5);
    document.getElementById("all").onclick = () => move(0, end);
    window.addEventListener("resize", draw);
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, secondsAt(place(event)[0]));
    }, { passive: false });
    const fingers = new Map();
    canvas.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, place(event));
      canvas.setPointerCapture(event.pointerId);
      hoverAt(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!fingers.has(event.pointerId)) {
        hoverAt(event);
        return;
      }
      const before = [...fingers.values()].map((one) => one[0]);
      const old = fingers.get(event.pointerId);
      fingers.set(event.pointerId, place(event));
      const now = [...fingers.values()].map((one) => one[0]);
      if (now.length === 1) {
        const perPixel = (view.to - view.from) / (canvas.clientWidth - left);
        move(view.from - (now[0] - old[0]) * perPixel, view.to - view.from);
      } else {
        const gap = (xs) => Math.max(10, Math.abs(xs[0] - xs[1]));
        zoom(gap(now) / gap(before), secondsAt((now[0] + now[1]) / 2));
      }
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
    }
    canvas.addEventListener("keydown", (event) => {
      const length = view.to - view.from;
      const keys = { "+": () => zoom(2), "-": () => zoom(0.5), ArrowLeft: () => move(view.from - length / 4, length),
        ArrowRight: () => move(view.from + length / 4, length) };
      if (keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
      }
    });
  };

  const hoverAt = (event) => {
    const span = spanAt(...place(event));
    if (span) hover.textContent = describe(span);
  };

  start();
  return { show, KINDS, get marks() { return marks; }, get view() { return view; }, get boxes() { return drawn; } };
})();
