"""The look of the HTML report: light or dark as the reader's system is, readable at any width, with no script."""

#: colour of each level of an error map, on light and on dark ground
LIGHT = ("e9edf1", "b9d3ee", "f5d76e", "ee9a3a", "d9482b", "8f1239", "000000")
DARK = ("2a3038", "36587c", "75611a", "c07a1e", "f0603c", "ff8fb1", "ffffff")

CSS = """
:root { color-scheme: light dark; --ground: #ffffff; --card: #f6f8fa; --ink: #1c2128; --soft: #57606a; --line: #d0d7de;
  --good: #116329; --bad: #a40e26; --link: #0550ae; LIGHT_LEVELS }
@media (prefers-color-scheme: dark) {
  :root { --ground: #15191f; --card: #1e242c; --ink: #e6edf3; --soft: #9aa7b4; --line: #3a434e;
    --good: #6fd08c; --bad: #ff8f8f; --link: #7cb7ff; DARK_LEVELS } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .4rem 0; }
a { color: var(--link); overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.good { color: var(--good); } .bad { color: var(--bad); } .soft { color: var(--soft); }
.lead { font-size: 1.1rem; }
.causes { list-style: none; margin: .5rem 0; padding: 0; }
.causes li { border-left: .35rem solid var(--bad); background: var(--card); padding: .6rem .9rem; margin: .5rem 0;
  font-size: 1.15rem; overflow-wrap: anywhere; }
.causes li.open { border-color: var(--line); font-size: 1rem; }
.item { border: 1px solid var(--line); border-radius: .5rem; background: var(--card); margin: .75rem 0; }
summary { cursor: pointer; padding: .7rem .9rem; overflow-wrap: anywhere; }
summary h3 { display: inline; }
.inside { display: flex; flex-wrap: wrap; gap: 1rem 2rem; padding: 0 .9rem .9rem; align-items: flex-start; }
.words { flex: 1 1 20rem; min-width: 0; }
.words p:first-child { margin-top: 0; }
figure { margin: 0; max-width: 100%; width: fit-content; min-width: min(15rem, 100%); }
figcaption { width: 0; min-width: 100%; color: var(--soft); font-size: .85rem; margin-top: .3rem; }
.map { display: inline-grid; grid-template-columns: auto minmax(0, 1fr); gap: .15rem .4rem; max-width: 100%;
  font-size: .8rem; color: var(--soft); }
.map .rows { display: flex; flex-direction: column; justify-content: space-between; text-align: right; }
.map .columns { grid-column: 2; display: flex; justify-content: space-between; gap: .5rem; }
.map img { display: block; max-width: 100%; image-rendering: pixelated; border: 1px solid var(--line); }
.picture { position: relative; }
.worst { position: absolute; width: 18px; height: 18px; margin: -9px 0 0 -9px; border: 3px solid var(--ink);
  border-radius: 50%; box-shadow: 0 0 0 2px var(--ground); }
.curves { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
.curve { width: min(20rem, 100%); }
.curve svg { display: block; width: 100%; height: auto; }
.curve path { fill: none; stroke-width: 2; stroke-linecap: round; }
.curve .frame { stroke: var(--line); stroke-width: 1; }
.curve .asked { stroke: var(--soft); stroke-width: 6; opacity: .45; }
.curve .got { stroke: var(--bad); }
.curve text { fill: var(--soft); font-size: 11px; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1rem; list-style: none; margin: .5rem 0; padding: 0;
  font-size: .9rem; }
.legend span { display: inline-block; width: 1em; height: 1em; margin-right: .4em; vertical-align: -.12em;
  border: 1px solid var(--line); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .95rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; }
td.number, .bits { font-variant-numeric: tabular-nums; }
code, .bits { font-family: ui-monospace, monospace; font-size: .92em; overflow-wrap: anywhere; }
@media (max-width: 40rem) { main { padding: .5rem .75rem 3rem; } h1 { font-size: 1.35rem; }
  .causes li { font-size: 1.05rem; } .words { flex-basis: 100%; } }
@media print { .item { break-inside: avoid; } }
"""


def css():
    """The style sheet with the colours of the levels."""
    text = CSS
    for name, colours in (("LIGHT_LEVELS", LIGHT), ("DARK_LEVELS", DARK)):
        text = text.replace(name, " ".join(f"--level{k}: #{colour};" for k, colour in enumerate(colours)))
    return text + "\n".join(f".level{k} {{ background: var(--level{k}); }}" for k in range(len(LIGHT))) + "\n"
