// a click on a head sorts its table: numbers by their first number, words by letters
document.querySelectorAll("table:not(.states)").forEach(table => {
  const heads = table.querySelectorAll("thead th"), body = table.tBodies[0];
  if (!body) return;
  heads.forEach((head, column) => {
    head.setAttribute("aria-sort", "none");
    head.tabIndex = 0;
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(other => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = row => (row.cells[column] ? row.cells[column].textContent.trim() : "");
      const number = text => { const m = text.replace(/,/g, "").replace("−", "-").match(/^[^\d\-+.]*([-+]?\d*\.?\d+)/); return m ? +m[1] : null; };
      const order = (a, b) => {
        const [x, y] = [key(a), key(b)], [p, q] = [number(x), number(y)];
        if ((p === null) !== (q === null)) return p === null ? 1 : -1; // what has no number comes last
        return (down ? -1 : 1) * (p === null ? x.localeCompare(y) : p - q);
      };
      [...body.rows].sort(order).forEach(row => body.append(row));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
  });
});
