"""Contradictions: amounts, dates, names and denials, in English and Japanese; and what is none."""

from __future__ import annotations

import pytest

from kensaku import Hit
from kensaku.answers.claims import claims_of
from kensaku.answers.conflicts import differences, labelled
from kensaku.answers.context import Citation
from kensaku.answers.score import score_sentences
from kensaku.answers.slots import slots_of
from kensaku.answers.weigh import find_answer
from tests.growth import growth


def differ(question: str, one: str, other: str) -> bool:
    """Whether two pages contradict each other."""
    return bool(
        found(question, [(f"https://{n}.example/", text) for n, text in enumerate((one, other))])
    )


def found(question: str, pages: list[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return the sentences of pages that are shown side by side."""
    sources = [Citation.of(n, Hit(url, "", text)) for n, (url, text) in enumerate(pages, 1)]
    groups = differences(question, score_sentences(question, sources).sentences, sources)
    return [tuple(sentence.text for sentence in group) for group in groups]


def shown(question: str, *pages: str) -> set[str]:
    """Return the sentences that are shown side by side, each page on a host of its own."""
    groups = found(question, [(f"https://{n}.example/", text) for n, text in enumerate(pages)])
    return {sentence for group in groups for sentence in group}


HEAVY = "How much does a sea otter weigh?"
WEIGHT = "ラッコの体重はどのくらいですか"
BUILDER = "Who designed the harbour of Otterton?"
BUILDER_JA = "港の設計者は誰ですか"
BUILT = "When was the harbour built?"
OPENED = "港はいつ開港しましたか"


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (HEAVY, "A sea otter weighs 30 kg.", "A sea otter weighs 45 kg."),
        (HEAVY, "A sea otter weighs about 30 kg.", "A sea otter weighs 90 pounds."),
        (HEAVY, "A sea otter weighs 20 to 30 kg.", "A sea otter weighs 45 kilograms."),
        (HEAVY, "A sea otter weighs more than 40 kg.", "A sea otter weighs up to 30 kg."),
        (WEIGHT, "ラッコの体重は30キログラムです。", "ラッコの体重は四十五キログラムです。"),
        (WEIGHT, "ラッコの体重は約３０ｋｇです。", "ラッコの体重は45kg以上です。"),
        ("町の人口は", "町の人口は3万5千人です。", "町の人口は四万人です。"),
        ("What is the population of Otterton?", "Otterton's population is 1.2 million people.",
         "The population of Otterton is 900,000 people."),
        (BUILT, "The harbour was built in 1893.", "The harbour was built in 1901."),
        (BUILT, "The harbour was built on 2 March 1893.", "The harbour was built on March 3, 1893."),
        ("Was the harbour built in 1893?", "The harbour was built in 1893.",
         "The harbour was built in 1901."),
        (OPENED, "港は1893年に開港しました。", "港は1901年に開港しました。"),
        (OPENED, "港は明治26年に開港しました。", "港は明治34年に開港しました。"),
        ("When did the harbour of Otterton open?", "The port, begun in 1850, opened in 1893.",
         "The port, begun in 1850, opened in 1901."),
        ("How many piers has Otterton?", "With its lighthouse, Otterton has four piers.",
         "With its lighthouse, Otterton has 7 piers."),
        (BUILDER, "The harbour of Otterton was designed by Anna Hartley.",
         "The harbour of Otterton was designed by Piotr Nowak in spring."),
        (BUILDER, "Anna Hartley designed the harbour of Otterton.",
         "The old harbour of Otterton was designed by Piotr Nowak."),
        ("Which town has the oldest harbour?", "Of all towns on the coast, Otterton has the oldest harbour.",
         "Of all towns on the coast, Rosewick has the oldest harbour."),
        (BUILDER_JA, "港の設計者は山田太郎である。", "港の設計者は佐藤花子である。"),
        ("港を開いた王は誰ですか", "港を開いた王はムラト1世である。", "港を開いた王はムラト3世である。"),
        ("Do sea otters hibernate?", "Sea otters hibernate in winter.",
         "Sea otters do not hibernate in winter."),
        ("ラッコは冬眠しますか", "ラッコは冬に冬眠します。", "ラッコは冬に冬眠しません。"),
        ("Can otters swim backwards?", "Otters can swim backwards.", "Otters can't swim backwards."),
    ],
)  # fmt: skip
def test_contradictions_are_found(question: str, one: str, other: str) -> None:
    """Whichever page comes first."""
    assert differ(question, one, other)
    assert differ(question, other, one)


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (HEAVY, "A sea otter weighs 30 kg.", "A sea otter weighs 30.0 kilograms."),
        (HEAVY, "A sea otter weighs 30 kg.", "A sea otter weighs about 66 pounds."),
        (HEAVY, "A sea otter weighs 20–45 kg.", "A sea otter weighs 30 kg."),
        (HEAVY, "A sea otter weighs at least 20 kg.", "A sea otter weighs 30 kg."),
        (HEAVY, "A sea otter weighs 30 kg or more.", "A sea otter weighs up to 30 kg."),
        (HEAVY, "A sea otter weighs at least 30 kg.", "A sea otter weighs up to 30 kg."),
        (HEAVY, "A sea otter weighs 30 kg.", "A sea otter weighs much and is 120 cm long."),
        (WEIGHT, "ラッコの体重は30キログラムです。", "ラッコの体重は三十キログラムです。"),
        (WEIGHT, "ラッコの体重は約30kgです。", "ラッコの体重は31キログラムです。"),
        ("町の人口は", "町の人口は3万5千人です。", "町の人口は35,000人です。"),
        ("What is the population?", "The population was 5,000 people in 2010.",
         "The population was 6,000 people in 2020."),
        (BUILT, "The harbour was built in 1893.", "The harbour was built in May 1893."),
        (BUILT, "The harbour was built in 1893.", "The harbour was built on 2 May 1893."),
        (BUILT, "The harbour was built on May 4.", "The harbour was built in 1893."),
        (OPENED, "港は1893年に開港しました。", "港は明治26年5月に開港しました。"),
        ("What is the harbour known for?", "The harbour was renewed in 1950 and known for fish.",
         "The harbour was known for fish in 1893."),
        ("Do sea otters hibernate?", "Sea otters do not hibernate.", "Sea otters never hibernate."),
        ("Do sea otters sleep?", "Sea otters not only sleep, they hold hands.",
         "Sea otters sleep and hold hands."),
        ("ラッコは眠りますか", "ラッコは海で眠るかもしれない。", "ラッコは海で眠る。"),
        (HEAVY, "A sea otter weighs 30 kg.", "The lighthouse is 45 m high."),
        (HEAVY, "A sea otter weighs 30 kg.", "A sea otter weighs 66 pounds."),
        ("How many boats has Otterton?", "Otterton has 308 boats.", "Otterton has 300 boats."),
        (BUILDER, "The harbour of Otterton was designed by Anna Hartley.",
         "The harbour of Otterton was designed by A. Hartley."),
        (BUILDER, "The harbour of Otterton was designed by Frédéric Tchaikovsky.",
         "The harbour of Otterton was designed by Chaikovski."),
        (BUILDER, "The harbour of Otterton was designed by Anna Hartley.",
         "The harbour of Rosewick was designed by Piotr Nowak."),
        ("Who led Otterton?", "In 1990, Otterton was led by Anna Hartley.",
         "In 2010, Otterton was led by Piotr Nowak."),
        ("学長は誰ですか", "東大の学長は山田太郎である。", "東京大学の学長は山田太郎である。"),
        ("首都はどこですか", "首都はモスクワである。", "首都はMoscowである。"),
    ],
)  # fmt: skip
def test_what_may_both_be_true_is_no_contradiction(question: str, one: str, other: str) -> None:
    """A doubt that is none costs a person time."""
    assert not differ(question, one, other)


def test_one_host_does_not_contradict_itself() -> None:
    """It may tell of two otters."""
    pages = [(f"https://a.example/{n}", f"A sea otter weighs {n} kg.") for n in (30, 45)]
    assert not found(HEAVY, pages)


def test_one_host_may_have_a_page_of_each_bearer_of_a_name() -> None:
    """As an encyclopedia has: that is no contradiction, and the reader has to know."""
    said = (
        "John Vane (1840–1912) was a Scottish painter, born in Leeds.",
        "John Vane (born 1955 in Gdansk) is an English chess player.",
    )
    pages = [(f"https://wiki.example/{n}", text) for n, text in enumerate(said)]

    assert {s for group in found("Where was John Vane born?", pages) for s in group} == set(said)


def test_the_side_of_one_among_many_is_shown() -> None:
    """Four copies do not outvote the page that says otherwise."""
    said = "The harbour of Otterton was designed by Anna Hartley."
    pages = [(f"https://{n}.example/", said) for n in range(4)]
    other = said.replace("Anna Hartley", "Piotr Nowak")

    assert found(BUILDER, [*pages, ("https://other.example/", other)]) == [(said, other)]


VANE = "John Vane"


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (f"When was {VANE} born?", f"{VANE} (3 May 1840 – 1912) was a Scottish painter of coasts.",
         f"Born in Leeds on 4 June 1955, {VANE} plays chess for a living."),
        (f"In which year did {VANE} die?", f"{VANE} (1840–1912) was a painter.",
         f"{VANE} (born 1955; died 2 July 2019) was an English chess player."),
        ("Who directed the film Otterton?", "Otterton is a 1962 drama film directed by Piotr Nowak.",
         "Shot in ten days, Otterton, which Anna Hartley directed, was shown in few cinemas."),
        (f"Where was {VANE} born?", f"{VANE}, a painter, was born in Leeds to a family of sailors.",
         f"The chess player {VANE} (born 1955 in Gdansk) won four titles."),
        ("Who recorded Silver Lane?", "Silver Lane is a song by English singer Mary Oduya.",
         "Silver Lane, from 1990, was first recorded by Luis Ferrer for his debut."),
        (f"What is the occupation of {VANE}?", f"{VANE} was a Scottish painter and engraver.",
         f"{VANE} (born 1955) is an English chess player."),
        ("When was Otterton established?", "Otterton is a village in Poland. It was founded in 1702.",
         "Otterton is a maker of pianos that was established by two brothers in 1893."),
    ],
)  # fmt: skip
def test_sources_that_share_no_words_are_compared(question: str, one: str, other: str) -> None:
    """Each tells it in words of its own, or of another bearer of the name."""
    assert differ(question, one, other)
    assert differ(question, other, one)


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (f"When was {VANE} born?", f"{VANE} (3 May 1840 – 1912) was a painter.",
         f"{VANE}, the painter, was born in 1840 in Leeds."),
        ("Who directed the film Otterton?", "Otterton is a film directed by Piotr Nowak.",
         "Rosewick is a 1962 film directed by Anna Hartley."),
        ("Who directed the film Otterton?", "Otterton is a film directed by Piotr Nowak.",
         "Otterton: Homecoming is a 1965 film directed by Anna Hartley."),
        ("Who is the mayor of Otterton?", "The mayor of Otterton is Piotr Nowak.",
         "Anna Hartley, a former mayor of Otterton, wrote a book about the harbour."),
        (f"Where was {VANE} born?", f"{VANE} was born in Leeds, where he went to school.",
         f"{VANE} died in Gdansk in 1912. He was born in Leeds."),
        (f"What is the occupation of {VANE}?", f"{VANE} was a Scottish painter and engraver.",
         f"{VANE} was an engraver from Leeds."),
        ("Which city hosted the fair of Otterton in 1990?",
         "The fair of Otterton was hosted by the city of Leeds in 1990.",
         "The fair of Otterton was hosted by the city of Gdansk in 2010."),
    ],
)  # fmt: skip
def test_what_is_told_of_something_else_is_no_contradiction(
    question: str, one: str, other: str
) -> None:
    """Another thing, another time, a part of the same."""
    assert not differ(question, one, other)
    assert not differ(question, other, one)


def test_every_value_is_shown_up_to_four() -> None:
    """A fifth of a kind tells a reader nothing that four did not."""
    directors = ["Anna Hartley", "Piotr Nowak", "Mary Oduya", "Luis Ferrer", "Grace Tan"]
    pages = [f"Otterton is a {1950 + n} film directed by {d}." for n, d in enumerate(directors)]

    assert shown("Who directed the film Otterton?", *pages[:3]) == set(pages[:3])
    assert len(shown("Who directed the film Otterton?", *pages)) == 4


def test_titles_are_shown_where_they_tell_the_sides_apart() -> None:
    """ "He was born in Leeds" says nothing of whom; a title of both says no more."""
    question = f"Where was {VANE} born?"
    texts = ("He was born in Leeds.", f"{VANE} (chess player) was born in Gdansk in 1955.")

    def labels(*titles: str) -> list[str]:
        pages = enumerate(zip(titles, texts, strict=True), 1)
        sources = [Citation.of(n, Hit(f"https://{n}.example/", *page)) for n, page in pages]
        groups = differences(question, score_sentences(question, sources).sentences, sources)
        named = labelled(groups[0], {c.n: c.title for c in sources})
        return sorted(label for label, _ in named)

    assert labels(f"{VANE} (painter)", f"{VANE} (chess player)") == ["", f"{VANE} (painter): "]
    assert labels(VANE, VANE) == ["", ""]


@pytest.mark.parametrize(
    ("one", "other", "unsure"),
    [
        ("The harbour is made of granite.", "The harbour is made of timber.", True),
        ("The harbour is made of granite.", "The harbour is made of granite.", False),
        ("The harbour is made of grey granite.", "The harbour is made of gray granite.", False),
        ("The harbour is made of granite.", "Otters sleep on their backs and hold hands.", False),
    ],
)
def test_copies_that_differ_in_a_word_leave_a_doubt(one: str, other: str, unsure: bool) -> None:
    """A plain word may be a synonym: it is no contradiction, and no reason to be silent."""
    pages = enumerate((one, other), 1)
    sources = [Citation.of(n, Hit(f"https://{n}.example/", "", text)) for n, text in pages]
    finding = find_answer(
        "What is the harbour made of?", "harbour made of", tuple(sources), confidence=1.0
    )

    assert (finding.differences, finding.unsure) == ((), unsure)


@pytest.mark.parametrize("piece", ["1,", "1 million ", "千", "2024-01", "not ", "May 1 ", "〜1"])
def test_claims_are_read_in_linear_time(piece: str) -> None:
    """Sentences are bounded, and so is the work."""
    assert growth(lambda n: claims_of(piece * n + str(n)), 100) < 12


@pytest.mark.parametrize("piece", ["A of ", "1 million ", "千", "カー", "A.", "a'a"])
def test_names_and_numbers_are_found_in_linear_time(piece: str) -> None:
    """A page may be written against it."""
    assert growth(lambda n: slots_of(piece * n + str(n)), 40) < 12
