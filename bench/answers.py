"""Is the right sentence in the answer? And is "none of the sources answers this" said when so?

    python bench/answers.py [--questions 300] [--sets xquad-en,squad2]   leave-one-set-out
    python bench/answers.py --fit [--questions 300]                      fit the model, too

The questions of all sets (`question_sets.py`) are asked of the local index, without a model. Each
set is judged by a model that was fitted on the others: neither on this set nor on one that shares
texts with it. "ranked": share of questions whose chosen sentences have the answer text, of those
whose context has it; "right": the same, after the refusals. "gone" to "none": share of refusals, by
the way in which the answer was taken away. "silent": share of questions that are answered without
a caveat, the share of these answers that is right, and of near misses that get one. "shown": the
same for all answers that the assistant gives without asking.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kensaku import Document, Kensaku
from kensaku.answers.cited import Thresholds
from kensaku.answers.context import Context
from kensaku.answers.score import score_sentences
from kensaku.answers.support import LEAST, support_factors
from kensaku.answers.weigh import choose_sentences
from kensaku.models.calibration import SHIPPED, Model, shipped_models
from question_sets import KINDS, MORE_DATA, Asked, Kind, QuestionSet, read_all
from regression import Example, fit, write_models

EXAMPLES = 500  # that the near misses of a set are worth, beside a penalty of 1
PRIOR = 2.0  # questions with an answer for each near miss
LADDER = Thresholds()


@dataclass(frozen=True, slots=True)
class Judged:
    """A case that was asked: what the model weighs, and whether the sentences have the answer."""

    kind: Kind
    factors: Mapping[str, float] | None  # None: nothing was found
    right: bool
    confidence: float

    def support(self, model: Model) -> float:
        """Return the probability that the sentences answer."""
        return model.probability(self.factors) if self.factors else 0.0


async def judge(questions: QuestionSet, count: int) -> list[Judged]:
    """Ask the cases of a set."""
    found: list[Judged] = []
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            for n, (pages, cases) in enumerate(questions.collections(count)):
                name = f"bench{n}"
                texts = (p for p in pages if p.text.strip())
                await k.index.add(
                    (Document(url=f"doc:{p.id}", title=p.title, text=p.text) for p in texts), name
                )
                for kind, asked in cases:
                    context = await k.context(
                        asked.text, max_tokens=3_000, route="local", collection=name
                    )
                    found += read(kind, asked, context)
    return found


def read(kind: Kind, asked: Asked, context: Context) -> Iterable[Judged]:
    """Yield a case as it was answered; nothing where it cannot be told what would be right."""
    sources = "\n".join(p.text for c in context.citations for p in c.passages)
    if kind == "there" and not asked.is_answered_by(sources):
        return
    confidence = context.confidence.score if context.confidence else 0.0
    scored = score_sentences(asked.text, context.citations)
    chosen = choose_sentences(asked.text, scored)
    right = asked.is_answered_by(" ".join(s.text for s in chosen))
    if kind != "there" and right:  # another page has the same words
        return
    factors = support_factors(asked.text, scored, confidence) if chosen else None
    yield Judged(kind, factors, right, confidence)


def fit_answer(sets: Mapping[str, Sequence[Judged]]) -> Model:
    """Fit whether the sentences answer; each set and each way to take it away counts alike."""
    made = []
    for cases in sets.values():
        ways = {c.kind for c in cases} - {"there"}
        for kind in ("there", *ways):
            these = [c for c in cases if c.kind == kind and c.factors]
            worth = EXAMPLES * PRIOR if kind == "there" else EXAMPLES / len(ways)
            made += [Example(c.factors or {}, c.right, worth / len(these)) for c in these]
    return fit(made, tuple(made[0].factors), fitted_on=f"{', '.join(sets)}, with near misses")


def line(name: str, cases: Sequence[Judged], model: Model) -> str:
    there = [c for c in cases if c.kind == "there"]
    away = [c for c in cases if c.kind != "there"]
    ranked = share(c.right for c in there)
    right = share(c.right and c.support(model) >= LEAST for c in there)
    row = f"{name:10} {len(there):6} {ranked:7.3f} {right:6.3f}   "
    for kind in KINDS[1:]:
        these = [c for c in cases if c.kind == kind]
        refused = share(c.support(model) < LEAST for c in these)
        row += f"{refused:6.3f}" if these else "     –"
    for is_given in (is_silent, is_shown):
        given = [c for c in there if is_given(c, model)]
        row += f"   {len(given) / len(there):6.3f}"
        row += f"{share(c.right for c in given):7.3f}" if given else "      –"
        row += f"{share(is_given(c, model) for c in away):7.3f}"
    return row


def is_silent(case: Judged, model: Model) -> bool:
    return min(case.support(model), case.confidence) >= LADDER.silent


def is_shown(case: Judged, model: Model) -> bool:
    return case.support(model) >= LEAST and case.confidence >= LADDER.notify


def share(values: Iterable[bool]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


async def run(count: int, names: Sequence[str], *, refit: bool) -> None:
    sets = {s.name: s for s in read_all() if not names or s.name in names}
    judged = {}
    for name, questions in sets.items():
        judged[name] = await judge(questions, count)
        print(f"asked {name}: {len(judged[name])}", flush=True)
    report(sets, judged, refit=refit)


def report(
    sets: Mapping[str, QuestionSet], judged: Mapping[str, Sequence[Judged]], *, refit: bool
) -> None:
    fitted = {n: cases for n, cases in judged.items() if sets[n].may_be_fitted}
    given = "silent  right  away    shown  right  away"
    print(f"set         there  ranked  right    gone   cut other  none   {given}")
    for name, cases in judged.items():
        others = {n: c for n, c in fitted.items() if sets[n].family != sets[name].family}
        print(line(name, cases, fit_answer(others)), flush=True)
    model = fit_answer(fitted) if refit else shipped_models()["answer"]
    if refit:
        write_models(SHIPPED, {**shipped_models(), "answer": model})
    print("the model as shipped, also on the sets that it was fitted on:")
    for name, cases in judged.items():
        print(line(name, cases, model), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=[])
    parser.add_argument("--fit", action="store_true")
    args = parser.parse_args()
    if not MORE_DATA.is_dir():
        print(f"skipped: there is no {MORE_DATA}; set KENSAKU_MORE_DATA (bench/question_sets.py)")
        return
    asyncio.run(run(args.questions, args.sets, refit=args.fit))


if __name__ == "__main__":
    main()
