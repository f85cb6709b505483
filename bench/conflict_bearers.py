"""Two bearers of one name, told in two ways each: what an encyclopedia says of its namesakes.

The sentences are ours, and short. Names of persons and places stand for any: what is tested is
whether a question for "the" Otterton sees that there are two. A third of the cases are controls:
both documents tell of the same bearer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

PEOPLE = (
    "Anna Hartley", "Piotr Nowak", "Luis Ferrer", "Mary Oduya", "Erik Lindqvist", "Grace Tan",
    "Samuel Brook", "Ivana Petrova", "Hugo Marchand", "Nora Whitfield",
)  # fmt: skip
PLACES = (
    "Leeds", "Gdansk", "Valparaiso", "Nagoya", "Toulouse", "Adelaide", "Bergen", "Calgary",
    "Mombasa", "Lucknow",
)  # fmt: skip
PEOPLE_JA = (
    "山田太郎",
    "佐藤花子",
    "高橋健一",
    "渡辺由美",
    "中村誠",
    "小林直樹",
    "加藤真理",
    "吉田修",
)
PLACES_JA = ("仙台市", "松山市", "長崎市", "金沢市", "札幌市", "岡山市", "鹿児島市", "青森市")
YEARS = tuple(str(y) for y in range(1840, 2015, 7))
COUNTS = tuple(f"{n:,}" for n in range(1_150, 98_000, 3_170))
# The question, what is asked for, and the sentences: the name {n}, the value {v}, which one {d}.
Relation = tuple[str, Sequence[str], str, Sequence[str], Sequence[str]]
RELATIONS: Sequence[Relation] = (
    ("Who directed the film {n}?",
     PEOPLE, "name", ("a silent drama", "a comedy about a bank robbery"), (
        "{n} is {d} directed by {v}.", "{v} directed {n}, {d} that was shown in few cinemas.",
        "{n}, {d}, was written and directed by {v}.")),
    ("Where was {n} born?", PLACES, "name", ("a botanist", "a professional cyclist"), (
        "{n}, {d}, was born in {v}.", "{n} was {d} who was born in {v} to a family of teachers.",
        "Born in {v}, {n} was {d}.")),
    ("When was {n} founded?", YEARS, "figure", ("a football club", "a maker of pianos"), (
        "{n} is {d} that was founded in {v}.", "{n}, {d}, was founded in {v} by two brothers.",
        "Founded in {v}, {n} is {d}.")),
    ("What is the population of {n}?",
     COUNTS, "figure", ("a village on the coast", "a mountain town"), (
        "{n} is {d} with a population of {v}.",
        "The population of {n}, {d}, was {v} at the last census.",
        "{n}, {d}, has a population of {v}.")),
    ("Who wrote the novel {n}?", PEOPLE, "name", ("a novel of the sea", "a crime novel"), (
        "{n} is {d} written by {v}.",
        "{v} wrote {n}, {d} in three parts.",
        "{n}, {d}, was written by {v}.")),
    ("In which year was {n} born?", YEARS, "figure", ("a painter", "a judge"), (
        "{n} (born {v}) is {d}.",
        "{n} was born in {v} and became {d}.",
        "{n}, {d}, was born in {v}.")),
    ("Which country is {n} located in?", PLACES, "name", ("a lake", "a railway station"), (
        "{n} is {d} located in {v}.", "{n}, {d} located in the north of {v}, is closed in winter.",
        "Located in {v}, {n} is {d}.")),
    ("Who is the lead singer of {n}?", PEOPLE, "name", ("a folk band", "a metal band"), (
        "{n} is {d} with {v} as its lead singer.", "The lead singer of {n}, {d}, is {v}.",
        "{v} is the lead singer of {n}, {d}.")),
    ("When was the album {n} released?",
     YEARS, "figure", ("the debut of a jazz trio", "a live album"), (
        "{n} is {d} released in {v}.",
        "{n}, {d}, was released in {v}.",
        "Released in {v}, {n} is {d}.")),
    ("What team did {n} play for?", PLACES, "name", ("a goalkeeper", "a shortstop"), (
        "{n} is {d} who played for {v}.", "{n}, {d}, played for {v} for nine seasons.",
        "As {d}, {n} played for {v} and later coached.")),
)  # fmt: skip
RELATIONS_JA: Sequence[Relation] = (
    ("映画『{n}』の監督は誰ですか？", PEOPLE_JA, "name", ("喜劇映画", "記録映画"), (
        "『{n}』は、{v}が監督した{d}である。",
        "『{n}』は{v}監督による{d}。",
        "{d}『{n}』の監督は{v}である。")),
    ("{n}はどこで生まれましたか？", PLACES_JA, "name", ("植物学者", "競輪選手"), (
        "{n}は{v}で生まれた{d}である。", "{d}の{n}は{v}に生まれた。", "{n}は、{v}生まれの{d}。")),
    ("{n}が創業したのは何年ですか？", YEARS, "figure", ("楽器メーカー", "老舗の菓子店"), (
        "{n}は{v}年に創業した{d}である。",
        "{d}の{n}は、{v}年に創業した。",
        "{v}年創業の{n}は{d}である。")),
    ("{n}の人口は何人ですか？", COUNTS, "figure", ("海辺の村", "山あいの町"), (
        "{n}は人口{v}人の{d}である。",
        "{d}である{n}の人口は{v}人。",
        "{n}は{d}で、人口は{v}人である。")),
    ("小説『{n}』の作者は誰か。", PEOPLE_JA, "name", ("推理小説", "歴史小説"), (
        "『{n}』は{v}による{d}である。",
        "{d}『{n}』の作者は{v}である。",
        "『{n}』は、作者{v}の{d}。")),
    ("{n}駅はいつ開業しましたか。", YEARS, "figure", ("北海道の駅", "九州の駅"), (
        "{n}駅は{v}年に開業した{d}である。",
        "{d}である{n}駅は{v}年に開業した。",
        "{n}駅は、{v}年開業の{d}。")),
)  # fmt: skip
NAMES = (
    "Otterton", "Silver Lane", "Marrow", "Kestrel Point", "James Alder", "Harrow Gate", "Linden",
    "Blue Harbour", "Rosewick", "Thomas Vane", "Castle Moor", "Fairwater",
)  # fmt: skip
NAMES_JA = ("若葉", "青海", "大沢", "白川", "花水木", "月見野", "桜台", "松葉")
EACH = 14  # cases of a relation
MORE = (
    "It is little known today.",
    "Records from that time are few.",
    "Much of this was told later.",
)
MORE_JA = ("今日ではあまり知られていない。", "当時の記録は少ない。", "詳しいことは分かっていない。")


def bearers(
    japanese: bool, noise: Sequence[str], seed: int
) -> Iterator[tuple[str, tuple[str, ...], str, tuple[str, str] | None, str, bool]]:
    """Yield question, documents, kind, values, title and half of each case."""
    names, more = (NAMES_JA, MORE_JA) if japanese else (NAMES, MORE)
    for at, relation in enumerate(RELATIONS_JA if japanese else RELATIONS):
        question, values, kind, things, told = relation
        for n in range(EACH):
            rng = random.Random(f"{seed} {question} {n}")
            name, other = rng.sample(names, 2)
            one, two = rng.sample(values, 2)
            left, right = rng.sample(things, 2)
            first, second = rng.sample(told, 2)
            conflict = n % 3 < 2
            if not conflict:
                two, right = one, left
            filler = list(more)
            rng.shuffle(filler)
            documents = [
                f"{first.format(n=name, v=one, d=left)} {filler[0]}",
                f"{filler[1]} {second.format(n=name, v=two, d=right)}",
                rng.choice(told).format(n=other, v=rng.choice(values), d=left),
                f"{rng.choice(noise)}. {filler[2]}",
            ]
            rng.shuffle(documents)
            what = f"bearer {kind}" if conflict else "one bearer"
            pair = (one, two) if conflict else None
            yield question.format(n=name), tuple(documents), what, pair, name, at % 2 == 0
