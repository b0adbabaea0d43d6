/**
 * What the lab asks: the pairs of a link, for one schedule or for two.
 *
 * A link `schedule=1f1b&p=4&m=8&b.schedule=gpipe` is two sets of pairs; what the second
 * lacks is as in the first. A value that the chosen schedule does not read is kept, for
 * when another one is chosen that does, but not asked.
 */
"use strict";

window.LabQuery = window.LabQuery || (() => {
  const {pairsOf, queryOf} = window.PipelineParts;
  const kSecond = "b.";
  /** What a link without a schedule means. */
  const kSchedule = "1f1b";
  /** What a link may hold that is the page's own to say. */
  const kOwn = new Set(["op", "width", "id", "b.width", "b.id"]);

  class LabQuery {
    /** `means(schedule, key)` says whether a schedule reads a key. */
    constructor(means) {
      this.means = means;
      this.first = {};
      this.second = null;
    }

    /** Another one that says the same, and stays as it is. */
    copy() {
      const other = new LabQuery(this.means);
      other.first = {...this.first};
      other.second = this.second && {...this.second};
      return other;
    }

    /** Takes over all that a link says. */
    read(link) {
      this.first = Object.create(null);
      this.first.schedule = kSchedule;
      this.second = null;
      for (const [key, value] of pairsOf(link)) {
        if (key === "op" && value === "compare") this.second = this.second || {};
        if (kOwn.has(key)) continue;
        if (key.startsWith(kSecond)) {
          this.second = this.second || Object.create(null);
          this.second[key.slice(kSecond.length)] = value;
        } else {
          this.first[key] = value;
        }
      }
    }

    /** Sets "p" or "b.p"; "" means that it is absent. */
    set(key, value) {
      if (!key.startsWith(kSecond)) {
        this.first[key] = value;
        return;
      }
      const own = key.slice(kSecond.length);
      this.second ||= {};
      this.second[own] = value;
      if (value === this.first[own]) delete this.second[own];
    }

    /** Forgets "p" or "b.p". */
    drop(key) {
      if (!key.startsWith(kSecond)) delete this.first[key];
      else if (this.second) delete this.second[key.slice(kSecond.length)];
    }

    /** Begins to compare with `schedule`; null: ends it. */
    compareWith(schedule) {
      this.second = schedule === null ? null : {schedule};
    }

    get compares() { return this.second !== null; }

    /** The pairs of the second schedule with what it takes from the first. */
    merged() {
      return {...this.first, ...this.second};
    }

    /** The pairs of one schedule that it reads. */
    asked(pairs) {
      return Object.fromEntries(Object.entries(pairs).filter(
          ([key, value]) => value !== "" && this.means(pairs.schedule, key)));
    }

    /** What stands behind '#' in a link to this. */
    link() {
      const first = this.asked(this.first);
      if (!this.second) return queryOf(first);
      return [queryOf({op: "compare", ...first}), ...this.differences(first)].join("&");
    }

    /** The pairs of the second that are not as in the first. An empty one says that
     *  there it is absent. */
    differences(first) {
      const second = this.asked(this.merged());
      return [...new Set([...Object.keys(first), ...Object.keys(second)])]
          .filter(key => (first[key] ?? "") !== (second[key] ?? ""))
          .map(key => queryOf({[kSecond + key]: second[key] ?? ""}) ||
                      `${encodeURIComponent(kSecond + key)}=`);
    }

    /** The query that asks for the figures. */
    drawing(width, id) {
      const own = this.second ? {width, id, "b.id": `${id}-b`} : {op: "draw", width, id};
      return `${this.link()}&${queryOf(own)}`;
    }

    /** A question about one of the two alone: `extra` holds `op` and what it needs. */
    about(second, extra) {
      const pairs = second ? this.merged() : this.first;
      return queryOf({...this.asked(pairs), ...extra});
    }
  }

  return LabQuery;
})();
