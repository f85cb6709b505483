"""How often the date and the author of a page are right: us, trafilatura and htmldate.

    python bench/metadata.py [--limit N]

The pages are all of the dev split of WCXB 1.0 (CC BY 4.0), `extract/` in `KENSAKU_DATA` or in
`../shared/data`. "Right" is the share of the pages with an answer on which the date is the same
day, and the author the same names (letters and digits are compared, and the order of several
authors, not how they are joined). "Precision" is the share of those among the pages with an answer
where something was found; "elsewhere" is on how many pages without an answer something was found:
some of them have a date or an author that nobody wrote down, so it is no error rate.

The rules of ours were written while looking at these pages; nothing is fitted to them by machine.
The two halves (every other page) show how much a figure moves by chance alone.
"""

from __future__ import annotations

import argparse
import logging
import re
import time
import warnings
from collections.abc import Callable

from wcxb import Answer, data_is_here, load_answers

Found = tuple[str | None, str | None]  # author, date


def _kensaku() -> Callable[[Answer], Found]:
    from kensaku.extract import extract_html

    def read(page: Answer) -> Found:
        found = extract_html(page.html, page.url)
        return found.author, found.published

    return read


def _trafilatura() -> Callable[[Answer], Found]:
    from trafilatura import extract_metadata

    def read(page: Answer) -> Found:
        found = extract_metadata(page.html, default_url=page.url or None)
        return (found.author, found.date) if found else (None, None)

    return read


def _htmldate() -> Callable[[Answer], Found]:
    from htmldate import find_date

    return lambda page: (None, find_date(page.html, url=page.url or None, original_date=True))


PEERS = {"kensaku": _kensaku, "trafilatura": _trafilatura, "htmldate": _htmldate}


def same_author(found: str | None, right: str) -> bool:
    """Whether the same names stand in the same order."""
    return _names(found or "") == _names(right)


def _names(text: str) -> list[str]:
    parts = re.split(r"\s*(?:;|,|&|\band\b)\s*", text.lower())
    return [name for part in parts if (name := re.sub(r"[\W_]+", "", part))]


def same_date(found: str | None, right: str) -> bool:
    """Whether it is the same day, or month where no more is known."""
    return (found or "")[: len(right)] == right


def report(what: str, pairs: list[tuple[str | None, str | None]], same: Callable[..., bool]) -> str:
    """The figures of pairs of what was found and what is right."""
    known = [(found, right) for found, right in pairs if right]
    hits = [same(found, right) for found, right in known]
    given = sum(bool(found) for found, _ in known)
    elsewhere = sum(bool(found) for found, right in pairs if not right)
    halves = "/".join(f"{sum(h) / max(1, len(h)):.3f}" for h in (hits[::2], hits[1::2]))
    return (
        f"{what}: right {sum(hits) / len(hits):.3f} of {len(hits)} (halves {halves}), "
        f"precision {sum(hits) / max(1, given):.3f}, "
        f"elsewhere {elsewhere} of {len(pairs) - len(known)}"
    )


def main() -> None:
    """Print two lines for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=int, default=0, help="only the first N pages")
    arguments = parser.parse_args()
    if not data_is_here():
        return
    logging.disable(logging.CRITICAL)  # trafilatura logs what it cannot read
    warnings.simplefilter("ignore")
    pages = load_answers()[: arguments.limit or None]
    for name, make in PEERS.items():
        try:
            read = make()
        except ImportError:
            print(f"{name:12} not installed")
            continue
        began = time.process_time()
        found = [read(page) for page in pages]
        cpu = (time.process_time() - began) / len(pages) * 1000
        dates = [(f[1], page.published) for f, page in zip(found, pages, strict=True)]
        print(f"{name:12} {report('date', dates, same_date)}, CPU {cpu:.1f} ms a page")
        if name != "htmldate":
            authors = [(f[0], page.author) for f, page in zip(found, pages, strict=True)]
            print(f"{name:12} {report('author', authors, same_author)}")


if __name__ == "__main__":
    main()
