"use strict";
// Filters what is on the page. Everything is readable without this script.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);

  /** "0-5,7" as [[0, 5], [7, 7]]; what is no number is left out. */
  const runsOf = (text) =>
    text.split(",").map((part) => part.trim().match(/^(\d+)(?:-(\d+))?$/)).filter(Boolean)
      .map((found) => [Number(found[1]), Number(found[2] ?? found[1])]);

  const sets = all(".sets li").map((item) => runsOf(item.textContent));
  const filtered = all("[data-ranks]");
  const textOf = new Map();
  const lowerText = (element) => {
    if (!textOf.has(element)) textOf.set(element, element.textContent.toLowerCase());
    return textOf.get(element);
  };

  const hasAll = (text, words) => words.every((word) => text.includes(word));
  const meets = (element, runs) =>
    runs.length === 0 ||
    (sets[element.dataset.ranks || -1] ?? []).some(([a, b]) => runs.some(([c, d]) => a <= d && c <= b));

  /** Shows branches that have all words from the root down to them or below; gives how many. */
  function filterBranches(items, words, runs, above) {
    let shown = 0;
    for (const item of items) {
      const own = item.querySelector(":scope > .chain, :scope > details > .chain");
      const path = `${above} ${lowerText(own)}`;
      const below = filterBranches(all(":scope > details > ul > li", item), words, runs, path);
      item.hidden = !meets(item, runs) || (below === 0 && !hasAll(path, words));
      shown += item.hidden ? 0 : 1 + below;
    }
    return shown;
  }

  const kFewStacks = 8;

  function apply() {
    const find = byId("find").value.trim().toLowerCase();
    const words = find.split(/\s+/).filter(Boolean);
    const runs = runsOf(byId("ranks").value);
    const stacks = all("details.stack");
    for (const element of filtered)
      if (!element.matches(".tree li")) element.hidden = !meets(element, runs) || !hasAll(lowerText(element), words);
    let branches = 0;
    for (const tree of all("ul.tree")) branches += filterBranches(all(":scope > li", tree), words, runs, "");
    for (const element of all(".step, .frames li"))
      element.classList.toggle("hit", words.length > 0 && words.some((word) => lowerText(element).includes(word)));
    const seen = stacks.filter((stack) => !stack.hidden);
    const narrowed = words.length > 0 || runs.length > 0;
    for (const helpers of all("details.helpers")) {
      helpers.hidden = narrowed && all("details.stack:not([hidden])", helpers).length === 0;
      if (narrowed && !helpers.hidden && words.length > 0) helpers.open = true;
    }
    if (words.length > 0 && seen.length <= kFewStacks) for (const stack of seen) stack.open = true;
    byId("count").textContent = narrowed
      ? `${branches} of ${all("ul.tree li").length} branches, ${seen.length} of ${stacks.length} stacks` : "";
  }

  /** The filter stands in the address, so that a link shows what its writer saw. */
  function keep() {
    const wanted = new URLSearchParams();
    for (const id of ["find", "ranks"]) if (byId(id).value) wanted.set(id, byId(id).value);
    const hash = wanted.toString();
    try {
      history.replaceState(null, "", hash ? `#${hash}` : "#");
    } catch {
      // An address that may not change, of a sandboxed frame: the filter works without.
    }
  }

  function restore() {
    if (!/^#(find|ranks)=/.test(location.hash)) return;
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const id of ["find", "ranks"]) byId(id).value = wanted.get(id) ?? "";
    apply();
  }

  function addCopyButtons() {
    for (const command of all("pre.command")) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "copy";
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(command.querySelector("code").textContent);
          button.textContent = "copied";
        } catch {
          getSelection().selectAllChildren(command.querySelector("code"));
          button.textContent = "selected";
        }
      });
      command.append(button);
    }
  }

  let waiting = 0;
  for (const id of ["find", "ranks"]) {
    byId(id).addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { apply(); keep(); }, 120);
    });
  }
  for (const [id, open] of [["open", true], ["shut", false]])
    byId(id).addEventListener("click", () => {
      for (const item of all(".stack:not([hidden]), .tree details, .helpers")) item.open = open;
    });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input")) return;
    event.preventDefault();
    byId("find").focus();
  });
  addEventListener("hashchange", restore);
  addCopyButtons();
  byId("tools").hidden = false;
  restore();
})();
