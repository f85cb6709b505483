"""The links that install the MCP server in an editor: decoded, they are the command we mean."""

from __future__ import annotations

import base64
import json
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from docs import deep_links
from docs.deep_links import NAME, SERVER, cursor, vscode

from tests import ROOT


@pytest.mark.parametrize("web", [False, True])
def test_the_link_for_cursor_holds_the_server_in_base64(web):
    """Cursor decodes `config` and shows the command before it is written down."""
    parts = urlsplit(cursor(SERVER, web=web))
    query = parse_qs(parts.query, strict_parsing=True)

    assert parts.scheme == ("https" if web else "cursor")
    assert query["name"] == [NAME]
    assert json.loads(base64.b64decode(query["config"][0], validate=True)) == SERVER


def test_base64_that_has_a_plus_or_padding_survives_the_link():
    """A plus in a query would arrive as a space."""
    server = {"command": "»»»", "args": ["~~~?"]}
    query = parse_qs(urlsplit(cursor(server)).query)

    assert json.loads(base64.b64decode(query["config"][0], validate=True)) == server


def test_the_link_for_vscode_is_the_server_and_its_name():
    """VS Code reads all that stands behind the question mark as JSON."""
    scheme, _, encoded = vscode(SERVER).partition("?")

    assert scheme == "vscode:mcp/install"
    assert json.loads(unquote(encoded)) == {"name": NAME, **SERVER}


def test_the_web_link_for_vscode_has_the_name_beside_the_server():
    """The page behind it opens the editor with the link above."""
    query = parse_qs(urlsplit(vscode(SERVER, web=True)).query, strict_parsing=True)

    assert query["name"] == [NAME]
    assert json.loads(query["config"][0]) == SERVER


def test_the_page_shows_the_links_of_today():
    """`make docs` writes them; whoever changes the command has to run it."""
    page = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")

    assert deep_links.section() in page


def test_the_badges_are_pictures_of_our_own():
    """A reader's browser calls nobody but the site itself."""
    for name in ("cursor", "vscode"):
        picture = (ROOT / f"docs/images/install-{name}.svg").read_text(encoding="utf-8")
        assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
