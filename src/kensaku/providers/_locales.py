"""The languages and countries that upstreams support, in their notation. Pure.

A table of languages maps our code to the upstream's. A key with a country ("zh-tw") counts only for
a query with both. A language that is not in the table is not sent: most upstreams refuse the whole
request for it.
"""

from __future__ import annotations

from collections.abc import Mapping


def own_code(codes: Mapping[str, str], language: str, country: str | None) -> str | None:
    """The upstream's code for a language, where it differs by country for that one."""
    return codes.get(f"{language}-{country}") or codes.get(language)


def _same(codes: str) -> dict[str, str]:
    return {code: code for code in codes.split()}


# The codes page of Brave's API documentation. Another value is answered with 422.
BRAVE_COUNTRIES = frozenset(
    "ar at au be br ca ch cl cn de dk es fi fr gb gr hk id in it jp kr mx my nl no nz ph pl pt ru "
    "sa se tr tw us za".split()
)
BRAVE_LANGUAGES = {
    **_same(
        "ar bg bn ca cs da de el en en-gb es et eu fi fr gl gu he hi hr hu is it kn ko lt lv ml mr "
        "ms nb nl pa pl pt-br pt-pt ro ru sk sl sr sv ta te th tr uk vi"
    ),
    "ja": "jp",
    "no": "nb",
    "pt": "pt-br",
    "zh": "zh-hans",
    "zh-tw": "zh-hant",
}
# The enums of You.com's SDK 3.6.0 are Brave's, in capitals, with the usual code for Japanese.
YOU_COUNTRIES = BRAVE_COUNTRIES - {"gr"}
YOU_LANGUAGES = {ours: own.upper() for ours, own in BRAVE_LANGUAGES.items()} | {"ja": "JA"}

_GOOGLE_NAMES = {"zh": "zh-cn", "zh-tw": "zh-tw", "he": "iw", "nb": "no"}
# Google's interface languages (`hl`), which those who resell its results check: the list in the
# source of jina-ai/reader, May 2026.
GOOGLE_LANGUAGES = {
    **_same(
        "ach af ak am ar az be bem bg bh bn br bs ca chr ckb co crs cs cy da de ee el en eo es et "
        "eu fa fi fo fr fy ga gaa gd gl gn gu ha haw hi hr ht hu hy ia id ig is it ja jw ka kg kk "
        "km kn ko kri ku ky la lg ln lo loz lt lua lv mfe mg mi mk ml mn mo mr ms mt ne nl nn no "
        "nso ny nyn oc om or pa pcm pl ps pt pt-br pt-pt qu rm rn ro ru rw sd sh si sk sl sn so sq "
        "sr st su sv sw ta te tg th ti tk tl tn to tr tt tum tw ug uk ur uz vi wo xh yi yo zu"
    ),
    **_GOOGLE_NAMES,
    "jv": "jw",
    "fil": "tl",
}
# The languages of documents (`lr`), as the lists of SearchApi, SerpApi and HasData agree on them.
GOOGLE_DOCUMENT_LANGUAGES = {
    **_same(
        "ar bg ca cs da de el en es et fa fi fr hi hr hu hy id is it ja ko lt lv nl no pl pt ro ru "
        "sk sl sr sv th tl tr uk vi"
    ),
    **_GOOGLE_NAMES,
    "zh": "zh-CN",
    "zh-tw": "zh-TW",
    "fil": "tl",
}
