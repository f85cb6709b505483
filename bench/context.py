"""Is the answer in the context? Ours against the packing of `tavily-python`, over the same results.

    python bench/context.py [--questions 500]    share of questions whose answer text is inside
    python bench/context.py --tokens             how far our token estimate is from cl100k
    python bench/context.py --scripts FOLDER     share of 200 tokens that is used, by language

The documents of `questions/` in $KENSAKU_DATA (or ../shared/data) are indexed; each question is
searched once (local index, 20 hits). Both packings see the same hits; tokens are cl100k's.
FOLDER holds translations of the Universal Declaration of Human Rights, `udhr_*.xml`, as in
https://github.com/eric-muller/udhr: each is three pages, asked for with words of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import tempfile
from pathlib import Path

from lxml import etree

from kensaku import Document, Hit, Kensaku
from kensaku.answers.context import pack
from kensaku.answers.passages import passages_of
from kensaku.answers.tokenizer import count, counter

DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
BUDGETS = (500, 1_000, 2_000)
SMALL_BUDGET = 200
SETS = ("xquad-en", "jsquad-ja")


def lines(path: Path) -> list[dict]:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in raw.splitlines()]


def as_tavily_packs(hits: tuple[Hit, ...], budget: int, tokens) -> str:
    """What `get_search_context` makes of five results: JSON items while they fit."""
    kept, used = [], 0
    for hit in hits[:5]:
        item = json.dumps({"url": hit.url, "content": hit.content})
        used += tokens(item)
        if used > budget:
            break
        kept.append({"url": hit.url, "content": hit.content})
    return json.dumps(kept)


async def share(name: str, n: int) -> dict[int, tuple[float, float, int, float]]:
    """Budget → (ours, Tavily's, the largest of ours in tokens, share of the budget used).

    The budget is counted by our estimate, and only where there was more to say.
    """
    exact = counter("cl100k_base")
    documents = lines(DATA / "questions" / f"{name}.docs.jsonl")
    questions = lines(DATA / "questions" / f"{name}.questions.jsonl")
    random.Random(0).shuffle(questions)
    questions = questions[:n]
    ours, theirs = dict.fromkeys(BUDGETS, 0), dict.fromkeys(BUDGETS, 0)
    largest = dict.fromkeys(BUDGETS, 0)
    used: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(
                Document(url=f"https://data.example/{d['_id']}", title=d["title"], text=d["text"])
                for d in documents
            )
            for q in questions:
                found = await k.search(q["text"], route="local", max_results=20)
                passages = passages_of(q["text"], found.hits)
                for budget in BUDGETS:
                    made = pack(passages, budget, count)
                    text = made.text
                    if made.position.done < len(passages):
                        used[budget].append(made.tokens / budget)
                    ours[budget] += any(a in text for a in q["answers"])
                    largest[budget] = max(largest[budget], exact(text))
                    packed = json.loads(as_tavily_packs(found.hits, budget, exact))
                    theirs[budget] += any(a in i["content"] for a in q["answers"] for i in packed)
    asked = len(questions)
    return {
        b: (ours[b] / asked, theirs[b] / asked, largest[b], sum(used[b]) / max(1, len(used[b])))
        for b in BUDGETS
    }


def used_by_script(path: Path, queries: int = 20) -> list[float]:
    """The shares of a small budget that are used, of contexts that were cut."""
    paragraphs = ["".join(p.itertext()).strip() for p in etree.parse(path).iter("{*}para")]
    size, rng = len(paragraphs) // 3, random.Random(1)
    pages = ["\n\n".join(paragraphs[n * size : (n + 1) * size]) for n in range(3)]
    hits = [
        Hit(f"https://{n}.example/page/of/rights", f"Universal Declaration, part {n}", text)
        for n, text in enumerate(pages)
    ]
    words = [word for word in " ".join(paragraphs).split() if len(word) > 1]
    used = []
    for _ in range(queries if len(words) > 20 else 0):
        passages = passages_of(" ".join(rng.sample(words, 3)), hits)
        packed = pack(passages, SMALL_BUDGET, count)
        if packed.position.done < len(passages):
            used.append(packed.tokens / SMALL_BUDGET)
    return used


def token_estimate() -> None:
    exact = counter("cl100k_base")
    texts = {
        name: [d["text"] for d in lines(DATA / "questions" / f"{name}.docs.jsonl")] for name in SETS
    }
    texts["scifact"] = [d["text"] for d in lines(DATA / "retrieval/scifact/corpus.jsonl.gz")[:1000]]
    texts["web"] = [d["text"] or "" for d in lines(DATA / "extract/wcxb-dev-360.jsonl.gz")]
    texts["code"] = [
        p.read_text(errors="ignore")[:6000] for p in Path(os.__file__).parent.glob("*.py")
    ]
    print("estimate ÷ cl100k   1 %    median   99 %")
    for name, parts in texts.items():
        whole, rng = "\n\n".join(parts), random.Random(1)
        starts = [rng.randrange(max(1, len(whole) - 3000)) for _ in range(400)]
        size = 900 if name.endswith("ja") else 2000
        ratios = sorted(count(s) / exact(s) for at in starts if (s := whole[at : at + size]))
        print(f"{name:18} {ratios[4]:6.3f} {ratios[200]:8.3f} {ratios[-4]:7.3f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--tokens", action="store_true")
    parser.add_argument("--scripts", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    if args.scripts:
        for path in sorted(args.scripts.glob("*.xml")):
            if used := used_by_script(path):
                print(f"{path.stem:24} {sum(used) / len(used):.3f}  least {min(used):.3f}")
        return
    if not (DATA / "questions").is_dir():
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
        return
    if args.tokens:
        token_estimate()
        return
    print("set         budget   kensaku   tavily's packing   largest (cl100k tokens)   used")
    for name in SETS:
        for budget, row in asyncio.run(share(name, args.questions)).items():
            ours, theirs, largest, used = row
            print(f"{name:10} {budget:7} {ours:9.3f} {theirs:18.3f} {largest:25} {used:6.3f}")


if __name__ == "__main__":
    main()
