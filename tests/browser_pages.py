"""Every page of the site in a real browser: nothing is wider than the screen, and the search finds names."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import chromium

from refpos import catalogue
from refpos.words import words

#: a page of each kind
KINDS = (
    "index encodings/rotary functions/rope functions/t5_bias functions/window_bias model-types coverage"
    " lessons/rotation lessons/images gallery galleries/rotary texts names conformance diagnose browser formulas"
    " performance contents"
).split()
#: what is asked -> (what finds no less, the first page that must be found)
QUESTIONS = {
    "rotary-embedding": ("rotary embedding", "functions/rope.html"),
    "cos-sin": ("cos sin", None),
    "m-rope": ("mrope", "functions/mrope.html"),
    "M-RoPE": ("mrope", "functions/mrope.html"),
    "2-d": ("2d", None),
    "rope-2d": ("rope_2d", "functions/rope_2d.html"),
    "rope 2d": ("rope_2d", "functions/rope_2d.html"),
    "t5-bias": ("t5_bias", "functions/t5_bias.html"),
    "sin-cos": ("sincos", "functions/sinusoidal.html"),
    "M-RoPE position ids": ("M-RoPE position ids", "functions/qwen2_vl_positions.html"),
    "llama 3.1 inv_freq": ("llama 3.1 inv_freq", "functions/llama3.html"),
    "swin relative position bias": ("swin relative position bias", "functions/window_bias.html"),
    "resize pos_embed timm": ("resize pos_embed timm", "functions/resize_table.html"),
    "pytest torch rotary": ("pytest torch rotary", "testing.html"),
    "check in a torch test": ("check in a torch test", "testing.html"),
    "q and k permuted huggingface checkpoint": ("q and k permuted huggingface checkpoint", "layouts.html"),
    "llama 3.1 config inv_freq": ("llama 3.1 config inv_freq", "configs.html"),
    "bf16 cosine table": ("bf16 cosine table", "conformance.html"),
    "deepseek yarn mscale": ("deepseek yarn mscale", "functions/yarn.html"),
    "stable diffusion timesteps": ("stable diffusion timesteps", "functions/timestep_embedding.html"),
    "permute q_proj": ("permute q_proj", "layouts.html"),
    "convert_llama_weights permute": ("convert_llama_weights permute", "layouts.html"),
    "permuted weights meta huggingface": ("permuted weights meta huggingface", "layouts.html"),
    "vit interpolate 37x37": ("vit interpolate 37x37", "functions/resize_table.html"),
    "MAE position embedding": ("MAE position embedding", "functions/sincos_2d.html"),
    "mae sin-cos table": ("mae sin-cos table", "functions/sincos_2d.html"),
    "M-RoPE image positions": ("M-RoPE image positions", "functions/qwen2_vl_positions.html"),
    "pytest rotary": ("pytest rotary", "testing.html"),
    "test my rotary embedding": ("test my rotary embedding", "testing.html"),
    "float32-angle": ("float32 angle", "conformance.html"),
    "swin index": ("swin index", "functions/window_rows.html"),
    "2d sincos checkpoint": ("2d sincos checkpoint", "functions/sincos_2d.html"),
}
#: what the filter of the list of functions is asked -> a row that it shows, or none
FILTERED = {"swin index": "window_rows", "bf16": None, "permute": "inverse_permutation", "rope": "rope"}
#: parts of the page that reach beyond the screen and are in no box that scrolls, such as a table or a program
BEYOND = """Array.from(document.querySelectorAll(".bd-article *, header *")).filter((one) => {
    const { width, right } = one.getBoundingClientRect();
    if (!width || right <= innerWidth + 1) return false;
    for (let at = one.parentElement; at && !at.matches(".bd-article"); at = at.parentElement) {
        const { overflowX } = getComputedStyle(at);
        if (overflowX === "auto" || overflowX === "scroll") return at.getBoundingClientRect().right > innerWidth + 1;
    }
    return true;
}).map((one) => one.tagName + " " + one.textContent.slice(0, 40))"""
WIDTH = "[document.documentElement.scrollWidth, innerWidth]"
PLANTED = "document.querySelector('.bd-article').insertAdjacentHTML('beforeend', '<p style=\"width: 2000px\">wide</p>')"


def too_wide(browser):
    """What of the page is wider than the screen, in words."""
    scrolled, width = browser.value(WIDTH)
    return ([f"the page scrolls to {scrolled} of {width}"] if scrolled > width else []) + browser.value(BEYOND)


def check_widths(browser, site):
    """Hold every page against the phone, and a page of each kind against the desk; how many pages there are."""
    pages = sorted(path for path in site.rglob("*.html") if not path.relative_to(site).parts[0].startswith("_"))
    kinds = [site / f"{kind}.html" for kind in KINDS]
    assert set(kinds) <= set(pages)
    for device, opened in {"desk": kinds, "phone": pages}.items():
        chromium.sized(browser, device)
        wide = {}
        for page in opened:
            browser.open(page)
            wide[str(page.relative_to(site))] = too_wide(browser)[:5]
        wide = {page: parts for page, parts in wide.items() if parts}
        assert not wide, f"wider than the {device}: {wide}"
        browser.open(kinds[0])
        browser.value(PLANTED)
        assert too_wide(browser) == ["P wide"], (
            f"{device}: a part of 2000 pixels must be found, got {too_wide(browser)}"
        )
    browser.call("Emulation.clearDeviceMetricsOverride")
    return len(pages)


def found(browser, site, question):
    """The addresses of the results of the search, the best first."""
    browser.open(site / "search.html", f"?q={quote(question)}")
    # the results are listed one by one, and then counted
    browser.wait("/found|did not match/.test(document.querySelector('.search-summary')?.innerText)")
    links = "Array.from(document.querySelectorAll('ul.search > li > a'), (one) => one.getAttribute('href'))"
    return browser.value(links)


def check_search(browser, site):
    """Words with a hyphen find what the word without it finds; how many questions."""
    for question, (plain, first) in QUESTIONS.items():
        mine, theirs = found(browser, site, question), found(browser, site, plain)
        assert theirs and set(theirs) <= set(mine), f"{question}: {sorted(set(theirs) - set(mine))} are not found"
        assert first is None or mine[0] == first, f"{question}: {first} must be first, got {mine[:5]}"
    assert found(browser, site, "nosuchword") == []
    texts = [name for entry in catalogue.ENTRIES.values() for name in (entry.name, *entry.also, entry.summary)]
    theirs = browser.value(f"{json.dumps(texts)}.map(refposNames.words)")
    differ = [text for text, mine in zip(texts, theirs, strict=True) if mine != sorted(set(words(text)))]
    assert len(texts) > 500 and not differ, f"words of the search and of refpos differ: {differ[:5]}"
    # the lines below a result are fetched, which a page that is opened as a file may not do
    browser.errors = [error for error in browser.errors if not error.endswith("TypeError: Failed to fetch")]
    return len(QUESTIONS)


def check_filter(browser, site):
    """The filter of the list of functions shows a row, or where else to look."""
    for question, row in FILTERED.items():
        browser.open(site / "encodings.html", f"?rows={quote(question)}")
        shown = browser.value("Array.from(document.querySelectorAll('tbody tr:not([hidden])'), (one) => one.innerText)")
        links = browser.value(
            "Array.from(document.querySelectorAll('.row-filter p:not([hidden]) a'), (one) => one.href)"
        )
        assert any(text.startswith(row or "") for text in shown) == bool(row), f"{question}: {shown}"
        assert len(links) == (3 if len(shown) < 3 else 0), f"{question}: {links}"
        for link in links:
            assert Path(unquote(urlsplit(link).path)).is_file(), link


#: what copies instead of the clipboard, and the programs that the buttons of a page copy
COPIES = """Object.defineProperty(
    navigator, "clipboard", { value: { writeText: (text) => (window.copied = text) }, configurable: true });
Array.from(document.querySelectorAll("%s"), (button) => {
    button.click();
    return window.copied;
})"""
PROGRAMS = COPIES % ".highlight-python button.copy, .highlight-pycon button.copy"
#: pages, and the first words of the commands that their console blocks hold, in order
COMMANDS = {"configs": ["refpos config"] * 3, "verify": ["refpos verify"] * 2 + ["refpos generate", "refpos verify"]}
#: a page whose blocks are excerpts of refpos and its tests
EXCERPTS = "adding-an-encoding"
#: pages, and how many programs the buttons copy
COPIED = {"index": 6, "usage": 4, "functions/yarn": 3, "functions/t5_bias": 3, "names": 1, "layouts": 8, "verify": 3,
          "models": 3}  # fmt: skip


def check_copy(browser, site):
    """What the buttons copy runs alone, in an empty folder; how many programs."""
    for page, count in COPIED.items():
        browser.open(site / f"{page}.html")
        programs = browser.value(PROGRAMS)
        assert len(programs) == count, f"{page}: {len(programs)} programs, {count} expected"
        for code in programs:
            if "import torch" in code:  # tests/frameworks/test_torch_programs.py
                continue
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, f"{page}: what the button copies fails: {done.stderr[-300:]}"
    return sum(COPIED.values())


def check_commands(browser, site):
    """What the buttons of consoles copy are the commands alone, and excerpts have no button; how many commands."""
    for page, commands in COMMANDS.items():
        browser.open(site / f"{page}.html")
        copied = "".join(browser.value(COPIES % ".highlight-console button.copy")).splitlines()
        assert [" ".join(line.split()[:2]) for line in copied] == commands, f"{page}: {copied}"
    browser.open(site / f"{EXCERPTS}.html")
    blocks, buttons = (
        browser.value(f"document.querySelectorAll('.excerpt{part}').length") for part in ("", " button.copy")
    )
    assert blocks >= 3 and not buttons, f"{EXCERPTS}: {blocks} excerpts, {buttons} buttons"
    return sum(map(len, COMMANDS.values()))


def draw_kinds(browser, site, folder):
    """Pictures of a page of each kind, and of results of the search."""
    found(browser, site, "swin relative position bias")
    chromium.draw(browser, folder, "search-")
    for kind in KINDS:
        browser.open(site / f"{kind}.html")
        chromium.draw(browser, folder, f"{kind.replace('/', '-')}-")
