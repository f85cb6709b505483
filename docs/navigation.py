"""A hook of mkdocs: the menu lists every page of decisions/. Adding one is adding a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Put the pages in the place of `decisions/` in the menu."""
    docs = Path(config["docs_dir"])
    pages = sorted(str(page.relative_to(docs)) for page in docs.glob("decisions/*.md"))
    for section in config["nav"]:
        for entries in section.values():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and entry.get("Decisions") == "decisions/":
                    entry["Decisions"] = pages
    return config
