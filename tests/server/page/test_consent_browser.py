"""A person connects a program: the consent page in a real browser, in both languages."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from tests.server.oauth_client import CHALLENGE, VERIFIER

from .conftest import needs_chromium

NAME = "Chat <b>GPT</b>, which has a rather long name to show on a small screen"
WORDS = {"en-US": ("Allow", "Refuse", "API key"), "ja-JP": ("許可", "拒否", "APIキー")}

pytestmark = needs_chromium


@pytest.mark.parametrize(("locale", "width"), [("en-US", 1280), ("ja-JP", 360)])
async def test_a_person_allows_a_program_with_a_key(
    make_server, make_key, open_page, upstream, locale, width
):
    """A wrong key is asked for again; the right one sends the browser back, with a code."""
    server = await make_server(is_public=True)
    key = await make_key(server)
    back = upstream.serves("/back", "<title>Back</title>")
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        about = {"redirect_uris": [back], "client_name": NAME}
        client = (await http.post("/oauth/register", json=about)).json()["client_id"]
    query = {
        "client_id": client, "redirect_uri": back, "response_type": "code", "state": "s",
        "code_challenge": CHALLENGE, "code_challenge_method": "S256",
    }  # fmt: skip
    allow, refuse, label = WORDS[locale]

    page = await open_page(
        f"{server.url}/oauth/authorize?{urlencode(query)}",
        width=width, locale=locale, silent=False,
    )  # fmt: skip
    text = await page.inner_text("main")
    assert NAME in text
    assert urlsplit(back).netloc in text
    assert await page.get_by_role("button", name=refuse).is_visible()
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.get_by_label(label).fill("ksk_" + "x" * 40)
    await page.get_by_role("button", name=allow).click()
    await page.get_by_role("alert").wait_for()
    await page.get_by_label(label).fill(key)
    await page.get_by_role("button", name=allow).click()
    await page.wait_for_url(f"{back}?*")

    sent = {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        fields = {
            "grant_type": "authorization_code", "client_id": client, "code": sent["code"],
            "redirect_uri": back, "code_verifier": VERIFIER,
        }  # fmt: skip
        tokens = await http.post("/oauth/token", data=fields)
    assert tokens.status_code == 200
    assert (sent["state"], sent["iss"]) == ("s", server.url)
