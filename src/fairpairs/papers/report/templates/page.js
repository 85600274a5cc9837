// the page is readable without this: it adds search, filters, a menu, and links into folded parts
{
  const all = (query, root = document) => [...root.querySelectorAll(query)];
  const by = id => document.getElementById(id);
  const items = all("[data-item]").map(item => ({ item, text: item.textContent.toLowerCase(), verdicts: item.dataset.verdicts.split("|") }));
  const groups = all("[data-group]"), whole = all("[data-unfiltered]"), folds = all("main details");

  // search and filters: an item is shown where all words and both choices match
  const value = id => (by(id) ? by(id).value : "");
  const filter = () => {
    const words = value("query").toLowerCase().split(/\s+/).filter(Boolean), study = value("study"), verdict = value("verdict");
    let matches = 0;
    items.forEach(({ item, text, verdicts }) => {
      const fits = words.every(word => text.includes(word)) && (!study || item.dataset.study === study)
        && (!verdict || verdicts.includes(verdict));
      item.hidden = !fits;
      matches += fits && !item.closest(".short");
    });
    const filtered = Boolean(words.length || study || verdict);
    whole.forEach(part => { part.hidden = filtered; });
    groups.forEach(group => { group.hidden = filtered && !group.querySelector("[data-item]:not([hidden])"); });
    all(".short").forEach(list => { list.hidden = list.previousElementSibling.hidden = !list.querySelector("li:not([hidden])"); });
    const found = `${matches} part${matches === 1 ? " matches" : "s match"}`;
    by("matches").textContent = !filtered ? "" : matches ? `${found}.` : "Nothing matches.";
    by("show").hidden = !filtered;
    by("show").textContent = matches ? `${found}: show` : "Nothing matches: show all";
  };
  const clear = () => { by("filters").reset(); filter(); };
  by("filters").hidden = false;
  by("filters").addEventListener("input", filter);
  by("filters").addEventListener("submit", event => event.preventDefault());
  by("show").addEventListener("click", () => {
    if (by("matches").textContent === "Nothing matches.") clear();
    if (narrow.matches) show(false);
    by("matches").scrollIntoView();
  });

  // open and close
  const unfold = open => folds.forEach(fold => { fold.open = open; });
  by("open").addEventListener("click", () => unfold(true));
  by("close").addEventListener("click", () => unfold(false));
  let before = [];
  addEventListener("beforeprint", () => { before = folds.filter(fold => !fold.open); unfold(true); });
  addEventListener("afterprint", () => before.forEach(fold => { fold.open = false; }));

  // a link leads into a folded or filtered part
  const arrive = () => {
    const target = by(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) clear();
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", arrive);
  document.addEventListener("click", event => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) arrive(); // no change of the hash
  });

  // the menu of a narrow page
  const menu = by("menu"), narrow = matchMedia("(max-width: 60rem)");
  const show = open => { by("parts").hidden = !open; menu.setAttribute("aria-expanded", open); };
  const fit = () => { menu.hidden = !narrow.matches; show(!narrow.matches); };
  menu.addEventListener("click", () => show(menu.getAttribute("aria-expanded") !== "true"));
  by("side").addEventListener("click", event => { if (event.target.closest("a") && narrow.matches) show(false); });
  addEventListener("keydown", event => { if (event.key === "Escape" && narrow.matches) { show(false); menu.focus(); } });
  narrow.addEventListener("change", fit);
  fit();

  // the part that is read
  const links = all("#side a"), parts = links.map(link => by(link.hash.slice(1)));
  const current = () => {
    const seen = parts.map((part, i) => [part.getBoundingClientRect().top, i]).filter(([top]) => top < innerHeight / 3);
    const last = seen.length ? seen.sort((a, b) => a[0] - b[0]).pop()[1] : 0;
    links.forEach((link, i) => { i === last ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"); });
  };
  addEventListener("scroll", current, { passive: true });

  // what is wider than its box says so, and scrolls by keys
  const measure = () => all(".wide").filter(box => box.clientWidth).forEach(box => {
    const wider = box.scrollWidth > box.clientWidth + 1;
    box.classList.toggle("scrolls", wider);
    if (!wider) return box.removeAttribute("tabindex");
    const fold = box.closest("details"), head = fold && fold.querySelector("summary");
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", (head ? head.textContent.trim().replace(/\s+/g, " ") + ", " : "") + "scrolls sideways");
  });
  document.addEventListener("toggle", measure, true);
  addEventListener("resize", measure);
  measure();
  current();
  if (location.hash) arrive();
}
