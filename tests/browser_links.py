"""The links of the built site: each leads to a file of it and to an anchor of that file, and nothing is loaded from
elsewhere. `python tests/browser_links.py SITE`."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: what loads a file when a page is opened
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src"), ("object", "data")}


class Page(HTMLParser):
    """The anchors of a page, and what it links to: (tag, attribute, address)."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if (name in ("href", "src") or (tag, name) in LOADED) and value:
                self.links.append((tag, name, value))


def read(site):
    """{path: Page} of the site."""
    found = sorted(path for path in site.rglob("*.html") if not path.relative_to(site).parts[0].startswith("_"))
    return {path: Page(path.read_text("utf-8")) for path in found}


def wrong(path, link, pages):
    """What is wrong with a link of a page, or None."""
    tag, name, address = link
    parts = urlsplit(address)
    if parts.scheme in ("data", "mailto"):
        return None
    if parts.scheme or parts.netloc:
        return f"{address} is loaded from elsewhere" if (tag, name) in LOADED else None
    file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not file.is_file():
        return f"{address}: there is no such file"
    anchor = unquote(parts.fragment)
    if anchor and file in pages and anchor not in pages[file].anchors:
        return f"{address}: the page has no such anchor"
    return None


def check_links(site):
    """Hold every link of the site; how many there are."""
    pages = read(site.resolve())
    count, broken = 0, []
    for path, page in pages.items():
        count += len(page.links)
        broken += [f"{path.name}: {said}" for link in page.links if (said := wrong(path, link, pages))]
    assert count > 10_000 and not broken, f"{len(broken)} links are broken: {broken[:10]}"
    return count


if __name__ == "__main__":
    print(f"{check_links(Path(sys.argv[1]))} links, none broken")
