"""A hook of mkdocs: write llms.txt and llms-full.txt, and each page as Markdown, for programs.

    llms.txt         the title and the first sentence of every page, with its address
    llms-full.txt    the pages themselves, in the order of the menu
    mcp.md           the source of mcp/index.html, and so on

The form is that of llmstxt.org. Pages of the reference come from docstrings: they are linked as
HTML and are not in llms-full.txt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the menu."""

    section: str
    path: str
    text: str

    @property
    def title(self) -> str:
        """The first heading."""
        return self.text.partition("\n")[0].removeprefix("# ").strip()

    @property
    def about(self) -> str:
        """The first sentence, where one stands right below the title."""
        line = " ".join(self.text.split("\n\n")[1].split())
        if line[0] in "#!|<-[*:":
            return ""
        sentence = re.split(r"(?<=\.) |:$", line)[0]
        return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", sentence)

    @property
    def is_generated(self) -> bool:
        """Whether mkdocstrings fills it in."""
        return bool(re.search(r"^::: ", self.text, re.MULTILINE))


def pages(nav: Any, docs: Path, section: str = "") -> Iterator[Page]:
    """Give the pages of a menu in its order."""
    for entry in nav:
        for title, below in entry.items() if isinstance(entry, dict) else [("", entry)]:
            if isinstance(below, list):
                yield from pages(below, docs, section or title)
            else:
                yield Page(section, below, (docs / below).read_text(encoding="utf-8"))


def summary(found: list[Page], site: str, name: str, about: str) -> str:
    """Return the text of llms.txt."""
    lines = [f"# {name}", "", f"> {about}"]
    section = ""
    for page in found:
        if page.section != section:
            section = page.section
            lines += ["", f"## {section}"]
        lines += [""] if lines[-1].startswith(("#", ">")) else []
        lines += [f"- [{page.title}]({address(page, site)}): {page.about}".removesuffix(": ")]
    return "\n".join(lines) + "\n"


def address(page: Page, site: str) -> str:
    """Where the page is for a program: its Markdown, or its HTML if it has none."""
    stem = page.path.removesuffix(".md").removesuffix("index")
    return f"{site}{stem.rstrip('/')}/" if page.is_generated else f"{site}{page.path}"


def whole(found: list[Page], site: str) -> str:
    """Return the text of llms-full.txt."""
    return "\n\n".join(
        f"<!-- {address(page, site)} -->\n\n{page.text.strip()}"
        for page in found
        if not page.is_generated
    )


def on_post_build(config: Any) -> None:
    """Write the files beside the site's pages."""
    site, docs = Path(config["site_dir"]), Path(config["docs_dir"])
    found = list(pages(config["nav"], docs))
    url, name, about = config["site_url"], config["site_name"], config["site_description"]
    (site / "llms.txt").write_text(summary(found, url, name, about), encoding="utf-8")
    (site / "llms-full.txt").write_text(whole(found, url) + "\n", encoding="utf-8")
    for page in found:
        if not page.is_generated:
            (site / page.path).parent.mkdir(parents=True, exist_ok=True)
            (site / page.path).write_text(page.text, encoding="utf-8")
