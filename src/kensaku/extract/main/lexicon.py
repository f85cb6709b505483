"""Words that sites use in class names of containers and in short texts, as feature bits."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby

# Kinds of containers, by the words in their classes, ids, roles and microdata.
BOX_NAMES = {
    "nav": "nav|menu|breadcrumb|crumb|pagin|pager|toc|tab",
    "foot": "foot|copyright|legal|colophon|contentinfo",
    "side": "sidebar|side|aside|widget|rail|secondary|complementary",
    "share": "share|sharing|social|follow|facebook|twitter|pinterest",
    "related": "related|recommend|similar|suggest|upsell|cross-sell"
    "|crosssell|also|popular|trending|recent|latest",
    "promo": "promo|sponsor|advert|banner|newsletter|subscri"
    "|sign-up|signup|cta|campaign|announcement|donat",
    "modal": "modal|popup|overlay|cookie|consent|gdpr"
    "|drawer|tooltip|toast|notif|lightbox|offcanvas|flyout",
    "comment": "comment|disqus|respond|reply|replies|discussion",
    "form": "form|search|login|filter|sort|facet"
    "|cart|checkout|quantity|variant|swatch|option|select",
    "meta": "meta|byline|author|date|time|publish|tag"
    "|categor|avatar|user|profile|stat|vote|badge|label",
    "review": "review|rating|star|testimonial|quote",
    "price": "price|amount|money|cost|sale|discount",
    "product": "product|sku|spec|detail|descri|feature|summary|availab|shipping|deliver|return",
    "title": "title|headline|heading|subtitle|dek|lede|lead|hero|intro",
    "faq": "faq|accordion|toggle|collapse|expand",
    "doc": "doc|code|highlight|reference|admonition|api|example|syntax",
    "post": "post|thread|message|topic|forum|answer|question",
    "content": "content|article|entry|story|body|text|rte|prose|markdown|wysiwyg|copy|rich",
    "main": "main|primary|page|wrapper|container",
    "list": "list|grid|card|tile|collection|result|feed|teaser|archive|loop|item|row|col",
    "media": "image|img|photo|gallery|video|carousel|slide"
    "|swiper|slick|thumb|icon|figure|caption|media",
    "unseen": "hidden|sr-only|screen-reader|visually|invisible|skip|noprint|print",
    "head": "header|masthead|topbar|toolbar|logo|brand",
    "button": "btn|button|link|action|more|edit|permalink|anchor",
    "section": "section|block|module|component|panel|box",
}
_STARTS: dict[str, list[tuple[str, int]]] = {}  # by the first three letters: words and their bits
for _bit, _words in enumerate(BOX_NAMES.values()):
    for _word in _words.split("|"):
        _STARTS.setdefault(_word[:3], []).append((_word, 1 << _bit))
# Looks ahead, since words overlap; by the first letter, since few places have one that begins any.
_BY_LETTER = (
    f"{letter}(?:{'|'.join(start[1:] for start in starts)})"
    for letter, starts in groupby(sorted(_STARTS), key=lambda start: start[0])
)
_START = re.compile(f"(?=({'|'.join(_BY_LETTER)}))")

# Topics of short texts, by words and pairs of words.
CUES = {
    "share": "share sharing tweet pin follow_us facebook twitter instagram linkedin whatsapp",
    "subscribe": "subscribe subscribed newsletter sign_up signup join_us join_now "
    "join_our your_email "
    "inbox get_started",
    "account": "login log_in sign_in register my_account password wishlist add_to cart "
    "basket checkout "
    "buy_now",
    "legal": "cookie cookies privacy terms_of all_rights copyright disclaimer trademark "
    "accept consent",
    "related": "related you_may you_might recommended similar more_from more_in more_stories "
    "more_articles also_like also_viewed also_bought popular trending recently read_next up_next "
    "latest keep_reading customers",
    "comments": "comment comments reply replies leave_a the_discussion the_conversation "
    "report upvote",
    "more": "read_more show_more show_less show_all view_all view_more see_all see_more load_more "
    "learn_more click_here continue expand next previous back_to skip_to scroll menu close search "
    "filter sort",
    "review": "review reviews rating ratings star stars out_of verified helpful "
    "testimonial testimonials",
    "price": "price sale off in_stock sold_out shipping usd eur",
    "byline": "by written_by published updated posted min_read mins_read minute_read "
    "author edited ago",
    "date": "jan january feb february mar march apr april may jun june jul july aug august sep "
    "september oct october nov november dec december",
    "details": "description details feature features specification specifications overview about "
    "summary ingredients dimensions material materials include includes what how why benefits faq "
    "questions",
    "contact": "contact call_us phone email address hours directions help support "
    "careers advertise",
}
# The same topics in Japanese, which has no spaces: found anywhere in the text.
JAPANESE_CUES = {
    "share": "シェア ツイート フォローする ブックマーク",
    "subscribe": "メールマガジン メルマガ 購読 会員登録 無料登録 有料会員",
    "account": "ログイン カートに カートへ パスワード マイページ お気に入り",
    "legal": "著作権 利用規約 プライバシー 無断転載 個人情報 免責",
    "related": "関連記事 関連ニュース 関連リンク 関連キーワード 関連する おすすめ オススメ "
    "あわせて読みたい 人気記事 ランキング 新着 最新記事 注目記事 特集 バックナンバー",
    "comments": "コメント 返信 トラックバック",
    "more": "続きを読む もっと見る もっと読む 一覧 次へ 前へ 次の記事 前の記事 戻る 検索 "
    "メニュー トップへ ページの先頭",
    "review": "レビュー 口コミ クチコミ 評価",
    "price": "価格 税込 税抜 送料 在庫",
    "byline": "執筆 著者 筆者 投稿者 投稿日 更新日 公開日 取材 記者",
    "details": "概要 特徴 仕様 説明 とは 目次 まとめ",
    "contact": "お問い合わせ お問合せ 電話 住所 アクセス 会社概要 運営会社 広告掲載 採用情報",
}
_CUE_BITS: dict[str, int] = {}
for _bit, _words in enumerate(CUES.values()):
    for _word in _words.split():
        _CUE_BITS[_word] = _CUE_BITS.get(_word, 0) | 1 << _bit
_PAIR_STARTS = frozenset(_word.partition("_")[0] for _word in _CUE_BITS if "_" in _word)
_JAPANESE_BITS = {
    _word: 1 << list(CUES).index(_topic)
    for _topic, _words in JAPANESE_CUES.items()
    for _word in _words.split()
}
_JAPANESE = re.compile("|".join(sorted(_JAPANESE_BITS, key=len, reverse=True)))
_PRICE_BIT, _DATE_BIT, _LEGAL_BIT = (1 << list(CUES).index(n) for n in ("price", "date", "legal"))
_MONEY = re.compile(r"[$€£¥₹]\s?\d|\d\s?[€円]")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d(?:\b|年)")
_CUE_CHARS = 160  # in longer texts a cue says little
_JAPANESE_CHARS = 40  # which say as much as four times as many Latin ones


@lru_cache(maxsize=16384)
def name_bits(names: str) -> int:
    """Return the kinds of container that these classes and ids name, one bit each."""
    bits = 0
    for name in names.split()[:40]:
        bits |= _bits_of_name(name)
    return bits


@lru_cache(maxsize=65536)  # sites repeat their class names, and share those of their frameworks
def _bits_of_name(name: str) -> int:
    name = name[:80].lower().replace("footnote", "note")  # no footer
    bits = 0
    for start in _START.findall(name):
        for word, bit in _STARTS[start]:
            if word in name:
                bits |= bit
    return bits


def cue_bits(text: str, words: list[str]) -> int:
    """Return the topics of a short text, one bit each; `words` are its words in lower case."""
    if len(text) > _CUE_CHARS:
        return 0
    bits, before, get = 0, "", _CUE_BITS.get
    for word in words:
        bits |= get(word, 0)
        if before in _PAIR_STARTS:
            bits |= get(f"{before}_{word}", 0)
        before = word
    if len(text) <= _JAPANESE_CHARS and not text.isascii():
        for word in _JAPANESE.findall(text):
            bits |= _JAPANESE_BITS[word]
    if _DIGIT.search(text):
        if _MONEY.search(text):
            bits |= _PRICE_BIT
        if _YEAR.search(text):
            bits |= _DATE_BIT
    return bits | _LEGAL_BIT if "©" in text else bits
