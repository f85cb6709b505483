"""A hook of mkdocs: the menu lists every page of some folders. Adding one is adding a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDERS = ("decisions/", "specifications/")


def on_config(config: Any) -> Any:
    """Put the pages in the place of their folder in the menu."""
    for section in config["nav"]:
        for entries in section.values():
            for entry in entries if isinstance(entries, list) else ():
                for title, folder in list(entry.items()) if isinstance(entry, dict) else ():
                    if folder in FOLDERS:
                        entry[title] = _pages(Path(config["docs_dir"]), folder)
    return config


def _pages(docs: Path, folder: str) -> list[str]:
    """The pages of a folder, its index first."""
    pages = sorted(str(page.relative_to(docs)) for page in docs.glob(f"{folder}*.md"))
    return sorted(pages, key=lambda page: not page.endswith("/index.md"))
