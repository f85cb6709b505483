"""What servers really send, through `k.extract`: the right text, or an error that says what it is.

Headers lie, charsets are missing or wrong, documents are cut off, locked, empty or something else.
"""

from __future__ import annotations

import gzip
import json
import zlib

import pytest

from kensaku import Kensaku, Settings
from kensaku.errors import PageUnavailable, TooLarge, Unparsable
from tests.extract import bombs, pdf_bombs

JA = "川辺に住むカワウソは、石を道具として使い、貝を割って食べることが知られています。"
DE = "Der Fischotter lebt an Flüssen, frißt Krebse und schläft über Tag in Höhlen am Ufer."
FR = "La loutre mange des poissons et des écrevisses, même l'été, près de la rivière gelée."
RU = "Выдра живёт по берегам рек, ест рыбу и раков, а спит днём в норах под корнями деревьев."
ZH = "水獭住在河边，用石头当工具敲开贝壳，白天在树根下的洞里睡觉，晚上出来捕鱼。"
KO = "수달은 강가에 살며 돌을 도구로 써서 조개를 깨 먹고, 낮에는 나무뿌리 밑의 굴에서 잠을 잔다."


def html(text: str, head: str = "") -> str:
    """A page of a few paragraphs."""
    body = "".join(f"<p>{text}</p>" for _ in range(6))
    return f"<html><head>{head}<title>{text[:12]}</title></head><body>{body}</body></html>"


def meta(charset: str) -> str:
    return f'<meta charset="{charset}">'


HTML, PLAIN, ANY = "text/html", "text/plain", "application/octet-stream"
PDF = pdf_bombs.one_page(pdf_bombs.stream(b"BT /F1 12 Tf 72 700 Td (Otters swim in rivers) Tj ET"))
SCANNED = pdf_bombs.one_page(pdf_bombs.stream(b"q 600 0 0 700 0 0 cm 0 0 1 1 re f Q"))
WORD = bombs.zipped(
    {
        bombs.WORD: bombs.W
        + b"<w:p><w:r><w:t>Otters swim in rivers</w:t></w:r></w:p></w:body></w:document>"
    }
)
OTTERS = "Otters swim in rivers"
PAGE = html(OTTERS).encode()
JSON = json.dumps({"title": "Otters", "where": OTTERS}).encode()

# name: (content type, body, the words that must be in the text)
READ = {
    "a PDF that is said to be HTML": (HTML, PDF, OTTERS),
    "a PDF that is said to be text": (PLAIN, PDF, OTTERS),
    "a PDF after 500 bytes of something else": (HTML, b"\n" * 500 + PDF, OTTERS),
    "HTML that is said to be a PDF": ("application/pdf", PAGE, OTTERS),
    "HTML that is said to be a picture": ("image/png", PAGE, OTTERS),
    "HTML that is said to be bytes": (ANY, PAGE, OTTERS),
    "HTML that is said to be JSON": ("application/json", PAGE, OTTERS),
    "HTML that is said to be text": (PLAIN, PAGE, OTTERS),
    "HTML under no name": (None, PAGE, OTTERS),
    "HTML under a name that is none": ("%%%;;charset=;=", PAGE, OTTERS),
    "JSON that is said to be text": (PLAIN, JSON, OTTERS),
    "JSON that is said to be HTML": (HTML, JSON, OTTERS),
    "JSON that is broken": ("application/json", JSON[:-1], OTTERS),
    "XML that is said to be HTML": (
        HTML,
        b'<?xml version="1.0"?><rss><channel><item><title>Otters swim in rivers</title></item></channel></rss>',
        OTTERS,
    ),
    "Word that is said to be HTML": (HTML, WORD, OTTERS),
    "Word that is said to be bytes": (ANY, WORD, OTTERS),
    "text that is said to be HTML": (HTML, f"{OTTERS}.\n".encode() * 9, OTTERS),
    "a page without any tag but its text": (HTML, b"<p>" + OTTERS.encode(), OTTERS),
    "a page that is cut off in a tag": (HTML, PAGE[: PAGE.rindex(b"</p>") - 3] + b"<a hr", OTTERS),
    "a page with NULs in it": (HTML, PAGE.replace(b"swim", b"sw\0im", 1), OTTERS),
    # charsets
    "UTF-16 with a mark": (HTML, html(JA).encode("utf-16"), JA),
    "UTF-16 with a mark, under no name": (ANY, html(JA).encode("utf-16"), JA),
    "UTF-16, big end first, with a mark": (HTML, b"\xfe\xff" + html(DE).encode("utf-16-be"), DE),
    "UTF-16 without a mark, as it is said": (
        f"{HTML}; charset=utf-16le",
        html(JA).encode("utf-16-le"),
        JA,
    ),
    "UTF-16 without a mark or a word": (HTML, html(DE).encode("utf-16-le"), DE),
    "UTF-16, big end first, without a mark or a word": (HTML, html(FR).encode("utf-16-be"), FR),
    "UTF-16 in Japanese without a mark or a word": (HTML, html(JA).encode("utf-16-le"), JA),
    "UTF-16 that says it is UTF-8": (HTML, html(JA, meta("utf-8")).encode("utf-16-le"), JA),
    "UTF-8 that says it is UTF-16": (HTML, html(JA, meta("utf-16")).encode(), JA),
    "UTF-16 text with a mark": (PLAIN, (DE + "\n").encode("utf-16"), DE),
    "UTF-16 XML": (
        "text/xml",
        f'<?xml version="1.0" encoding="utf-16"?><rss><channel><item><title>{JA}</title></item></channel></rss>'.encode(
            "utf-16"
        ),
        JA,
    ),
    "UTF-32 with a mark": (HTML, html(JA).encode("utf-32"), JA),
    "UTF-8 with a mark, said to be latin-1": (
        f"{HTML}; charset=iso-8859-1",
        b"\xef\xbb\xbf" + html(JA).encode(),
        JA,
    ),
    "UTF-8 said to be latin-1": (f"{HTML}; charset=iso-8859-1", html(DE).encode(), DE),
    "UTF-8 with one broken byte": (HTML, html(JA * 9).encode() + b"<p>\xe3\x81</p>", JA),
    "Shift_JIS as it is said": (f"{HTML}; charset=shift_jis", html(JA).encode("cp932"), JA),
    "Shift_JIS in <meta>": (HTML, html(JA, meta("Shift_JIS")).encode("cp932"), JA),
    "Shift_JIS without a word": (HTML, html(JA).encode("cp932"), JA),
    "Shift_JIS said to be UTF-8": (f"{HTML}; charset=utf-8", html(JA).encode("cp932"), JA),
    "Shift_JIS said to be latin-1": (f"{HTML}; charset=iso-8859-1", html(JA).encode("cp932"), JA),
    "Shift_JIS said to be EUC-JP": (f"{HTML}; charset=euc-jp", html(JA).encode("cp932"), JA),
    "EUC-JP without a word": (HTML, html(JA).encode("euc_jp"), JA),
    "EUC-JP said to be UTF-8": (f"{HTML}; charset=utf-8", html(JA).encode("euc_jp"), JA),
    "EUC-JP said to be Shift_JIS": (f"{HTML}; charset=shift_jis", html(JA).encode("euc_jp"), JA),
    "EUC-JP said to be latin-1": (HTML, html(JA, meta("iso-8859-1")).encode("euc_jp"), JA),
    "ISO-2022-JP without a word": (HTML, html(JA).encode("iso2022_jp"), JA),
    "text in Shift_JIS": (PLAIN, (JA + "\n").encode("cp932") * 3, JA),
    "text in EUC-JP": (PLAIN, (JA + "\n").encode("euc_jp") * 3, JA),
    "latin-1 without a word": (HTML, html(DE).encode("latin-1"), DE),
    "latin-1 whose <meta> says UTF-8": (HTML, html(DE, meta("utf-8")).encode("latin-1"), DE),
    "latin-1 whose header says UTF-8": (f"{HTML}; charset=utf-8", html(FR).encode("latin-1"), FR),
    "latin-1 with a single accent, said to be UTF-8": (
        f"{HTML}; charset=utf-8",
        html(OTTERS * 20 + " café").encode("latin-1"),
        "café",
    ),
    "latin-1 whose <meta> says Shift_JIS": (
        HTML,
        html(FR, meta("shift_jis")).encode("latin-1"),
        FR,
    ),
    "windows-1251 without a word": (HTML, html(RU).encode("cp1251"), RU),
    "KOI8-R without a word": (HTML, html(RU).encode("koi8_r"), RU),
    "GBK without a word": (HTML, html(ZH).encode("gbk"), ZH),
    "Big5 as it is said": (
        f"{HTML}; charset=big5",
        html("水獺住在河邊").encode("big5"),
        "水獺住在河邊",
    ),
    "EUC-KR without a word": (HTML, html(KO).encode("euc_kr"), KO),
    "a charset that does not exist": (f"{HTML}; charset=klingon", html(DE).encode(), DE),
    "a charset that is a codec of Python": (f"{HTML}; charset=rot13", html(DE).encode(), DE),
    "a charset that is a program": (f"{HTML}; charset=unicode_escape", html(DE).encode(), DE),
    "latin-1 that is said to be a codec of Python": (
        f"{HTML}; charset=unicode_escape",
        html(DE).encode("latin-1"),
        DE,
    ),
    "latin-1 that is said to be undefined": (
        f"{HTML}; charset=undefined",
        html(FR).encode("latin-1"),
        FR,
    ),
    "latin-1 that is said to be UTF-16": (
        f"{HTML}; charset=utf-16",
        html(DE).encode("latin-1"),
        DE,
    ),
    "text with the colours of a terminal": (PLAIN, f"\x1b[32m{DE}\x1b(B\n".encode(), DE),
    "gzip that its header tells": (HTML, "gzip", OTTERS),
}

# name: (content type, body, the error, a word of its sentence)
REFUSED = {
    "nothing": (HTML, b"", Unparsable, "empty"),
    "nothing but space": (HTML, b" \r\n\t" * 99, Unparsable, "empty"),
    "nothing but a mark": (HTML, b"\xef\xbb\xbf", Unparsable, "empty"),
    "a gzip file that is said to be HTML": (HTML, gzip.compress(PAGE), Unparsable, "gzip"),
    "a picture that is said to be HTML": (
        HTML,
        b"\x89PNG\r\n\x1a\n" + bytes(99),
        Unparsable,
        "PNG",
    ),
    "a zip that is said to be a PDF": (
        "application/pdf",
        bombs.zipped({"a.txt": b"x"}),
        Unparsable,
        "zip archive",
    ),
    "noise": (HTML, bytes(range(256)) * 40, Unparsable, "binary"),
    "a PDF that is locked": (
        "application/pdf",
        pdf_bombs.PDF["encrypted"](),
        Unparsable,
        "encrypted",
    ),
    "a PDF that is cut off": ("application/pdf", PDF[:150], Unparsable, "damaged"),
    "a PDF of one line": ("application/pdf", b"%PDF-1.7\n", Unparsable, "damaged"),
    "a PDF that asks for too much": (
        "application/pdf",
        pdf_bombs.PDF["a form that draws itself"](),
        (TooLarge, Unparsable),
        "memory|longer",
    ),
    "Word that is cut off": (ANY, WORD[:-40], Unparsable, "damaged"),
    "Word whose text is missing": (
        ANY,
        bombs.zipped({bombs.WORD: b""}),
        Unparsable,
        "damaged",
    ),
    "XML that is cut off": ("text/xml", b'<?xml version="1.0"?><a><b>', Unparsable, "damaged"),
    "a page of 11 MiB": (HTML, b"<p>" + b"otters " * 1_700_000, TooLarge, "10 MiB"),
    "a page that nests without end": (HTML, b"<div>" * 99_000, TooLarge, "deep"),
    "gzip that is cut off": (HTML, "cut", PageUnavailable, "broke off"),
}


@pytest.fixture
async def k(web, machine):
    """The client that people use, allowed to see the small web on loopback."""
    environ = {"KENSAKU_HOME": str(machine), "KENSAKU_FETCH_ALLOW": "127.0.0.1"}
    async with Kensaku(Settings.load(environ=environ, fetch_ports=("any",))) as made:
        yield made


def served(web, kind, body):
    """The page as the small web sends it, and its address."""
    headers = {"Content-Type": kind}
    if isinstance(body, str):
        packed = zlib.compress(PAGE, wbits=31)
        body = packed if body == "gzip" else packed[:-9]
        headers["Content-Encoding"] = "gzip"
    web.pages["/page"] = (200, headers, body)
    return f"http://127.0.0.1:{web.port}/page"


@pytest.mark.parametrize("name", READ)
async def test_what_can_be_read_is_read_whatever_its_header_says(web, k, name):
    """The bytes decide what a document is and how its letters are written."""
    kind, body, words = READ[name]
    done = await k.extract([served(web, kind, body)])
    assert not done.failed
    (page,) = done.results
    assert words in page.text
    assert "<p>" not in page.text
    assert "\ufffd" not in page.text.replace(words, "") or "broken" in name
    assert not any("scanned" in note for note in page.notes)


@pytest.mark.usefixtures("workers")  # one of them takes all the memory that it is given
@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_be_read_is_refused_by_what_it_is(web, k, name):
    """One sentence that a person can act on, of the right type; never an empty page."""
    kind, body, error, word = REFUSED[name]
    done = await k.extract([served(web, kind, body)])
    assert not done.results
    ((_, found),) = done.failed
    assert isinstance(found, error)
    assert [w for w in word.split("|") if w in str(found)], str(found)


async def test_a_scanned_document_says_that_it_has_no_text(web, k):
    """It can be read by eye, so it is a page; who gets it must know why it is empty."""
    done = await k.extract([served(web, "application/pdf", SCANNED)])
    (page,) = done.results
    assert page.text == ""
    assert any(note.startswith("scanned, no text") for note in page.notes)


@pytest.mark.usefixtures("workers")
async def test_one_hostile_document_does_not_cost_the_others(web, k):
    """Twenty of a kind in one call, with a good page among them."""
    there = f"http://127.0.0.1:{web.port}"
    names = [n for n in REFUSED if REFUSED[n][2] is not PageUnavailable][:12]
    for n, name in enumerate(names):
        kind, body, *_ = REFUSED[name]
        web.pages[f"/{n}"] = (200, {"Content-Type": kind}, body)
    web.pages["/good"] = PAGE
    urls = [f"{there}/{n}" for n in range(len(names))]
    done = await k.extract([*urls[:6], f"{there}/good", *urls[6:]])
    assert [page.text.split(" swim")[0] for page in done.results] == ["Otters"]
    assert len(done.failed) == len(names)
