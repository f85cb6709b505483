"""Secrets are removed in every encoding, in linear time, and the rest of the text is kept."""

from __future__ import annotations

import base64
import html
import itertools
import json
import math
import random
import re
import string
from urllib.parse import quote, quote_plus

import pytest

from kensaku.text.redact import encodings, mask_url, password_of, redact, redact_known
from tests.growth import growth

KEYS = (
    "tvly-dev-CANARY0a1b2c3d4e5f",
    "sk-CANARY+d/0123456789==",
    "CANARY9f8e7d6c5b4a39281706f5e4d3c2b1a0",
    "CÄNARY-schlüssel-ñ-00",
    "CANARY-a",
)


def encoded(key: str) -> dict[str, str]:
    """A key as an upstream may repeat it."""
    data = key.encode()
    return {
        "as it is": key,
        "upper case": key.upper(),
        "lower case": key.lower(),
        "quoted": quote(key, safe=""),
        "quoted in small letters": quote(key, safe="").lower(),
        "quoted twice": quote(quote(key, safe=""), safe=""),
        "quoted for a form": quote_plus(key),
        "every byte quoted": "".join(f"%{b:02X}" for b in data),
        "JSON": json.dumps(key)[1:-1],
        "JSON with slashes escaped": json.dumps(key)[1:-1].replace("/", "\\/"),
        "HTML": html.escape(key),
        "hex": data.hex(),
        "HEX": data.hex().upper(),
        "base64": base64.b64encode(data).decode(),
        "base64 without padding": base64.b64encode(data).decode().rstrip("="),
        "base64 for addresses": base64.urlsafe_b64encode(data).decode(),
        "base64 of user:key": base64.b64encode(b"user:" + data).decode(),
        "base64 of a:key": base64.b64encode(b"a:" + data).decode(),
        "base64 of key:": base64.b64encode(data + b":").decode(),
        "base64 of api:key@": base64.urlsafe_b64encode(b"api:" + data + b"@x").decode(),
        "base64 in an address": quote(base64.b64encode(data).decode(), safe=""),
        "its beginning": key[: max(8, len(key) // 2)] + "…",
        "its end": "…" + key[-max(8, len(key) // 2) :],
    }


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("form", encoded("x"))
def test_a_secret_is_removed_in_every_encoding(key, form):
    """No eight characters of what was sent are left, and the words around it are."""
    sent = encoded(key)[form]

    shown = redact(f"the credential {sent} was refused", [key])

    assert shown.startswith("the credential ")
    assert shown.endswith(" was refused")
    left = shown.removeprefix("the credential ").removesuffix(" was refused")
    assert "…" in left
    assert max(map(len, left.split("…"))) < 8, shown  # of what was encoded before and after it


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Authorization: Bearer abc.DEF-123_x was refused", "Authorization: Bearer … was refused"),
        ("sent bearer 0123456789abcdef", "sent bearer …"),
        ("Basic dXNlcjpwYXNz", "Basic …"),
        ("GET /v1?api_key=abc&q=otter", "GET /v1?api_key=…&q=otter"),
        ("GET /v1?q=otter&key=abc", "GET /v1?q=otter&key=…"),
        ("GET /v1?next=%2Fv1%3Fkey%3Dabc", "GET /v1?next=%2Fv1%3Fkey%3D…"),
        ("went on to token%3dabc", "went on to token%3d…"),
        ('{"api_key": "s3cret-one", "q": 1}', '{"api_key": "…", "q": 1}'),
        ("X-API-Key: 8f2a9c77d1", "X-API-Key: …"),
        ("access_token='abc def'", "access_token='… def'"),
        ("password=hunter2", "password=…"),
        ("cannot reach https://user:hunter2@host/x", "cannot reach https://…@host/x"),
        ("provided: sk-proj-0123456789abcdef.", "provided: …."),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "jwt …"),
    ],
)
def test_what_calls_itself_a_credential_is_removed_unknown(said, shown):
    """It may be another customer's, or one that was configured elsewhere."""
    assert redact(said) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Invalid API key: please check your account",
        "the key of this plan is used up; tokens: 12 of 100",
        "see https://medium.com/@otters/article and mail a@b.example",
        "monkey=1, turkey=2, keyboard: ergonomic42",
        "bearer of bad news",
        "ключ недействителен, キーが無効です",
    ],
)
def test_ordinary_sentences_stay_as_they_are(text):
    """What an upstream explains is worth more than an ellipsis."""
    assert redact(text, KEYS) == text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:hunter2@host/v1", "https://…@host/v1"),
        ("https://user:p@ss@host/v1", "https://…@host/v1"),
        ("redis://:p/w@host:6379/0", "redis://…@host:6379/0"),
        ("openai:m@https://user:hunter2@host/v1", "openai:m@https://…@host/v1"),
        ("https://host/v1?api_key=abc&x=1", "https://host/v1?api_key=…&x=1"),
        ("https://host/v1", "https://host/v1"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_its_password(url, shown):
    """Also when the password holds what should have been escaped."""
    assert mask_url(url) == shown


def test_the_password_of_an_address_is_known():
    """So that it is removed where an upstream repeats it."""
    assert password_of("https://user:hunt%40er2@host/v1") == "hunt@er2"
    assert password_of("https://token@host/v1") == "token"
    assert password_of("openai:m@http://user:hunter2@host") == "hunter2"
    assert password_of("https://[host/v1") == password_of("https://host") == ""


def test_letters_that_grow_in_lower_case_do_not_move_the_cut():
    """`İ` becomes two characters."""
    assert redact_known("İİİ KEY-0123456789 İİİ", ["key-0123456789"]) == "İİİ … İİİ"


ALMOST = "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=40))


@pytest.mark.parametrize(
    "piece", [ALMOST[:-1], "api_key:", "key: a", "Bearer ", "//", "eyJaaaaaaaa.", "sk-", " "]
)
def test_the_work_grows_with_the_length_alone(piece):
    """An upstream chooses the text, and may repeat almost-keys without an end."""
    assert growth(lambda n: redact(piece * n, [ALMOST]), 2_000) < 9


_ODD = '\t"key/of+odd\\signs&"-é-0123456789'


@pytest.mark.parametrize("form", list(dict.fromkeys(encodings(_ODD))))
def test_of_a_secret_in_another_encoding_nothing_is_left(form):
    """Not a character, at the very end and the very beginning of a text as well."""
    assert redact_known(form, [_ODD]) == "…"
    assert redact_known(f"sent: {form}", [_ODD]) == "sent: …"
    assert redact_known(f"{form} was sent", [_ODD]) == "… was sent"


def test_every_encoding_is_known():
    """As it is, in addresses, JSON, HTML, repr, hexadecimal and base64."""
    data = _ODD.encode()

    assert {
        _ODD, quote(_ODD, safe=""), quote_plus(_ODD), quote(quote(_ODD, safe=""), safe=""),
        "".join(f"%{byte:02x}" for byte in data), json.dumps(_ODD)[1:-1],
        json.dumps(_ODD)[1:-1].replace("/", "\\/"), repr(_ODD)[1:-1], html.escape(_ODD), data.hex(),
    } <= set(encodings(_ODD))  # fmt: skip
    for before in ("", "a", "ab"):
        sent = base64.b64encode((before + _ODD).encode()).decode()
        assert len(redact_known(sent, [_ODD])) <= 6


def test_a_short_secret_is_found_in_base64_whatever_stands_behind_it():
    """The last character there encodes a part of the neighbour, too."""
    sent = base64.b64encode(b"ab1-x:more").decode()

    assert redact_known(sent, ["ab1-x"]) == "…" + sent[6:]


@pytest.mark.parametrize("key", ["k~~~1", "k???1", "a~~~~~~~~b", "a????????b"])
def test_a_secret_is_found_in_base64_for_addresses(key):
    """With - and _ where there are + and / otherwise."""
    sent = base64.urlsafe_b64encode(f"{key}:more".encode()).decode()

    assert re.search("[-_]", sent[:6])
    assert redact_known(sent, [key])[:1] == "…"
    usual = base64.b64encode(f"{key}:more".encode()).decode()
    assert redact_known(usual, [key])[:1] == "…"
    assert redact_known(quote(usual, safe=""), [key])[:1] == "…"


@pytest.mark.parametrize("length", [6, 7, 8, 12, 13, 14])
def test_of_a_secret_within_base64_only_the_neighbours_are_left(length):
    """Whatever stands before and behind it, and whichever character its own end becomes."""
    ends, befores, behinds = (
        string.ascii_letters + string.digits,
        ("", "u", "u:", "us:"),
        ("", ":", ":m", ":mo"),
    )
    for last, before, behind in itertools.product(ends, befores, behinds):
        secret = "k-0123456789abcdef"[: length - 1] + last
        sent = base64.b64encode(f"{before}{secret}{behind}".encode()).decode().rstrip("=")

        left, _, right = redact_known(sent, [secret]).partition("…")

        # A character holds six bits: the first and the last may hold some of a neighbour.
        assert len(left) == math.ceil(len(before) * 8 / 6)
        assert len(right) == len(sent) - len(before + secret) * 8 // 6


def test_three_characters_are_a_secret_and_two_are_not():
    """Two letters are in every sentence, and give nothing away."""
    assert redact("the key a1b was refused", ["a1b"]) == "the key … was refused"
    assert redact("the key ab was refused", ["ab"]) == "the key ab was refused"


@pytest.mark.parametrize("keys", [["a1b", "a1b-2"], ["a1b-2", "a1b"]])
def test_a_short_secret_that_begins_with_another_is_removed_whole(keys):
    """Whichever of them is known first."""
    assert redact_known("the keys a1b-2, a1b and no other", keys) == "the keys …, … and no other"


def test_eight_characters_of_a_secret_are_removed_and_seven_are_not():
    """Fewer are in other words, too."""
    key = "CANARY9f8e7d6c5b4a"

    assert redact_known("it begins with CANARY9f.", [key]) == "it begins with …."
    assert redact_known("it begins with CANARY9.", [key]) == "it begins with CANARY9."


@pytest.mark.parametrize("write", [lambda s: quote(s, safe=""), quote, quote_plus])
def test_a_secret_with_spaces_and_slashes_is_removed_from_addresses(write):
    """Each way of writing both is another text."""
    key = "a/ b/ c/ d/ e/ f"

    assert redact_known(f"sent {write(key)}", [key]) == "sent …"


def test_a_secret_that_is_no_text_is_removed():
    """The environment may hold any bytes, which Python reads as lone surrogates."""
    key = "k-\udcff-0123456789"

    assert redact(f"sent {key}", [key]) == "sent …"
    assert redact_known(f"sent {quote('k-?-0123456789')}", [key]) == "sent …"
