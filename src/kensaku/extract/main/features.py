"""Blocks → features: the numbers by which the model scores each block.

    block × (text, tags, position, containers, neighbours) + the page as a whole

A row is numbers, then integers of bits. The names are part of the model file: after a change of
what one of them means, train again.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress, pairwise

from kensaku.extract.main.blocks import CONTEXT, HEADINGS, Block, Node, nodes_around
from kensaku.extract.main.containers import ContainerStats
from kensaku.extract.main.lexicon import BOX_NAMES, CUES
from kensaku.extract.main.siblings import SIBLING_NAMES, SiblingStats
from kensaku.extract.main.signals import PageFacts
from kensaku.extract.main.textstats import TEXT_NAMES, TextStats
from kensaku.extract.main.vocabulary import VOCABULARY_NAMES, Vocabulary

_TAG_CODE = {
    tag: float(code)
    for code, tag in enumerate(
        "p div li td th dd dt pre blockquote figcaption h1 h2 h3 h4 h5 h6 span a button label "
        "section article header footer summary address body legend caption main aside "
        "nav form".split(),
        start=1,
    )
}
_POSITION_NAMES = (
    "tag",
    "inner_tag",
    "depth",
    "at",
    "at_words",
    "kinds",
    "kind_size",
    "kind_linked",
)
_NEXT_NAMES = tuple(
    f"{where}:{what}"
    for where in ("before2", "before", "after", "after2")
    for what in ("size", "linked", "tag", "stops", "function")
)
_PATH_NAMES = (
    "since_heading", "heading_level", "ended", "since_h1", "words_since_h1", "before_h1",
    "long_before", "long_after", "window_size", "window_linked", "from_best",
    "section_size", "section_linked", "section_blocks", "section_long",
    "heading_linked", "heading_title", "heading_like", "since_title", "words_since_title",
    "from_run", "words_from_run", "run_share",
)  # fmt: skip
_PAGE_NAMES = (
    "page_size", "page_blocks", "page_linked", "page_long", "prices", "dates", "items",
    "says_article",
)  # fmt: skip
_ARTICLE_SIGNALS = frozenset(
    "og:article ld:Article ld:NewsArticle ld:BlogPosting ld:ReportageNewsArticle ld:TechArticle "
    "item:Article item:NewsArticle item:BlogPosting".split()
)
NUMBERS = (
    *TEXT_NAMES,
    *_POSITION_NAMES,
    *ContainerStats.NAMES,
    *SIBLING_NAMES,
    *_NEXT_NAMES,
    *_PATH_NAMES,
    *_PAGE_NAMES,
    *VOCABULARY_NAMES,
)
BIT_FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("near", tuple(BOX_NAMES)),
    ("part", tuple(BOX_NAMES)),
    ("in", tuple(CONTEXT)),
    ("cue", tuple(CUES)),
    ("under", tuple(CUES)),
)
COLUMNS = [f"x{at}" for at in range(len(NUMBERS) + len(BIT_FIELDS))]  # of a row, as Python names
_ENDS = 1 << list(CUES).index("related") | 1 << list(CUES).index("comments")
_PRICE, _DATE = list(CUES).index("price"), list(CUES).index("date")
_IN_BEST = ContainerStats.NAMES.index("in_best")
_TITLE_OVERLAP = TEXT_NAMES.index("title_overlap")
_TITLE_WORDS = 2  # a shorter text says little about where the title is
Row = list[float]


def expressions_by_name() -> dict[str, str]:
    """Return, for each feature, the Python expression that reads it from `COLUMNS`."""
    expressions = dict(zip(NUMBERS, COLUMNS, strict=False))
    for column, (field, bits) in zip(COLUMNS[len(NUMBERS) :], BIT_FIELDS, strict=True):
        expressions |= {f"{field}:{bit}": f"({column} & {1 << n})" for n, bit in enumerate(bits)}
    return expressions


def rows(blocks: list[Block], facts: PageFacts, vocabulary: Vocabulary) -> list[Row]:
    """Return one row for each block."""
    if not blocks:
        return []
    stats = TextStats(blocks, facts)
    nodes = nodes_around(blocks)
    containers = ContainerStats(blocks, nodes, stats.size)
    siblings = SiblingStats(nodes, stats.size)
    own = [stats.numbers(i) for i in range(len(blocks))]
    tags = [_TAG_CODE.get(b.node.tag, 0.0) for b in blocks]
    nothing = [0.0] * 5
    brief = [[text[0], text[2], tag, text[3], text[8]] for text, tag in zip(own, tags, strict=True)]
    beside = [nothing, nothing, *brief, nothing, nothing]
    titles = [text[_TITLE_OVERLAP] for text in own]
    paths, under = _paths(blocks, stats)
    headings = _headings(blocks, titles)
    title = _since_title(blocks, titles, stats)
    runs = _from_run(blocks, stats)
    boxes = [containers.measure(b.node) for b in blocks]
    from_best = _distances([numbers[_IN_BEST] > 0 for numbers, _ in boxes])
    sections = _sections(blocks, stats)
    whole = _page_totals(blocks, stats)
    whole.append(float(not _ARTICLE_SIGNALS.isdisjoint(facts.signals)))
    words = vocabulary.rows(blocks, nodes)
    count = len(blocks)
    result = []
    for i, block in enumerate(blocks):
        node, inner = block.node, block.inner
        numbers, part = boxes[i]
        near = node.near | inner.near | (node.parent.near if node.parent is not None else 0)
        result.append([
            *own[i], tags[i], _TAG_CODE.get(inner.tag, 0.0), float(node.depth), i / count,
            stats.before[i] / stats.size, *stats.kinds[i], *numbers, *siblings.measure(node),
            *beside[i], *beside[i + 1], *beside[i + 3], *beside[i + 4],
            *paths[i], from_best[i], *sections[i], *headings[i], *title[i], *runs[i],
            *whole, *words[i],
            near, part | inner.own, inner.context | node.context, stats.cues[i], under[i],
        ])  # fmt: skip
    return result


def _distances(inside: list[bool]) -> list[float]:
    """Count the blocks to the first one inside, below zero, or from the last one, above zero."""
    if True not in inside:
        return [-999.0] * len(inside)
    first, last = inside.index(True), len(inside) - 1 - inside[::-1].index(True)
    return [float(min(i - first, 0) or max(i - last, 0)) for i in range(len(inside))]


def _sections(blocks: list[Block], stats: TextStats) -> list[Row]:
    """Measure the text between two headings, for each block that is part of it."""
    heads = [i for i, b in enumerate(blocks) if i and b.node.tag in HEADINGS]
    result: list[Row] = []
    for start, end in pairwise((0, *heads, len(blocks))):
        section = blocks[start:end]
        size = sum([b.size for b in section]) or 1.0
        linked = sum([b.size * b.linked for b in section]) / size
        long = sum([b.size for b in compress(section, stats.long[start:end])]) / size
        result += [[size, linked, float(end - start), long]] * (end - start)
    return result


def _headings(blocks: list[Block], titles: list[float]) -> list[Row]:
    """Describe the heading above each block: teasers have links for headings, and many of them."""
    like = Counter(b.node.kind for b in blocks if b.node.tag in HEADINGS)
    above = [-1.0, 0.0, 0.0]
    result: list[Row] = []
    for block, title in zip(blocks, titles, strict=True):
        if block.node.tag in HEADINGS:
            above = [block.linked, title, float(like[block.node.kind])]
        result.append(above)
    return result


def _since_title(blocks: list[Block], titles: list[float], stats: TextStats) -> list[Row]:
    """Measure the distance to the block that says the page's title, a heading if there is one."""
    best, at = 0.0, -1
    for i, (block, title) in enumerate(zip(blocks, titles, strict=True)):
        if title > 0.5 and block.size >= _TITLE_WORDS:
            score = title * min(block.size, 12.0) + 8 * (block.node.tag in HEADINGS)
            if score > best:
                best, at = score, i
    if at < 0:
        return [[-999.0, -1.0]] * len(blocks)
    start = stats.before[at]
    return [[float(i - at), before - start] for i, before in enumerate(stats.before)]


def _from_run(blocks: list[Block], stats: TextStats) -> list[Row]:
    """Measure the distance to the run of text: the long texts that share one parent.

    In blocks and words, below zero before its first text and above zero behind its last one.
    """
    long = list(compress(blocks, stats.long))
    sizes: dict[Node | None, float] = {}
    for block in long:
        sizes[block.node.parent] = sizes.get(block.node.parent, 0.0) + block.size
    if not sizes:
        return [[-999.0, 0.0, 0.0]] * len(blocks)
    parent = max(sizes, key=sizes.__getitem__)
    inside = [own and b.node.parent is parent for b, own in zip(blocks, stats.long, strict=True)]
    first, last = inside.index(True), len(inside) - 1 - inside[::-1].index(True)
    start, end = stats.before[first], stats.before[last] + blocks[last].size
    share = sizes[parent] / sum(sizes.values())
    return [
        [float(min(i - first, 0) or max(i - last, 0)),
         min(before - start, 0.0) or max(before - end, 0.0), share]
        for i, before in enumerate(stats.before)
    ]  # fmt: skip


def _paths(blocks: list[Block], stats: TextStats) -> tuple[list[Row], list[int]]:
    """Measure the distances to the heading above, the title and the nearest long texts."""
    title = next((i for i, b in enumerate(blocks) if b.node.tag == "h1"), -1)
    start = stats.before[title] if title >= 0 else 0.0
    after = _long_after(stats.long)
    sizes = [b.size for b in blocks]
    linked = [b.size * b.linked for b in blocks]
    since, level, ended, long_before, cues = 99.0, 0.0, 0.0, 99.0, 0
    paths, under = [], []
    for i, block in enumerate(blocks):
        low, high = max(0, i - 4), i + 5
        window = sum(sizes[low:high]) or 1.0
        under.append(cues)
        paths.append([
            since, level, ended, float(i - title) if title >= 0 else -999.0,
            stats.before[i] - start, float(i < title), long_before, after[i],
            window, sum(linked[low:high]) / window,
        ])  # fmt: skip
        since += 1
        if block.node.tag in HEADINGS:
            since, level, cues = 0.0, float(HEADINGS[block.node.tag]), stats.cues[i]
            ended += i > title and bool(cues & _ENDS)
        long_before = 0.0 if stats.long[i] else long_before + 1
    return paths, under


def _long_after(long: list[bool]) -> list[float]:
    after = [0.0] * len(long)
    distance = 99.0
    for i in range(len(long) - 1, -1, -1):
        after[i] = distance
        distance = 0.0 if long[i] else distance + 1
    return after


def _page_totals(blocks: list[Block], stats: TextStats) -> Row:
    return [
        stats.size,
        float(len(blocks)),
        sum([b.size * b.linked for b in blocks]) / stats.size,
        sum([b.size for b in compress(blocks, stats.long)]) / stats.size,
        float(sum([c >> _PRICE & 1 for c in stats.cues])),
        float(sum([c >> _DATE & 1 for c in stats.cues])),
        float(sum([b.node.tag == "li" for b in blocks])),
    ]
