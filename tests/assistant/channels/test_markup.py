"""Text of the web in a chat: it notifies nobody, links nowhere, and breaks no markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kensaku.assistant.channels._markup import to_html, to_mrkdwn
from kensaku.assistant.channels._text import compose, safe_url
from kensaku.locale import translator
from tests.answers.ask.poison import pages
from tests.server.page.xss import texts, urls

from .fake_telegram import Html

SOURCE = "https://otters.example/a?b=1&c=2"
PINGS = [
    "<!channel>", "<!here>", "<!everyone>", "<@U024BE7LH>", "<@U1|ann>", "<#C1|general>",
    "<!subteam^S1|team>", "<!date^1^{date}|x>", "@everyone", "@channel", "@here", "@KensakuBot",
    "＠everyone", "tg://user?id=11", "<a href='tg://user?id=11'>x</a>", "tg://resolve?domain=x",
    "[x](tg://user?id=11)", "<https://evil.example|click>", "https://evil.example/?q=secret",
    "http://evil.example", "evil.example/steal", "www.evil.example", "192.168.0.1/x", "/start",
    "![x](https://evil.example/pixel.png)", "[1](https://evil.example)", "mailto:a@evil.example",
    "**<!channel>**", "`<!channel>`", "# <!channel>", "&lt;!channel&gt;", "\u200b@everyone",
]  # fmt: skip


def hostile() -> list[str]:
    """Return what pages and obedient models may say."""
    poisoned = (page.text for page in pages("http://127.0.0.1:9/steal"))
    return [*PINGS, *texts(), *urls(), *poisoned]


def stored(text: str, url: str = SOURCE, title: str = "Otters") -> dict[str, object]:
    """Return an answer as the database has it."""
    return {"answer": f"{text} [1]", "citations": [{"n": 1, "url": url, "title": title}]}


def answers() -> Iterator[dict[str, object]]:
    """Return answers with hostile words in every place."""
    for text in hostile():
        yield from (stored(text), stored("x", title=text), stored("x", url=text))


def test_slack_gets_no_reference_but_the_sources() -> None:
    """`<…>` is what Slack reads as a link or a mention; ours are the marks."""
    for answer in answers():
        said, links = compose(answer, translator("en"))
        markup = to_mrkdwn(said, links)

        references = re.findall(r"<[^>]*>", markup)
        assert set(references) <= {"<https://otters.example/a?b=1&amp;c=2|[1]>"} | {
            f"<{url.replace('&', '&amp;')}|[1]>" for url in links.values()
        }
        assert ">" not in re.sub(r"<[^<>|]*\|\[1\]>", "", markup)
        assert not re.search(r"[@＠](?:everyone|channel|here)", markup)


def test_telegram_gets_no_link_but_the_sources() -> None:
    """Neither by a tag, nor by what its applications find in plain text."""
    for answer in answers():
        said, links = compose(answer, translator("en"))
        read = Html(to_html(said, links))

        assert not read.wrong
        assert set(read.links) <= set(links.values())
        assert not read.linked
        assert all(link.startswith(("http://", "https://")) for link in read.links)


def test_an_address_cannot_leave_its_markup() -> None:
    """What is no address of the web is no link."""
    assert safe_url(SOURCE) == SOURCE
    assert safe_url("https://a.example/|x>y<z\"'`") == "https://a.example/%7Cx%3Ey%3Cz%22%27%60"
    for wrong in ("javascript:x", "file:///etc/passwd", "tg://user?id=1", "https://", "//a", "x"):
        assert safe_url(wrong) == ""


def test_markdown_of_a_model_is_shown_as_such() -> None:
    """Bold, headings, bullets and code; figures and words stay what they were."""
    said = "# Otters #\n- **rafts** of 3.14 & `a < b` [1]\n####### no\n-c"

    assert to_mrkdwn(said, {1: SOURCE}) == (
        "*Otters*\n• *rafts* of 3.14 &amp; `a &lt; b` <https://otters.example/a?b=1&amp;c=2|[1]>"
        "\n####### no\n-c"
    )
    assert to_html(said, {1: SOURCE}) == (
        "<b>Otters</b>\n• <b>rafts</b> of 3.14 &amp; <code>a &lt; b</code> "
        '<a href="https://otters.example/a?b=1&amp;c=2">[1]</a>\n####### no\n-c'
    )
