// The search of the site takes a word with a hyphen as the name it may mean, too: "m-rope" finds mrope, and "rope-2d"
// and "rope 2d" find rope_2d. Without this script a hyphen is a space.
(() => {
  const BONUS = 10; // of pages that are called so

  const joined = (query) => [...new Set(["", "_"].map((sign) => query.trim().split(/[\s_-]+/).join(sign)))];

  // [docname, title, anchor, description, score, ...] of each result, the best last, each place once
  const merged = (results) => {
    const best = new Map();
    for (const result of results) {
      const place = JSON.stringify([result[0], result[2]]);
      if (!best.has(place) || best.get(place)[4] < result[4]) best.set(place, result);
    }
    return [...best.values()].sort((a, b) => a[4] - b[4] || (a[1] < b[1] ? 1 : -1));
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (typeof Search === "undefined") return;
    const perform = Search._performSearch;
    Search._performSearch = (query, ...terms) => {
      const names = joined(query).filter((name) => name !== query);
      const found = names.flatMap((name) =>
        perform(...Search._parseQuery(name)).map((result) =>
          result[0].includes(name.toLowerCase()) ? result.with(4, result[4] + BONUS) : result,
        ),
      );
      Search._parseQuery(query); // which words are highlighted
      return merged([...found, ...perform(query, ...terms)]);
    };
  });
})();
