"""The check of the links of the site finds what is broken; `.ci/run` runs it on the built site."""

import browser_links
import pytest


@pytest.fixture
def site(tmp_path):
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / "rope.html").write_text('<h2 id="source">Source</h2><a href="../index.html#top">up</a>')
    (tmp_path / "icon.svg").write_text("<svg/>")
    return tmp_path


def broken(site, link):
    """What is said of the links of a first page with one link more."""
    right = '<h1 id="top"></h1><a href="functions/rope.html#source"></a><img src="icon.svg"><a href="#top"></a>'
    (site / "index.html").write_text(f'{right}<a href="https://example.org/paper"></a>{link}')
    pages = browser_links.read(site)
    assert len(pages) == 2 and sum(len(page.links) for page in pages.values()) == 6 - (not link)
    return [
        said for path, page in pages.items() for one in page.links if (said := browser_links.wrong(path, one, pages))
    ]


@pytest.mark.parametrize(
    "link, said",
    [
        ('<a href="functions/rope_4d.html">', "no such file"),
        ('<a href="functions/rope.html#nothing">', "no such anchor"),
        ('<a href="#nothing">', "no such anchor"),
        ('<img src="gallery/rope.svg">', "no such file"),
        ('<a href="functions">', "no such file"),
        ('<script src="https://example.org/script.js">', "loaded from elsewhere"),
        ('<link rel="stylesheet" href="//example.org/style.css">', "loaded from elsewhere"),
        ('<img src="http://example.org/pixel.png">', "loaded from elsewhere"),
    ],
)
def test_a_broken_link_is_found(site, link, said):
    (found,) = broken(site, link)
    assert said in found


def test_right_links_pass_and_an_empty_site_does_not(site):
    assert broken(site, "") == []
    with pytest.raises(AssertionError, match="0 links are broken"):
        browser_links.check_links(site)  # too few to be the site
