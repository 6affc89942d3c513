// Names in cells of tables may be broken after an underscore, a dot or a bracket, and nowhere else.
(() => {
  document.addEventListener("DOMContentLoaded", () => {
    for (const name of document.querySelectorAll("article.bd-article td code .pre")) {
      const parts = name.textContent.split(/(?<=[._(,=/-])(?=\w|")/);
      name.replaceChildren(...parts.flatMap((part, k) => (k ? [document.createElement("wbr"), part] : [part])));
    }
  });
})();
