/**
 * The lab's form: which schedule, and its numbers, each a slider with a field beside it.
 *
 * The form knows keys and values as they stand in a link ("p" and "4"), says when one
 * has changed, and shows what is wrong with one beside it. It judges nothing itself: that
 * a number is out of bounds is for the C++ to say.
 */
"use strict";

window.LabControls = window.LabControls || (() => {
  const {h, freshId, sentences} = window.PipelineParts;

  /** Costs are folded away where they would fill the screen, narrower than this. */
  const kNarrow = 600;

  /** `reads`: shown for schedules that read it. `kinds`: shown where such an action is
   *  drawn. `start`: what an absent key means; "" where that is the schedule's to choose,
   *  in words `empty`, and `rest` is where the slider rests then. `list`: one number, or
   *  several with commas. `none`: where the slider stands for an empty field. `options`:
   *  a choice of words, not a number; the first is what an absent key means. */
  const kShape = [
    {key: "p", label: "devices p", min: 1, max: 16, step: 1, start: "4", needed: true},
    {key: "m", label: "micro-batches m", min: 1, max: 128, step: 1, start: "8",
     needed: true},
    {key: "v", label: "stages a device v", min: 1, max: 8, step: 1, start: "",
     reads: "chunks", empty: "its own"},
    {key: "group", label: "group size", min: 1, max: 16, step: 1, start: "",
     reads: "group_size", empty: "even"},
    {key: "slices", label: "slices", min: 1, max: 16, step: 1, start: "",
     reads: "slices", list: true, empty: "4", rest: "4"},
  ];
  const kCosts = [
    {key: "F", label: "forward F", start: "1"},
    {key: "I", label: "input gradient I", start: "1"},
    {key: "W", label: "weight gradient W", start: "1"},
    {key: "R", label: "recompute R", start: "", empty: "F", rest: "1", kinds: "R"},
    {key: "FB", label: "overlapped pair FB", start: "", empty: "F+I+W", rest: "3",
     kinds: "+"},
    {key: "c", label: "transfer time c", start: "0", list: false},
  ].map(field => ({min: 0, max: 6, step: 0.25, list: true, ...field}));
  const kMore = [
    {key: "limit", label: "memory limit", min: 0, max: 16, step: 0.5, start: "",
     list: true, empty: "none", none: "0"},
    {key: "freed", label: "freed by I", min: 0, max: 1, step: 0.05, start: "0",
     kinds: "I"},
    {key: "recompute", label: "recompute",
     options: ["never", "always", "all-but-last", "for-memory"]},
    {key: "kept", label: "kept then", min: 0, max: 1, step: 0.05, start: "0",
     kinds: "R"},
    {key: "steps", label: "steps", min: 1, max: 4, step: 1, start: "1"},
  ];
  const kAll = [...kShape, ...kCosts, ...kMore];

  /** Says beside a field what is wrong with it; `what` "": nothing. */
  function showWrong({box, wrong}, what, remedy) {
    const text = what ? sentences(what, remedy) : "";
    if (wrong.textContent !== text) wrong.textContent = text;
    if (what) box.setAttribute("aria-invalid", "true");
    else box.removeAttribute("aria-invalid");
  }

  /** One number: label, slider and field, and the place for what is wrong with it. */
  class NumberField {
    constructor(field, prefix, changed) {
      this.field = field;
      this.key = prefix + field.key;
      this.changed = changed;
      const id = freshId("lab-field");
      const wrong = `${id}-wrong`;
      const name = prefix ? `${field.label} of the second` : field.label;
      this.slider = h("input", {type: "range", min: field.min, max: field.max,
                                step: field.step, "aria-label": `${name}, slider`,
                                "data-key": this.key});
      this.box = h("input", {id, type: field.list ? "text" : "number",
                             inputmode: field.list ? "decimal" : null,
                             step: field.list ? null : "any", autocomplete: "off",
                             placeholder: field.empty, name: this.key,
                             "aria-describedby": wrong});
      this.wrong = h("p", {id: wrong, class: "lab-wrong", role: "alert"});
      this.element = h("div", {class: "lab-field"},
                       h("label", {for: id},
                         prefix ? [field.label, h("span", {class: "pl-heard"},
                                                  " of the second")] : field.label),
                       this.slider, this.box, this.wrong);
      this.listen();
    }

    listen() {
      const slid = () => {
        const none = this.slider.value === this.field.none;
        this.box.value = none ? "" : this.slider.value;
        this.tell(this.box.value);
      };
      const typed = settled => {
        if (this.box.validity.badInput) {
          this.unreadable = true;
          this.show("", "");
        } else if (this.box.value !== "" || !this.field.needed) {
          this.tell(this.box.value.trim());
        } else if (settled) {
          this.box.value = this.last;
          this.tell(this.last);
        }
      };
      this.slider.addEventListener("input", slid);
      this.slider.addEventListener("change", slid);
      this.box.addEventListener("input", () => typed(false));
      this.box.addEventListener("change", () => typed(true));
    }

    tell(value) {
      if (value !== "" && Number.isFinite(Number(value))) this.slider.value = value;
      if (value === this.told && !this.unreadable) return;
      this.unreadable = false;
      this.told = value;
      this.changed(this.key, value);
    }

    /** Shows `value`; undefined: what an absent key means. What is being typed stays,
     *  unless another value comes from elsewhere. */
    set(value) {
      const shown = value === undefined ? this.field.start : value;
      const typing = this.box === document.activeElement && this.told === shown;
      if (!typing) this.box.value = shown;
      this.told = shown;
      this.last = shown;
      const told = shown !== "" && Number.isFinite(Number(shown));
      this.slider.value = told ? shown : this.field.rest || this.field.min;
    }

    show(what, remedy) {
      if (this.box.validity.badInput) {
        showWrong(this, "this is not a number", "Write digits.");
      } else {
        showWrong(this, what, remedy);
      }
    }
  }

  /** A choice of words. */
  class ChoiceField {
    constructor(field, prefix, changed) {
      this.field = field;
      this.key = prefix + field.key;
      const id = freshId("lab-choice");
      this.box = h("select", {id, name: this.key, "aria-describedby": `${id}-wrong`},
                   field.options.map(name => h("option", {value: name}, name)));
      this.wrong = h("p", {id: `${id}-wrong`, class: "lab-wrong", role: "alert"});
      this.element = h("div", {class: "lab-field lab-words"},
                       h("label", {for: id}, field.label), this.box, this.wrong);
      const chosen = () => {
        if (this.box.value === this.told) return;
        this.told = this.box.value;
        changed(this.key, this.box.value);
      };
      this.box.addEventListener("input", chosen);
      this.box.addEventListener("change", chosen);
    }

    set(value) {
      this.told = value || this.field.options[0];
      this.box.value = this.told;
    }

    show(what, remedy) {
      showWrong(this, what, remedy);
    }
  }

  /** All fields of one schedule. `prefix` is "" or, for the second one, "b.". */
  class LabControls {
    constructor({prefix, label, schedules, compact, changed}) {
      this.prefix = prefix;
      this.schedules = schedules;
      this.schedule = new ChoiceField(
          {key: "schedule", label, options: schedules.map(({name}) => name)}, prefix,
          changed);
      this.about = h("p", {class: "lab-about"});
      this.fields = (prefix ? [...kShape, kMore[0]] : kAll).map(
          field => field.options ? new ChoiceField(field, prefix, changed)
                                 : new NumberField(field, prefix, changed));
      const of = list => this.fields.filter(({field}) => list.includes(field))
                             .map(({element}) => element);
      this.element = h("div", {class: "lab-controls"}, this.schedule.element, this.about,
                       h("div", {class: "lab-fields"}, of(kShape),
                         prefix && of(kMore)));
      // Both schedules have the costs of the first.
      this.costs = prefix ? null
          : h("details", {class: "lab-costs", open: !compact && window.innerWidth >= kNarrow},
              h("summary", {}, "Costs, transfers and memory"),
              h("div", {class: "lab-fields"}, of(kCosts), of(kMore)));
    }

    /** Name, summary and what is read of a schedule; one that is unknown reads nothing. */
    entry(schedule) {
      return this.schedules.find(({name}) => name === schedule) ||
          {summary: "", reads: []};
    }

    /** Whether a key means anything to `schedule`. */
    means(schedule, key) {
      const field = kShape.find(one => one.key === key);
      return !field || !field.reads || this.entry(schedule).reads.includes(field.reads);
    }

    /** Shows the values of `pairs`; `kinds` are the letters of what is drawn. */
    set(pairs, kinds) {
      this.schedule.set(pairs.schedule);
      this.about.textContent = this.entry(pairs.schedule).summary;
      for (const one of this.fields) {
        const {key, kinds: wanted} = one.field;
        if (key === "limit") this.room(one, pairs);
        one.set(pairs[key]);
        one.element.hidden = !this.means(pairs.schedule, key) ||
            (wanted !== undefined && pairs[key] === undefined && !kinds.has(wanted));
      }
    }

    /** No schedule holds more than all its micro-batches. */
    room(limit, pairs) {
      limit.slider.max = Math.min(128, Math.max(4, Number(pairs.m) || 0));
    }

    /** Puts the refusal beside the field that it is about; whether there is one. */
    show(key, what, remedy) {
      let shown = false;
      for (const one of [this.schedule, ...this.fields]) {
        const here = one.key === key;
        one.show(here ? what : "", remedy);
        if (here && this.costs && this.costs.contains(one.element)) this.costs.open = true;
        shown = shown || here;
      }
      return shown;
    }
  }

  return LabControls;
})();
