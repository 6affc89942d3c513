// Neighbouring sections of the class "tab" become tabs. Without this script they stand below each other.
(() => {
  const build = (panels) => {
    const list = document.createElement("div");
    list.className = "tabs";
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", "Formula, programs and traps");
    const buttons = panels.map((panel) => {
      const button = document.createElement("button");
      button.type = "button";
      button.id = `tab-${panel.id}`;
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", panel.id);
      button.textContent = panel.querySelector("h2").firstChild.textContent;
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", button.id);
      panel.querySelector("h2").hidden = true;
      list.append(button);
      return button;
    });
    const select = (chosen) => {
      buttons.forEach((button, k) => {
        button.setAttribute("aria-selected", String(k === chosen));
        button.tabIndex = k === chosen ? 0 : -1;
        panels[k].hidden = k !== chosen;
      });
    };
    const moves = { ArrowRight: (k) => k + 1, ArrowLeft: (k) => k - 1, Home: () => 0, End: () => -1 };
    list.addEventListener("keydown", (event) => {
      if (!(event.key in moves)) return;
      const next = (moves[event.key](buttons.indexOf(document.activeElement)) + buttons.length) % buttons.length;
      event.preventDefault();
      select(next);
      buttons[next].focus();
    });
    buttons.forEach((button, k) => button.addEventListener("click", () => select(k)));
    // a link to a section that is not shown selects it
    const follow = () => {
      const chosen = panels.findIndex((panel) => `#${panel.id}` === location.hash);
      if (chosen >= 0) select(chosen);
      return chosen >= 0;
    };
    window.addEventListener("hashchange", follow);
    panels[0].before(list);
    if (!follow()) select(0);
  };

  document.addEventListener("DOMContentLoaded", () => {
    const panels = [...document.querySelectorAll("section.tab")];
    if (panels.length > 1) build(panels);
  });
})();
