"""What could a reranker bring? The share of questions whose answer is in 500 tokens of context.

    python bench/rerank.py [--questions 150]

Over the same hits (local index, 20 of them): our own order, the order by BM25 alone, and that of an
oracle which puts the passages with the answer first, all within the passages that a reranker gets.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import Callable

from context import DATA, SETS, lines
from kensaku import Document, Kensaku, Passage
from kensaku.answers.context import pack
from kensaku.answers.passages import passages_of
from kensaku.answers.tokenizer import count
from kensaku.search.passages import score_texts
from kensaku.search.rerank import MAX_PASSAGES, digest, reorder

BUDGET = 500
Score = Callable[[dict, list[Passage]], list[float]]


def by_words(question: dict, passages: list[Passage]) -> list[float]:
    return score_texts(question["text"], [f"{p.title} {p.text}" for p in passages])


def by_oracle(question: dict, passages: list[Passage]) -> list[float]:
    """The gold passage: of the right document, with the answer."""
    return [
        float(
            p.url.endswith(f"/{question['doc']}") and any(a in p.text for a in question["answers"])
        )
        for p in passages
    ]


ORDERS: dict[str, Score | None] = {"ours": None, "BM25": by_words, "oracle": by_oracle}


async def shares(name: str, n: int) -> dict[str, float]:
    documents = lines(DATA / "questions" / f"{name}.docs.jsonl")
    questions = lines(DATA / "questions" / f"{name}.questions.jsonl")
    random.Random(0).shuffle(questions)
    right = dict.fromkeys(ORDERS, 0)
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(
                Document(url=f"https://data.example/{d['_id']}", title=d["title"], text=d["text"])
                for d in documents
            )
            for q in questions[:n]:
                found = await k.search(q["text"], route="local", max_results=20)
                passages = passages_of(q["text"], found.hits)
                for order, score in ORDERS.items():
                    ranked = passages
                    if score is not None:
                        best = passages[:MAX_PASSAGES]
                        scores = zip(map(digest, best), score(q, best), strict=True)
                        ranked = reorder(passages, dict(scores))
                    taken = pack(ranked, BUDGET, count).citations
                    shown = [p for c in taken for p in c.passages]
                    right[order] += any(by_oracle(q, shown))
    return {order: hits / len(questions[:n]) for order, hits in right.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=150)
    args = parser.parse_args()
    if not (DATA / "questions").is_dir():
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
        return
    print("set        " + "".join(f"{order:>9}" for order in ORDERS))
    for name in SETS:
        row = asyncio.run(shares(name, args.questions))
        print(f"{name:11}" + "".join(f"{share:9.3f}" for share in row.values()), flush=True)


if __name__ == "__main__":
    main()
