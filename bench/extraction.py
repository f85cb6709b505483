"""How well main content is found, and what it costs: us and our peers, on the same pages.

    python bench/extraction.py [--only NAME] [--every N] [--balanced] [--sets NAME …]
                               [--peers PYTHON]

The pages are the dev split of WCXB 1.0 (CC BY 4.0), `extract/wcxb-dev-*` in `KENSAKU_DATA`, or in
`../shared/data` beside the project; `--balanced` takes the 360 that are balanced by kind. F1 is
over words, as multisets; a page without a right answer is left out. Peers that are not installed
are left out too; rs-trafilatura, whose wheels are for Python 3.12, takes part in a process of the
interpreter that `--peers` names. Other sets, most of them articles, follow in the same run where
they are there (`bench/extraction_sets.py` says what they are and where they come from). The
shipped model has seen all of these pages but the Japanese ones: `bench/train_extractor.py` prints
the figures for pages of sites that were not seen.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

KINDS = ("article", "forum", "product", "collection", "listing", "documentation", "service")
Extractor = Callable[[str, str], str]
Timed = Callable[[str, str], tuple[str, float]]  # also the milliseconds of CPU
# Long enough for every model and table to be loaded.
WARM_UP = f"<html><body>{'<p>Otters sleep in groups and hold on to kelp.</p>' * 50}</body></html>"


@dataclass
class Sample:
    """One page with its right answer."""

    url: str
    kind: str
    text: str
    html: str


def data_folder() -> Path:
    """Where the data is, whether or not it exists."""
    given = os.environ.get("KENSAKU_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"


def data_file() -> Path:
    """The pages that are balanced by kind, whether or not they exist."""
    return data_folder() / "extract" / "wcxb-dev-360.jsonl.gz"


def load_samples(whole: bool = False) -> list[Sample]:
    """The 360 pages, or the whole split; those without a right answer have an empty `text`."""
    with gzip.open(data_file(), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    if whole:
        rest = data_file().with_name("wcxb-dev-rest.jsonl.xz")
        with lzma.open(rest, "rt", encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines]
    return [Sample(r["url"] or "", r["type"], r["text"] or "", r["html"]) for r in rows]


def words(text: str) -> list[str]:
    """The words that count."""
    return re.findall(r"\w+", text.lower())


def word_f1(found: str, right: str) -> float:
    """Twice the shared words over all words of both."""
    one, other = Counter(words(found)), Counter(words(right))
    total = sum(one.values()) + sum(other.values())
    return 2 * sum((one & other).values()) / total if total else 1.0


def mean_by_kind(scores: list[tuple[str, float]]) -> dict[str, float]:
    """The mean over all pages and over each kind of page."""
    groups: dict[str, list[float]] = defaultdict(list)
    for kind, score in scores:
        groups[kind].append(score)
    means = {"all": statistics.mean(s for _, s in scores)}
    means |= {kind: statistics.mean(groups[kind]) for kind in KINDS if kind in groups}
    return {name: round(mean, 3) for name, mean in means.items()}


def _kensaku() -> Extractor:
    from kensaku.extract import extract_html

    return lambda html, url: extract_html(html, url).text


def _trafilatura() -> Extractor:
    import trafilatura

    return lambda html, url: trafilatura.extract(html, url=url) or ""


def _resiliparse() -> Extractor:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, url: extract_plain_text(html, main_content=True)


def _readability() -> Extractor:
    from lxml.html import fromstring
    from readability import Document

    return lambda html, url: fromstring(Document(html).summary()).text_content()


EXTRACTORS: dict[str, Callable[[], Extractor]] = {
    "kensaku": _kensaku,
    "trafilatura": _trafilatura,
    "resiliparse": _resiliparse,
    "readability-lxml": _readability,
}


@dataclass
class Run:
    """What one extractor made of the pages."""

    extract: Timed
    version: str
    scores: list[tuple[str, float]] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    def add(self, sample: Sample) -> None:
        found, spent = self.extract(sample.html, sample.url)
        self.milliseconds.append(spent)
        self.scores.append((sample.kind, word_f1(found, sample.text)))

    def line(self) -> str:
        shown = "  ".join(f"{kind} {mean:.3f}" for kind, mean in mean_by_kind(self.scores).items())
        spent = sorted(self.milliseconds)
        p50, p90 = statistics.median(spent), spent[len(spent) * 9 // 10]
        return f"{self.version:8} {shown}  CPU p50 {p50:.1f} ms  p90 {p90:.1f} ms"


def _timed(extract: Extractor) -> Timed:
    def run(html: str, url: str) -> tuple[str, float]:
        start = time.process_time()
        try:
            found = extract(html, url)
        except Exception as error:  # a peer that breaks on a page has found nothing on it
            print(f"    {type(error).__name__} on {url[:80]}")
            found = ""
        return found, (time.process_time() - start) * 1000

    return run


def _in_process(python: str) -> Run:
    """rs-trafilatura, run by another interpreter."""
    script = Path(__file__).with_name("extraction_peer.py")
    process = subprocess.Popen(
        [python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    requests, replies = process.stdin, process.stdout

    def run(html: str, url: str) -> tuple[str, float]:
        requests.write(json.dumps({"html": html, "url": url}) + "\n")
        requests.flush()
        reply = json.loads(replies.readline())
        if reply["error"]:
            print(f"    {reply['error']} on {url[:80]}")
        return reply["text"], reply["milliseconds"]

    first = replies.readline()
    if not first:
        sys.exit(f"{python} has no rs-trafilatura")
    return Run(run, json.loads(first)["version"])


def _installed(only: str | None) -> dict[str, Run]:
    runs = {}
    for name, make in EXTRACTORS.items():
        if only not in (None, name):
            continue
        try:
            runs[name] = Run(_timed(make()), _version(name))
        except ImportError:
            print(f"{name:17} not installed")
            continue
    return runs


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # run from a source tree
        return "source"


def main() -> None:
    """Print one line for each extractor."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", help="one extractor by its name")
    parser.add_argument("--every", type=int, default=1, help="only each Nth page")
    parser.add_argument("--balanced", action="store_true", help="the 360 pages balanced by kind")
    parser.add_argument("--sets", nargs="*", help="which other sets; all that are there if unsaid")
    parser.add_argument("--peers", help="a Python 3.12 that has rs-trafilatura installed")
    arguments = parser.parse_args()
    if not data_file().exists():
        print(f"skipped: there is no {data_file()}; set KENSAKU_DATA to the folder of the data")
        return
    from extraction_sets import SETS, is_japanese_news, load_set, set_folder

    sets = {"wcxb": [s for s in load_samples(not arguments.balanced) if s.text]}
    for name in SETS if arguments.sets is None else arguments.sets:
        if not set_folder(name).exists():
            print(f"skipped: there is no {set_folder(name)}")
            continue
        try:
            sets[name] = load_set(name)
        except ImportError as error:
            print(f"skipped: {name} ({error})")
    news = [s for name, found in sets.items() for s in found if is_japanese_news(name, s.text)]
    if news:
        sets["Japanese news of these sets"] = news
    for name, samples in sets.items():
        runs = _installed(arguments.only)
        if arguments.peers:
            runs["rs-trafilatura"] = _in_process(arguments.peers)
        for run in runs.values():
            run.extract(WARM_UP, "https://example.org/")
        some = samples[:: arguments.every]
        print(f"{name}: {len(some)} pages")
        for sample in some:  # page by page, so that all meet the same load of the machine
            for run in runs.values():
                run.add(sample)
        for peer, run in runs.items():
            print(f"{peer:17} {run.line()}", flush=True)


if __name__ == "__main__":
    main()
