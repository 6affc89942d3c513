// How the search of the site orders what it finds: the page of a function before prose, lists last.
var Scorer = {
  score: ([page, title, anchor, description, score]) => {
    if (page.startsWith("functions/")) return score + (anchor ? 3 : 20);
    return ["changelog", "coverage", "gallery", "model-types", "performance"].includes(page) ? score - 3 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
