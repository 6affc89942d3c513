// A button that copies the code of a block; of a session only what was typed. Output, signatures, excerpts and
// sources of modules, which do not run when they are copied, have none.
(() => {
  const typed = (block) => {
    const text = block.textContent;
    if (block.closest(".highlight-console")) {
      const commands = text.match(/^\$ (?:.*\\\n)*.*\n?/gm) || []; // a line that ends with \ goes on
      return commands.map((one) => `${one.slice(2).trimEnd()}\n`).join("");
    }
    if (!/^>>> /m.test(text)) return text;
    const lines = text.split("\n").filter((line) => /^(>>>|\.\.\.)( |$)/.test(line));
    return `${lines.map((line) => line.slice(4)).join("\n")}\n`;
  };

  // a block that goes on from those above is copied with them
  const whole = (block) => {
    if (!block.closest(".goes-on")) return [block];
    const kind = block.closest(".highlight-pycon") ? ".highlight-pycon" : ":is(.highlight-python, .highlight-py)";
    const code = `${kind}:not(.signature, .excerpt) .highlight > pre`;
    const all = [...document.querySelectorAll(code)];
    return all.slice(0, all.indexOf(block) + 1);
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
      if (block.closest(".highlight-text, .highlight-none, .signature, .module, .excerpt")) continue;
      const button = document.createElement("button");
      const blocks = whole(block);
      const label = blocks.length > 1 ? "Copy with the code above" : "Copy";
      Object.assign(button, { type: "button", className: "copy", textContent: label });
      button.setAttribute("aria-label", blocks.length > 1 ? "Copy this code and the code above" : "Copy this code");
      button.addEventListener("click", async () => {
        await copy(blocks.map(typed).join("\n"));
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = label), 1500);
      });
      block.parentElement.append(button);
    }
  });
})();
