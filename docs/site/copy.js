// A button that copies the code of a block; of a session only what was typed. Output, signatures and sources of modules,
// which do not run when they are copied, have none.
(() => {
  const typed = (block) => {
    const text = block.textContent;
    if (!/^>>> /m.test(text)) return text;
    const lines = text.split("\n").filter((line) => /^(>>>|\.\.\.)( |$)/.test(line));
    return `${lines.map((line) => line.slice(4)).join("\n")}\n`;
  };

  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea"); // pages opened from a file, in some browsers
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const block of document.querySelectorAll("article.bd-article .highlight > pre")) {
      if (block.closest(".highlight-text, .signature, .module")) continue;
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
      button.setAttribute("aria-label", "Copy this code");
      button.addEventListener("click", async () => {
        await copy(typed(block));
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 1500);
      });
      block.parentElement.append(button);
    }
  });
})();
