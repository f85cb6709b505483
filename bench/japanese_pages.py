"""Japanese pages under free licences, with their right texts: a small set of our own.

    python bench/japanese_pages.py CLONES OUT.jsonl

`CLONES` is a folder with clones of the repositories of `SITES`, each under its name with "+" for
"/"; `OUT.jsonl` belongs into `extract/japanese/pages.jsonl` of the data. From each site the pages
are taken at even distances in the order of their paths, among those with at least 400 Japanese
characters.

The rule for the right text: all text of the one element that holds the article, which was found by
looking at one page of the site, without readings (ruby), scripts, and what the table names, all of
it links and dates that the site adds. Our own code has no part in it. Needs `cssselect`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lxml.cssselect import CSSSelector

from extraction_sets import text_in
from kensaku.extract.charset import decode
from kensaku.extract.html.tree import Element, parse_html

FEWEST = 400  # Japanese characters
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass
class Site:
    """Where pages are, and which element holds the article."""

    repository: str
    branch: str
    paths: str  # a regular expression
    address: str
    article: str  # a CSS selector, as the others
    unwanted: str
    count: int
    licence: str


SITES = (
    Site("cpprefjp/cpprefjp.github.io", "HEAD", r"^(lang|article|module)/.*\.html$",
         "https://cpprefjp.github.io/", "div[itemprop=articleBody]",
         "script, style, p.text-right, .edit-button", 12, "CC BY 3.0"),
    Site("boostjp/boostjp.github.io", "HEAD", r"^tips/.*\.html$",
         "https://boostjp.github.io/", "div[itemprop=articleBody]",
         "script, style, p.text-right, .edit-button", 8, "CC BY 3.0"),
    Site("jser/jser.github.io", "gh-pages", r"^20\d\d/.*index\.html$",
         "https://jser.info/", "article.post-content", "script, style, ins", 10, "CC BY 4.0"),
    Site("haskell-jp/blog", "gh-pages", r"^posts/20\d\d/.*\.html$",
         "https://haskell.jp/blog/", "#md-post-content",
         "script, style, #table-of-contents-outer", 8, "CC BY 4.0"),
)  # fmt: skip


def _git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


def pages_of(site: Site, clones: Path) -> list[dict[str, str]]:
    """Return the pages of a site with their right texts."""
    folder = clones / site.repository.replace("/", "+")
    if (folder / "repo").exists():
        folder /= "repo"
    paths = _git(folder, "ls-tree", "-r", "--name-only", site.branch).decode().splitlines()
    paths = sorted(p for p in paths if re.search(site.paths, p))
    found: list[dict[str, str]] = []
    step = max(1, len(paths) // (4 * site.count))
    for path in paths[step // 2 :: step]:
        if len(found) >= site.count:
            break
        html = decode(_git(folder, "show", f"{site.branch}:{path}"), "text/html")
        articles = CSSSelector(site.article)(parse_html(html))
        if not articles:
            continue
        for element in CSSSelector(site.unwanted)(articles[0]):
            _empty(element)
        text = text_in(articles[0])
        if len(_JAPANESE.findall(text)) >= FEWEST:
            found.append({"url": site.address + path, "html": html, "text": text})
    return found


def _empty(element: Element) -> None:
    for child in list(element):
        element.remove(child)
    element.text = None


def main() -> None:
    """Write the pages of all sites."""
    clones, out = Path(sys.argv[1]), Path(sys.argv[2])
    with out.open("w", encoding="utf-8") as file:
        for site in SITES:
            pages = pages_of(site, clones)
            print(f"{site.repository}: {len(pages)} pages, {site.licence}")
            file.writelines(json.dumps(page, ensure_ascii=False) + "\n" for page in pages)


if __name__ == "__main__":
    main()
