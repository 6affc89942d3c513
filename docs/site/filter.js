// A box that filters the rows of all tables of a long page. Without this script the tables are complete.
// A row is kept if it, or a heading above it, contains every word of the box. `page.html?rows=WORDS` fills the box.
(() => {
  const LEAST = 30; // rows of a page with a box
  const FEW = 3; // rows below which it is said where else to look

  const headings = (element) => {
    const above = [];
    for (let at = element.closest("section"); at; at = at.parentElement.closest("section")) {
      const title = at.querySelector(":scope > h2, :scope > h3, :scope > h4");
      if (title) above.push(title.textContent);
    }
    return above.join(" ");
  };

  // {element, text, group} of each row; a row with a single filled cell is the heading of those below it
  const rowsOf = (table) => {
    const above = headings(table);
    let group = null;
    return [...table.tBodies].flatMap((body) => [...body.rows]).map((element) => {
      const filled = [...element.cells].filter((cell) => cell.textContent.trim());
      const isGroup = filled.length === 1 && element.cells.length > 1;
      if (isGroup) group = element;
      const text = `${above} ${group ? group.textContent : ""} ${element.textContent}`.toLowerCase();
      return { element, text, group: isGroup ? null : group, isGroup };
    });
  };

  const filter = (tables, sections, asked) => {
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { element, rows } of tables) {
      const groups = new Set();
      let kept = 0;
      for (const row of rows.filter((row) => !row.isGroup)) {
        const shown = words.every((word) => row.text.includes(word));
        row.element.hidden = !shown;
        kept += shown;
        if (shown) groups.add(row.group);
      }
      for (const row of rows.filter((row) => row.isGroup)) row.element.hidden = !groups.has(row.element);
      element.hidden = !kept;
      count += kept;
    }
    for (const section of sections) section.hidden = !section.querySelector("table:not([hidden])");
    return count;
  };

  // where else words may be, as text and links
  const placesOf = (asked) => {
    const link = (page, text) => {
      const element = document.createElement("a");
      element.href = document.documentElement.dataset.content_root + page;
      element.textContent = text;
      return element;
    };
    const found = link(`search.html?q=${encodeURIComponent(asked)}`, "search all pages for these words");
    const layouts = link("layouts.html", "layouts");
    const classes = link("conformance.html", "conformance classes");
    return ["Elsewhere: ", found, "; permuted channels are in ", layouts, ", dtypes such as bf16 in ",
            classes, "."];
  };

  const build = () => {
    const article = document.querySelector("article.bd-article");
    const title = article && article.querySelector("h1");
    if (!title) return;
    const tables = [...article.querySelectorAll("table")].map((element) => ({ element, rows: rowsOf(element) }));
    const total = tables.reduce((sum, { rows }) => sum + rows.filter((row) => !row.isGroup).length, 0);
    if (total < LEAST) return;
    const sections = [...article.querySelectorAll("section section")].filter((one) => one.querySelector("table"));
    const box = document.createElement("div");
    box.className = "row-filter";
    box.setAttribute("role", "search");
    box.setAttribute("aria-label", "Rows of the tables of this page");
    const input = document.createElement("input");
    Object.assign(input, { type: "search", placeholder: "Filter the rows", autocomplete: "off" });
    input.setAttribute("aria-label", `Filter the ${total} rows of the tables of this page`);
    const shown = document.createElement("output");
    shown.setAttribute("aria-live", "polite");
    const elsewhere = document.createElement("p");
    const update = () => {
      const count = filter(tables, sections, input.value);
      shown.textContent = `${count} of ${total} rows`;
      elsewhere.hidden = count >= FEW;
      if (count < FEW) elsewhere.replaceChildren(...placesOf(input.value));
    };
    input.addEventListener("input", update);
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      input.value = "";
      update();
    });
    box.append(input, shown, elsewhere);
    title.after(box);
    input.value = new URLSearchParams(location.search).get("rows") || "";
    update();
  };

  document.addEventListener("DOMContentLoaded", build);
})();
