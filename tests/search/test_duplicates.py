"""Which hits are one, and what becomes of the others."""

from __future__ import annotations

import pytest

from kensaku import Hit
from kensaku.models import LOCAL, Explain, Source
from kensaku.search.duplicates import deduplicate, folded_note

WORDS = [f"word{n:02}" for n in range(40)]
ESSAY = (
    "Otters are carnivorous mammals of the weasel family that live in rivers lakes and along the "
    "coast where they hunt for fish crabs and other small animals all day and most of the night"
)
JAPANESE = (
    "カワウソは、イタチ科に属する哺乳類で、川や湖、海岸に生息し、"
    "魚やカニなどの小動物を捕食して暮らしている動物です。"
)


def _texts(*texts: str) -> list[Hit]:
    return [Hit(f"https://{n}.example/", "A", text) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        (ESSAY, ESSAY, True),
        (ESSAY, ESSAY + " and then they sleep", True),
        (ESSAY, "By us: " + ESSAY, True),
        (ESSAY, ESSAY.replace("rivers", "streams"), True),
        (JAPANESE, JAPANESE[:-1] + "でした。", True),
        (ESSAY, " ".join(ESSAY.split()[:24] + WORDS[:9]), False),
        (ESSAY, ESSAY + " and then they sleep in the kelp all day long and eat again", False),
        ("a b c d e f g h i j k l m n", "a b c d e f g h i j k l m n", False),
        ("no no no no " * 9, "no no no no " * 9, False),
    ],
)
def test_a_copy_on_another_host_is_folded(text, other, same):
    """Mirrors, and pages that lift a text, give or take a tenth; short texts are alike by chance."""
    found = [hit.url for hit in deduplicate(_texts(text, other))]

    assert found == ["https://0.example/", "https://1.example/"][: 1 if same else 2]


def test_what_two_say_of_a_page_is_merged():
    """The first one's place; a text only when it is more than twice as long."""
    first = Hit("https://a.example/", "First", "ab", sources=(Source("x", 1),))
    twice = Hit("https://a.example/", "Other", "abcd", sources=(Source("y", 1),))
    more = Hit(
        "https://a.example/", "Other", "abcde", 0.0, "2026-01-01", raw_content="raw",
        sources=(Source("z", 1),),
    )  # fmt: skip

    (one,) = deduplicate([first, twice])
    (two,) = deduplicate([first, more])
    (three,) = deduplicate([more, Hit("https://a.example/", "T", "", 0.9, "2020-01-01")])

    assert (one.title, one.content, one.score, one.published) == ("First", "ab", None, None)
    assert two == Hit(
        "https://a.example/", "First", "abcde", 0.0, "2026-01-01", raw_content="raw",
        sources=(Source("x", 1), Source("z", 1)),
    )  # fmt: skip
    assert (three.score, three.published, three.raw_content) == (0.0, "2026-01-01", "raw")


def test_copies_of_a_copy_are_listed():
    """In the order in which they were found; what was explained before stays."""
    text = " ".join(WORDS)
    hits = [
        Hit("https://a.example/", "A", text, explain=Explain(0.5)),
        *(Hit(f"https://{n}.example/", "A", text) for n in "bc"),
        Hit("https://d.example/", "D", "something else entirely that is long enough to compare"),
    ]

    one, other = deduplicate(hits)

    assert one.explain == Explain(0.5, copies=("https://b.example/", "https://c.example/"))
    assert (other.url, other.explain) == ("https://d.example/", None)
    assert folded_note([one, other]) == ["2 hits with the text of another, or nearly, left out"]


@pytest.mark.parametrize(
    ("other", "count"),
    [
        (Hit("doc:1", "T", " ".join(WORDS), provider=LOCAL), 2),
        (Hit("doc:2", "T", " ".join(WORDS), provider=LOCAL), 2),
        (Hit("https://a.example/", "T", " ".join(WORDS), provider="web"), 2),
        (Hit("doc:1", "T", "b", provider="web"), 1),
    ],
)
def test_documents_of_the_index_stay_as_the_index_gave_them(other, count):
    """It has left out copies already, and their owner has put the others there."""
    stored = Hit("doc:1", "T", " ".join(WORDS), provider=LOCAL)

    assert len(deduplicate([stored, other])) == count


def test_an_address_that_cannot_be_read_is_compared_as_it_is():
    """A stranger wrote it."""
    bad = "http://[bad"

    assert [h.url for h in deduplicate([Hit(bad, "A"), Hit(bad, "B"), Hit("x:y", "C")])] == [
        bad, "x:y",
    ]  # fmt: skip


STORY = (
    "The harbour of Otterton was built in 1893 by Anna Hartley, who had studied in the capital. "
    "It has two piers and a lighthouse, and it does not freeze in winter."
)


@pytest.mark.parametrize(
    ("old", "new"),
    [("1893", "1901"), ("Anna Hartley", "Piotr Nowak"), ("does not freeze", "does freeze")],
)
async def test_a_near_copy_that_says_otherwise_stays(make_client, upstream, old, new):
    """Folded, it would be told in silence that there is one answer."""
    pages = [STORY, STORY + " More news", STORY.replace(old, new)]
    upstream.answers("tavily", _texts(*pages))

    response = await make_client("tavily").search("harbour of Otterton")

    one, other = response.hits
    assert (one.content, other.content) == (STORY, pages[2])
    assert (one.explain.copies, one.explain.variants) == (("https://1.example/",), (other.url,))
    assert (other.explain.copies, other.explain.variants) == ((), (one.url,))
    assert Hit.from_dict(other.to_dict()) == other
    assert response.notes[-2:] == (
        "1 hit with the text of another, or nearly, left out",
        "2 hits with nearly the same text and other figures or names",
    )


async def test_many_that_say_otherwise_are_not_compared_with_all_others(make_client, upstream):
    """A reply may be written against it: what is kept names a few of its kind."""
    pages = [STORY.replace("1893", str(1000 + n)) for n in range(20)]
    upstream.answers("tavily", _texts(*pages))

    response = await make_client("tavily").search("harbour of Otterton", max_results=20)

    assert len(response.hits) == 20
    assert len(response.hits[-1].explain.variants) == 5
