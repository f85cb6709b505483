"""`llms.txt`: the documentation for programs, written beside the site by a hook of mkdocs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from docs import llms, navigation

from tests import ROOT

yaml = pytest.importorskip("yaml")
DOCS = ROOT / "docs"


@pytest.fixture
def config(tmp_path: Path) -> dict[str, Any]:
    """What mkdocs hands to the hooks, for a site in a folder of its own."""
    read = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return navigation.on_config({**read, "docs_dir": str(DOCS), "site_dir": str(tmp_path)})


def test_every_page_of_the_site_is_listed(config, tmp_path):
    """A page that is not in the list does not exist for an agent."""
    llms.on_post_build(config)

    text = (tmp_path / "llms.txt").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        path = str(page.relative_to(DOCS))
        shown = path.removesuffix(".md") + "/" if page.parent.name == "reference" else path
        assert f"({config['site_url']}{shown})" in text, path


def test_the_list_has_the_form_of_llmstxt(config, tmp_path):
    """A title, a summary, and below each heading nothing but links."""
    llms.on_post_build(config)

    lines = [n for n in (tmp_path / "llms.txt").read_text(encoding="utf-8").split("\n") if n]
    assert lines[0] == "# Kensaku"
    assert lines[1].startswith("> ")
    assert all(line.startswith(("## ", "- [")) for line in lines[2:])


def test_every_address_of_the_list_is_a_file_of_the_site(config, tmp_path):
    """The Markdown of a page stands beside its HTML."""
    llms.on_post_build(config)

    for page in llms.pages(config["nav"], DOCS):
        if not page.is_generated:
            assert (tmp_path / page.path).read_text(encoding="utf-8") == page.text


def test_the_whole_is_the_pages_in_the_order_of_the_menu(config, tmp_path):
    """A model that can take 100,000 tokens gets everything by one request."""
    llms.on_post_build(config)

    whole = (tmp_path / "llms-full.txt").read_text(encoding="utf-8")
    listed = [p for p in llms.pages(config["nav"], DOCS) if not p.is_generated]
    places = [whole.index(f"<!-- {config['site_url']}{p.path} -->\n\n# ") for p in listed]
    assert places == sorted(places)
    assert "\n::: " not in whole
