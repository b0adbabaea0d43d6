/**
 * From the bubble of one paper to the bubbles of the others: `<pipeline-calculator>`.
 *
 * A plain deferred script. `PipelineCalculator` holds pure functions, which node can call
 * too: `parseNumber`, `convert` and `renamed`. The element below shows a form, and what
 * they answer to it; what stands in the element before is there without JavaScript.
 *
 * What is converted, for stages that cost the same (docs/conventions.md):
 *
 *     ideal         m v (F + I + W)                   what each device computes
 *     makespan      from the first start to the last end
 *     longest span  from the first start to the last end of one device; `beyond` is what
 *                   the makespan has beyond it, where devices begin one after another
 *     idle fraction (makespan - ideal) / makespan     utilisation is 1 minus that
 *     idle overhead (makespan - ideal) / ideal
 *     span bubble   (longest span - ideal) / longest span
 *     internal idle of a device: its span - ideal. In GPipe, 1F1B, interleaved 1F1B and
 *                   ZB-H1 it falls by equal steps from device 0, whose span is the
 *                   makespan, to the last device, which never waits: a ladder.
 */
"use strict";

globalThis.PipelineCalculator = (() => {
  const kMostDevices = 1024;
  const kMostMicroBatches = 1000000;
  const kMostChunks = 1024;

  function refusal(field, what, remedy) {
    return {ok: false, field, what, remedy};
  }

  /** A number as people type it: 3, 0.25, 1e3, 3/11, 27.3%. NaN for all else. */
  function parseNumber(text) {
    const plain = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?\s*$/i;
    const trimmed = String(text).slice(0, 64);
    if (plain.test(trimmed)) return Number(trimmed);
    const parts = trimmed.split("/");
    if (parts.length === 2 && parts.every(part => plain.test(part))) {
      return Number(parts[0]) / Number(parts[1]);
    }
    if (/%\s*$/.test(trimmed)) return parseNumber(trimmed.replace(/%\s*$/, "")) / 100;
    return NaN;
  }

  function wholeFault(input, field, most, meaning) {
    const value = input[field];
    if (Number.isInteger(value) && value >= 1 && value <= most) return null;
    return refusal(field, `${field}, ${meaning}, is no whole number from 1 to ${most}.`,
                   `Give, for instance, ${field} = ${{p: 4, m: 8, v: 1}[field]}.`);
  }

  function costFault(input, field) {
    const value = input[field];
    if (Number.isFinite(value) && value >= 0 && value <= 1e12) return null;
    const what = field === "beyond" ? "makespan less longest span" : `cost ${field}`;
    return refusal(field, `The ${what} is no time.`,
                   "Give a number that is not negative, such as 1 or 0.5.");
  }

  /** The figures that may be given: what they may be, and the makespan or the longest
   *  span that they mean. */
  const kGiven = {
    "idle fraction": {from: 0, below: 1, makespan: (x, ideal) => ideal / (1 - x)},
    "idle overhead": {from: 0, below: 1e6, makespan: (x, ideal) => ideal * (1 + x)},
    "utilisation": {above: 0, to: 1, makespan: (x, ideal) => ideal / x},
    "makespan": {above: 0, to: 1e18, makespan: x => x},
    "span bubble": {from: 0, below: 1, span: (x, ideal) => ideal / (1 - x)},
    "internal idle": {from: 0, below: 1e18, span: (x, ideal) => ideal + x},
  };

  function givenFault(name, value) {
    if (!Object.hasOwn(kGiven, name)) {
      return refusal("given", "There is no figure of that name.",
                     `Give one of: ${Object.keys(kGiven).join(", ")}.`);
    }
    const bounds = kGiven[name];
    const lowEnough = "below" in bounds ? value < bounds.below : value <= bounds.to;
    const highEnough = "from" in bounds ? value >= bounds.from : value > bounds.above;
    if (lowEnough && highEnough) return null;
    const low = "from" in bounds ? `at least ${bounds.from}` : `above ${bounds.above}`;
    const high = "below" in bounds ? `below ${bounds.below}` : `at most ${bounds.to}`;
    return refusal("value", `The ${name} is no number ${low} and ${high}.`,
                   "Give a decimal, a fraction such as 3/11, or a percentage.");
  }

  function faultOf(input) {
    return wholeFault(input, "p", kMostDevices, "the number of devices") ||
        wholeFault(input, "m", kMostMicroBatches, "the number of micro-batches") ||
        wholeFault(input, "v", kMostChunks, "the number of stages on a device") ||
        costFault(input, "F") || costFault(input, "I") || costFault(input, "W") ||
        (input.F + input.I + input.W > 0
             ? null
             : refusal("F", "Nothing costs any time.",
                       "Give F, I or W a time above 0.")) ||
        givenFault(input.given, input.value) ||
        (input.ladder ? null : costFault(input, "beyond"));
  }

  /** internal idle of every device, or of the first alone where the order says no more. */
  function internalIdle(input, first) {
    if (!input.ladder) return [first];
    const steps = Math.max(1, input.p - 1);
    return Array.from({length: input.p}, (_, d) => first * (input.p - 1 - d) / steps);
  }

  /**
   * All figures from one of them.
   *
   * input: p, m, v; F, I, W (times of one stage); `given`, a key of kGiven, and its
   * `value`; `ladder`: whether the order is one of those that wait in a ladder; if not,
   * `beyond`, the makespan less the longest span of a device.
   * Returns {ok: true, ideal, makespan, longestSpan, utilisation, idleFraction,
   * idleOverhead, spanBubble, internalIdle} or {ok: false, field, what, remedy}.
   */
  function convert(input) {
    const fault = faultOf(input);
    if (fault) return fault;
    const ideal = input.m * input.v * (input.F + input.I + input.W);
    const beyond = input.ladder ? 0 : input.beyond;
    const given = kGiven[input.given];
    let makespan = given.makespan ? given.makespan(input.value, ideal)
                                  : given.span(input.value, ideal) + beyond;
    // What rounding took from a device that never idles.
    if (Math.abs(makespan - beyond - ideal) < 1e-9 * ideal) makespan = ideal + beyond;
    const longestSpan = makespan - beyond;
    if (longestSpan < ideal) {
      return refusal("value",
                     `No device can compute for ${ideal} within a span of ${longestSpan}.`,
                     `The makespan must be at least ${ideal + beyond}.`);
    }
    if (input.ladder && input.p === 1 && makespan > ideal) {
      return refusal("value", "A single device has nobody to wait for.",
                     "Give p = 2 or more, or a bubble of 0.");
    }
    return {
      ok: true, ideal, makespan, longestSpan,
      utilisation: ideal / makespan,
      idleFraction: (makespan - ideal) / makespan,
      idleOverhead: (makespan - ideal) / ideal,
      spanBubble: (longestSpan - ideal) / longestSpan,
      internalIdle: internalIdle(input, longestSpan - ideal),
    };
  }

  /** 0.272727… as "3/11 = 0.2727"; numbers that no small fraction is, as decimals. */
  function shown(x) {
    if (Number.isInteger(x)) return String(x);
    const decimal = String(Number(x.toPrecision(4)));
    for (let below = 2; below <= 2048; below++) {
      const above = Math.round(x * below);
      if (above !== 0 && Math.abs(x - above / below) < 1e-12 * Math.max(1, Math.abs(x))) {
        const exact = String(above / below);
        return exact.length <= 6 ? exact : `${above}/${below} = ${decimal}`;
      }
    }
    return decimal;
  }

  /** Who says what. `null`: that text has no letter for it. Sources: Huang et al. 2019
   *  (GPipe); Narayanan et al. 2021 and the options of Megatron-LM; Qi et al. 2024 (zero
   *  bubble, ICLR), where B is the input's gradient alone; the DeepSeek-V3 report and
   *  DualPipe, where B is the full backward. */
  const kSystems = {
    "this workbook": {p: "p", m: "m", v: "v", F: "F", I: "I", W: "W", B: "B",
                      bubble: "idle fraction", figure: "idleFraction"},
    "GPipe": {p: "K", m: "M", v: null, F: null, I: null, W: null, B: null,
              bubble: "bubble overhead (ours: idle fraction)", figure: "idleFraction"},
    "Megatron-LM": {p: "p, or PP", m: "m", v: "v, or the virtual pipeline size",
                    F: "t_f", I: null, W: null, B: "t_b",
                    bubble: "bubble time fraction (ours: idle overhead)",
                    figure: "idleOverhead"},
    "the zero-bubble paper": {p: "p", m: "m", v: null, F: "T_F", I: "T_B", W: "T_W",
                              B: "BW in its code",
                              bubble: "bubble rate (ours: span bubble)",
                              figure: "spanBubble"},
    "DeepSeek": {p: "PP", m: null, v: null, F: "F", I: "B - W", W: "W", B: "B",
                 bubble: "bubble, as a time (ours: the longest span less the ideal)",
                 figure: "bubbleTime"},
  };

  /** The rows of a table: {ours, theirs, value} for each letter and the bubble. `theirs`
   *  is null where that system has no letter. Null for a system that is not known. */
  function renamed(system, input, answer) {
    if (!Object.hasOwn(kSystems, system)) return null;
    const names = kSystems[system];
    const values = {...input, B: input.I + input.W};
    const rows = ["p", "m", "v", "F", "I", "W", "B"].map(
        ours => ({ours, theirs: names[ours], value: values[ours]}));
    const figures = {...answer, bubbleTime: answer.longestSpan - answer.ideal};
    rows.push({ours: "bubble", theirs: names.bubble, value: figures[names.figure]});
    return rows;
  }

  return {parseNumber, convert, shown, renamed, figures: Object.keys(kGiven),
          systems: Object.keys(kSystems)};
})();

if (globalThis.customElements && !customElements.get("pipeline-calculator")) {
  const {parseNumber, convert, shown, renamed, figures, systems} =
      globalThis.PipelineCalculator;

  const kStyle = `
    pipeline-calculator { display: block; position: relative; margin: 1rem 0;
      padding: .8rem 1rem;
      border: 1px solid color-mix(in srgb, currentColor 30%, transparent);
      border-radius: 6px; }
    pipeline-calculator form { display: flex; flex-wrap: wrap; gap: .6rem 1rem;
      align-items: end; }
    pipeline-calculator label { display: flex; flex-direction: column; gap: .15rem;
      font-size: .9rem; min-width: 0; max-width: 100%; }
    pipeline-calculator input, pipeline-calculator select { font: inherit;
      box-sizing: border-box; max-width: 100%; min-height: 2.1rem; padding: .2rem .4rem;
      color: inherit; background: var(--page-background-color, Canvas);
      border: 1px solid color-mix(in srgb, currentColor 55%, transparent);
      border-radius: 4px; }
    pipeline-calculator option { color: CanvasText; background: Canvas; }
    pipeline-calculator input { width: 5.5rem; }
    pipeline-calculator :focus-visible { outline: 3px solid #3b82d6;
      outline-offset: 2px; }
    pipeline-calculator [aria-invalid=true] { border: 2px dashed; }
    pipeline-calculator [role=status] { position: absolute; width: 1px; height: 1px;
      overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    pipeline-calculator .answer { margin: .8rem 0 0; overflow-wrap: anywhere; }
    pipeline-calculator .message { border-left: 4px solid; padding: .2rem .6rem; }
    pipeline-calculator table { width: auto !important; margin: .4rem 0 1rem;
      border-collapse: collapse; font-size: .95rem; }
    pipeline-calculator caption { text-align: left; font-weight: 600; }
    pipeline-calculator :is(th, td) { text-align: left !important; vertical-align: top;
      padding: .15rem .8rem .15rem 0; font-weight: normal;
      border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
    pipeline-calculator thead th { font-weight: 600; }
    pipeline-calculator [hidden] { display: none; }`;

  const kOrders = [["ladder", "GPipe, 1F1B, interleaved or ZB-H1"], ["other", "another"]];
  const kRows = [
    ["makespan", "makespan", "first start to last end"],
    ["longestSpan", "longest span", "of one device"],
    ["ideal", "ideal", "m v (F + I + W)"],
    ["utilisation", "utilisation", "ideal / makespan"],
    ["idleFraction", "idle fraction", "idle / makespan"],
    ["idleOverhead", "idle overhead", "idle / ideal"],
    ["spanBubble", "span bubble", "(longest span - ideal) / longest span"],
  ];

  /** What was worked out is told when no key has been pressed for so long. */
  const kSpeakDelay = 700;

  let count = 0;

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function select(options, chosen) {
    return element("select", {}, ...options.map(([value, text]) => {
      const option = element("option", {value}, text);
      option.selected = value === chosen;
      return option;
    }));
  }

  function table(caption, head, rows) {
    return element("table", {}, element("caption", {}, caption),
        element("thead", {}, element("tr", {}, ...head.map(
            text => element("th", {scope: "col"}, text)))),
        element("tbody", {}, ...rows.map(([name, ...cells]) => element("tr", {},
            element("th", {scope: "row"}, name),
            ...cells.map(text => element("td", {}, text))))));
  }

  class PipelineCalculatorElement extends HTMLElement {
    connectedCallback() {
      if (this.fields) return;
      if (!document.getElementById("pipeline-calculator-style")) {
        document.head.append(
            element("style", {id: "pipeline-calculator-style"}, kStyle));
      }
      const number = value => element("input",
          {type: "text", inputmode: "decimal", autocomplete: "off", maxlength: "64",
           value});
      this.fields = {
        p: number("4"), m: number("8"), v: number("1"),
        F: number("1"), I: number("1"), W: number("1"),
        given: select(figures.map(name => [name, name]), "idle fraction"),
        value: number("3/11"),
        order: select(kOrders, "ladder"), beyond: number("0"),
        system: select(systems.map(name => [name, name]), "Megatron-LM"),
      };
      this.build();
      this.update();
      this.setAttribute("data-ready", "");
    }

    build() {
      const labels = {
        p: "p, devices", m: "m, micro-batches", v: "v, stages a device",
        F: "F, forward", I: "I, input gradient", W: "W, weight gradient",
        given: "given", value: "its value", order: "schedule",
        beyond: "makespan less longest span", system: "letters of",
      };
      count += 1;
      this.answer = element("div", {class: "answer",
                                    id: `pipeline-calculator-${count}`});
      this.status = element("p", {role: "status"});
      const form = element("form", {"aria-label": "Convert a bubble"});
      for (const [name, field] of Object.entries(this.fields)) {
        field.name = name;
        form.append(element("label", {}, labels[name], field));
      }
      form.addEventListener("submit", event => event.preventDefault());
      form.addEventListener("input", () => this.tellLater(this.update()));
      this.replaceChildren(form, this.answer, this.status);
    }

    input() {
      const values = {given: this.fields.given.value,
                      ladder: this.fields.order.value === "ladder"};
      for (const name of ["p", "m", "v", "F", "I", "W", "value", "beyond"]) {
        values[name] = parseNumber(this.fields[name].value);
      }
      return values;
    }

    /** Shows what follows from the form, and returns it in a sentence. */
    update() {
      const input = this.input();
      const answer = convert(input);
      this.fields.beyond.closest("label").hidden = input.ladder;
      for (const [name, field] of Object.entries(this.fields)) {
        const here = !answer.ok && answer.field === name;
        if (here) {
          field.setAttribute("aria-invalid", "true");
          field.setAttribute("aria-describedby", this.answer.id);
        } else {
          field.removeAttribute("aria-invalid");
          field.removeAttribute("aria-describedby");
        }
      }
      const wrong = answer.ok ? "" : `${answer.what} ${answer.remedy}`;
      this.answer.replaceChildren(...(answer.ok ? this.tables(input, answer)
          : [element("p", {class: "message"}, wrong)]));
      return wrong || `The makespan is ${shown(answer.makespan)}, the idle fraction ${
          shown(answer.idleFraction)}.`;
    }

    tellLater(text) {
      clearTimeout(this.speechTimer);
      this.speechTimer = setTimeout(() => { this.status.textContent = text; }, kSpeakDelay);
    }

    tables(input, answer) {
      const idle = answer.internalIdle.slice(0, 16).map(shown).join(", ") +
          (answer.internalIdle.length > 16 ? ", …" : "");
      const rows = kRows.map(([key, name, how]) => [name, shown(answer[key]), how]);
      rows.push(["internal idle", idle, input.ladder
          ? "device 0, 1, …: between its first and last action"
          : "of the device with the longest span"]);
      const system = this.fields.system.value;
      const letters = renamed(system, input, answer).map(
          row => [row.ours, row.theirs || "no letter", shown(row.value)]);
      return [table("In this workbook's words", ["figure", "value", "what it is"], rows),
              table(`In the letters of ${system}`, ["ours", "theirs", "value"], letters)];
    }
  }

  customElements.define("pipeline-calculator", PipelineCalculatorElement);
}
