// The search of the site takes a word with a hyphen as the name it may mean, too: "m-rope" finds mrope, and "rope-2d"
// and "rope 2d" find rope_2d; without this script a hyphen is a space. A page whose names, those of `refpos find`, have
// more than half of the words comes before all others.
(() => {
  const BONUS = 10; // of pages that have such a name in their address
  const CALLED = 1000; // of each word by which a page is called

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

  // the words of a text in their common form, as refpos/words.py has them
  const words = (text) => {
    const { common, filler } = globalThis.refposNames;
    const form = (word) => {
      if (common[word]) return common[word];
      let one = word;
      if (one.endsWith("ies") && one.length > 4) one = `${one.slice(0, -3)}y`;
      else if (one.endsWith("s") && one.length > 3 && !/(ss|us|is|as)$/.test(one)) one = one.slice(0, -1);
      return common[one] || one;
    };
    const pieces = (text.match(/[A-Za-z]+|\d+/g) || []).flatMap((run) =>
      /^([A-Z][a-z]{2,}){2,}$/.test(run) ? run.match(/[A-Z][a-z]+/g) : [run],
    );
    const found = pieces.map((piece) => piece.toLowerCase());
    const telling = found.filter((word) => !filler.includes(word));
    return [...new Set((telling.length ? telling : found).map(form))].sort();
  };

  // results of the pages that are called by more than half of the words; of two alike the first one listed is better
  const called = (query) => {
    const asked = words(query);
    const { docnames, titles, filenames } = Search._index;
    return Object.entries(globalThis.refposNames.pages).flatMap(([page, names], k) => {
      const held = names.filter((name) => name.every((word) => asked.includes(word)));
      const count = new Set(held.flat()).size;
      const at = docnames.indexOf(page);
      if (at < 0 || count * 2 <= asked.length) return [];
      const whole = held.some((name) => name.length === asked.length);
      return [[page, titles[at], "", null, CALLED * (count + whole) - k, filenames[at], "title"]];
    });
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (typeof Search === "undefined" || !globalThis.refposNames) return; // not the page of the search
    const perform = Search._performSearch;
    Search._performSearch = (query, ...terms) => {
      const names = joined(query).filter((name) => name !== query);
      const found = names.flatMap((name) =>
        perform(...Search._parseQuery(name)).map((result) =>
          result[0].includes(name.toLowerCase()) ? result.with(4, result[4] + BONUS) : result,
        ),
      );
      Search._parseQuery(query); // which words are highlighted
      return merged([...found, ...called(query), ...perform(query, ...terms)]);
    };
    globalThis.refposNames.words = words;
  });
})();
