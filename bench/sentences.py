"""Does a sentence end where a reader ends it, and do libraries do better?

    python bench/sentences.py        beside those of pysbd and spacy that are installed

Paragraphs whose sentences are known, from the treebanks in $KENSAKU_MORE_DATA (`*.conllu`: dev and
test parts of UniversalDependencies/UD_English-GUM and UD_English-EWT, CC BY-SA 4.0). F1 of the ends
of sentences inside a paragraph, wrong cuts, missed ones, and CPU.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from kensaku.answers.sentences import joined_sentences

DATA = Path(os.environ.get("KENSAKU_MORE_DATA", "more-data"))
Splitter = Callable[[str], Sequence[str]]


def paragraphs(path: Path) -> Iterator[list[str]]:
    """Yield the sentences of each paragraph that has more than one."""
    found: list[str] = []
    for line in [*path.read_text("utf-8").splitlines(), "# newdoc"]:
        if line.startswith(("# newdoc", "# newpar")):
            if len(found) > 1:
                yield found
            found = []
        elif line.startswith("# text = "):
            found.append(line.removeprefix("# text = "))


def ends(parts: Iterable[str]) -> set[int]:
    """Return where the parts of a text end, counted without blanks; not the last one."""
    at, found = 0, []
    for part in parts:
        at += len("".join(part.split()))
        found.append(at)
    return set(found[:-1])


def ours(text: str) -> list[str]:
    return [text[start:end] for start, end in joined_sentences(text, 0, len(text))]


def splitters() -> Iterator[tuple[str, Splitter]]:
    yield "kensaku", ours
    try:
        pysbd: Any = import_module("pysbd")
        yield "pysbd", pysbd.Segmenter(language="en", clean=False).segment
    except ImportError:
        print("pysbd      not installed")
    try:
        spacy: Any = import_module("spacy")
        english = spacy.blank("en")
        english.add_pipe("sentencizer")
        yield "spacy", lambda text: [s.text for s in english(text).sents]
    except ImportError:
        print("spacy      not installed")


def main() -> None:
    for name, split in splitters():
        for path in sorted(DATA.glob("*.conllu")):
            right = cuts = wanted = 0
            began = time.process_time()
            for known in paragraphs(path):
                found, gold = ends(split(" ".join(known))), ends(known)
                right, cuts, wanted = (
                    right + len(found & gold),
                    cuts + len(found),
                    wanted + len(gold),
                )
            spent = time.process_time() - began
            print(
                f"{name:10} {path.name:24} F1 {2 * right / (cuts + wanted):.3f}"
                f"   wrong {cuts - right}   missed {wanted - right}   CPU {spent:.2f} s"
            )


if __name__ == "__main__":
    main()
