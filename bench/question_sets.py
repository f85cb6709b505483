"""Question sets with documents, and the ways to take the answer away.

    files → QuestionSet(documents, questions, unanswerable) → collections of documents with cases

A case is a question asked of a collection: `there` (nothing is missing), `gone` (half of the
documents, without the right one), `cut` (the right page without the sentences that have the
answer), `other` (the question asks about another subject of the set, in the same words), `none`
(people wrote or found the question to have no answer here). All but the first want a refusal.

The files are not part of the repository. Those of XQuAD and JSQuAD are in $KENSAKU_DATA (or
../shared/data), the others in $KENSAKU_MORE_DATA, under the names and from the places in `SOURCES`.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from kensaku.answers.sentences import whole_sentences
from kensaku.text.clean import one_line

DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
MORE_DATA = Path(os.environ.get("KENSAKU_MORE_DATA", "more-data"))
SOURCES: Mapping[str, str] = {  # file: repository, path; licence
    "squad2.json": "chrischute/squad, data/dev-v2.0.json: half of SQuAD 2.0's dev; CC BY-SA 4.0",
    "jaquad-N.json": "SkelterLabsInc/JaQuAD, data/dev/jaquad_dev_000N.json; CC BY-SA 3.0",
    "nq-open-oracle.jsonl": "nelson-liu/lost-in-the-middle, qa_data/ (unzip); CC BY-SA 3.0",
    "covidqa.json": "deepset-ai/COVID-QA, data/question-answering/200423_covidQA.json; Apache 2.0",
    "wikiqa-dev.tsv": "yizhongw/WikiQA-Selection, data/raw/WikiQA-dev.tsv; for research",
    "wikiqa-test.tsv": "the same, WikiQA-test-gold.tsv",
    "rgb-en-fact.json": "chen700564/RGB, data/en_fact.json; CC BY-NC-SA 4.0",
    "2wiki-passages.json": "OSU-NLP-Group/HippoRAG, reproduce/dataset/2wikimultihopqa_corpus.json: "
    "beginnings of Wikipedia's articles; CC BY-SA 4.0",
}
Kind = Literal["there", "gone", "cut", "other", "none"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Page:
    """A document of a set."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and texts that answer it; `page` has one of them."""

    text: str
    page: str
    answers: tuple[str, ...] = ()

    def is_answered_by(self, text: str | None) -> bool:
        """Whether a text contains one of the answers."""
        words = one_line(text or "").casefold()
        return any(one_line(answer).casefold() in words for answer in self.answers)


Cases = list[tuple[Kind, Asked]]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Documents and questions. `family`: sets that share texts; one is never fitted for another."""

    name: str
    pages: Sequence[Page]
    questions: Sequence[Asked]
    unanswerable: Sequence[Asked] = ()
    family: str = ""
    may_be_fitted: bool = True  # its licence allows more than measuring
    alone: Mapping[str, Sequence[Page]] = field(default_factory=dict)  # of each question, if so

    def collections(self, count: int) -> Iterator[tuple[Sequence[Page], Cases]]:
        """Yield documents and the cases to ask of them, at most `count` of a kind."""
        if self.alone:
            yield from self._each_alone(count)
            return
        questions = list(self.questions)
        random.Random(0).shuffle(questions)
        asked = questions[:count]
        none = random.Random(1).sample(list(self.unanswerable), min(count, len(self.unanswerable)))
        others = [] if none else list(self._about_others(questions, count))
        yield (
            self.pages,
            [
                *(("there", q) for q in asked),
                *(("none", q) for q in none),
                *(("other", q) for q in others),
            ],
        )
        half = [p for p in self.pages if in_half(p.id)]
        gone = [q for q in questions if not in_half(q.page)]
        yield half, [("gone", q) for q in gone[:count]]
        cut = {q.page: q for q in reversed(questions)}  # one of a page
        cuts: list[Asked] = list(cut.values())[:count]
        pages = [without(p, cut[p.id]) if p.id in cut else p for p in self.pages]
        yield pages, [("cut", q) for q in cuts]

    def _each_alone(self, count: int) -> Iterator[tuple[Sequence[Page], Cases]]:
        for question in self.questions[:count]:
            pages = self.alone[question.text]
            yield pages, [("there", question)]
            if rest := [p for p in pages if not question.is_answered_by(p.text)]:
                yield rest, [("none", question)]

    def _about_others(self, questions: Sequence[Asked], count: int) -> Iterator[Asked]:
        """Yield questions with their subject replaced by another one of the set."""
        titles = {p.id: spoken(p.title) for p in self.pages}
        names = sorted(set(titles.values()))
        chosen = random.Random(2)
        for question in questions:
            title = titles[question.page]
            if count and len(title) > 1 and title in question.text and len(names) > 1:
                name = chosen.choice([n for n in names if n != title])
                yield Asked(question.text.replace(title, name), question.page)
                count -= 1


def in_half(name: str) -> bool:
    return bool(hashlib.md5(name.encode(), usedforsecurity=False).digest()[0] & 1)


def spoken(title: str) -> str:
    return title.replace("_", " ").partition(" (")[0]


def without(page: Page, question: Asked) -> Page:
    """Return a page without the sentences that have the answer."""
    kept = [page.text[a:b] for a, b in whole_sentences(page.text)]
    text = "".join(part for part in kept if not question.is_answered_by(part))
    return Page(page.id, page.title, "" if question.is_answered_by(text) else text)


def read_all() -> list[QuestionSet]:
    """Return the sets whose files are there."""
    found = []
    for name, read in READERS.items():
        try:
            found.append(read())
        except FileNotFoundError as error:
            print(f"skipped: {name}, for want of {error.filename}")
    return found


def prepared(name: str, family: str) -> QuestionSet:
    stem = DATA / "questions" / name
    pages, questions = (json_lines(Path(f"{stem}.{part}.jsonl")) for part in ("docs", "questions"))
    return QuestionSet(
        name,
        [Page(p["_id"], p["title"], p["text"]) for p in pages],
        [Asked(q["text"], q["doc"], tuple(q["answers"])) for q in questions],
        family=family,
    )


def squad_like(name: str, *files: str, family: str = "") -> QuestionSet:
    """Read files in the format of SQuAD; each paragraph is a document."""
    pages: list[Page] = []
    questions: list[Asked] = []
    unanswerable: list[Asked] = []
    for file in files:
        articles = json.loads((MORE_DATA / file).read_text("utf-8"))["data"]
        for a, article in enumerate(articles):
            for n, paragraph in enumerate(article["paragraphs"]):
                text = paragraph["context"]
                title = article.get("title") or text.partition("\n")[0][:200]
                page = Page(f"{file}:{a}:{n}", title, text)
                pages.append(page)
                for qa in paragraph["qas"]:
                    answers = tuple({answer["text"] for answer in qa["answers"]})
                    asked = Asked(qa["question"].strip(), page.id, answers)
                    (questions if answers else unanswerable).append(asked)
    return QuestionSet(name, pages, questions, unanswerable, family or name)


def natural_questions() -> QuestionSet:
    pages: dict[str, Page] = {}
    questions = []
    for row in json_lines(MORE_DATA / "nq-open-oracle.jsonl"):
        context = row["ctxs"][0]
        page = Page(context["text"][:80], context["title"], context["text"])
        pages[page.id] = page
        questions.append(Asked(row["question"], page.id, tuple(row["answers"])))
    return QuestionSet("nq", list(pages.values()), questions, family="nq")


def wikiqa() -> QuestionSet:
    """Read the first paragraphs of articles; a question is answered by whole sentences, or not."""
    texts: dict[str, dict[str, str]] = {}
    titles: dict[str, str] = {}
    asked: dict[str, tuple[str, list[str]]] = {}
    for part in ("dev", "test"):
        with (MORE_DATA / f"wikiqa-{part}.tsv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                page = row["DocumentID"]
                titles[page] = row["DocumentTitle"]
                texts.setdefault(page, {})[row["SentenceID"]] = row["Sentence"]
                answers = asked.setdefault(row["Question"], (page, []))[1]
                if row["Label"] == "1":
                    answers.append(row["Sentence"])
    pages = [Page(p, titles[p], " ".join(parts.values())) for p, parts in texts.items()]
    questions = [Asked(text, page, tuple(answers)) for text, (page, answers) in asked.items()]
    return QuestionSet(
        "wikiqa",
        pages,
        [q for q in questions if q.answers],
        [q for q in questions if not q.answers],
        family="wikiqa",
        may_be_fitted=False,
    )


def rgb() -> QuestionSet:
    """Read snippets of a web search: each question has its own, some with the answer."""
    questions, alone = [], {}
    for row in json_lines(MORE_DATA / "rgb-en-fact.json"):
        given = row["answer"]
        answers = tuple(a for part in given for a in part) if isinstance(given, list) else (given,)
        snippets = [*row["negative"], *row["positive"]]
        pages = [Page(f"{row['id']}-{n}", "", text) for n, text in enumerate(snippets)]
        questions.append(Asked(row["query"], "", answers))
        alone[row["query"]] = pages
    return QuestionSet("rgb", [], questions, family="rgb", may_be_fitted=False, alone=alone)


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


READERS: Mapping[str, Callable[[], QuestionSet]] = {
    "xquad-en": lambda: prepared("xquad-en", "squad"),
    "squad2": lambda: squad_like("squad2", "squad2.json", family="squad"),
    "nq": natural_questions,
    "covidqa": lambda: squad_like("covidqa", "covidqa.json"),
    "wikiqa": wikiqa,
    "rgb": rgb,
    "jsquad-ja": lambda: prepared("jsquad-ja", "jsquad"),
    "jaquad-ja": lambda: squad_like("jaquad-ja", *(f"jaquad-{n}.json" for n in range(3))),
}
