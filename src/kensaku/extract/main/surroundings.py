"""Features of the second stage: how the first one scored the blocks around a block.

scores → neighbours, windows, containers, blocks of the same kind, sections, the page
"""

from __future__ import annotations

from itertools import accumulate

from kensaku.extract.main.blocks import HEADINGS, Block, Node
from kensaku.extract.main.textstats import Kind, repeated_kind

_REACH = 4
_WINDOWS = (4, 10, 25)
_LEVELS = 5
NAMES = (
    "score",
    *(f"score{step:+d}" for step in range(-_REACH, _REACH + 1) if step),
    *(f"{side}{width}" for width in _WINDOWS for side in ("before", "after")),
    *(f"box_score{level}" for level in range(1, _LEVELS + 1)),
    "kind_score", "section_score", "heading_score", "page_score", "page_wanted", "unsure",
    "wanted_before", "since_first", "until_last", "since_wanted", "until_wanted",
)  # fmt: skip


def surroundings(blocks: list[Block], scores: list[float]) -> list[list[float]]:
    """Return the features of each block in the order of `NAMES`."""
    weights = [b.size + 0.5 for b in blocks]
    wanted = [p * w for p, w in zip(scores, weights, strict=True)]
    count = len(blocks)
    sums = [0.0, *accumulate(wanted)]
    words = [0.0, *accumulate(weights)]
    padded = [*[0.0] * _REACH, *scores, *[0.0] * _REACH]
    boxes = _box_means(blocks, weights, wanted)
    kinds = _kind_means(blocks, scores)
    sections = _section_means(blocks, weights, wanted, scores)
    steps = _steps(scores)
    total = sums[-1] or 1.0
    unsure = sum(w for w, p in zip(weights, scores, strict=True) if 0.2 < p < 0.8) / words[-1]
    page = [sums[-1] / words[-1], sums[-1], unsure]
    result = []
    for i in range(count):
        windows = []
        for width in _WINDOWS:
            low, high = max(0, i - width), min(count, i + width + 1)
            windows.append((sums[i] - sums[low]) / (words[i] - words[low] or 1.0))
            windows.append((sums[high] - sums[i + 1]) / (words[high] - words[i + 1] or 1.0))
        result.append([
            scores[i], *padded[i : i + _REACH], *padded[i + _REACH + 1 : i + 2 * _REACH + 1],
            *windows, *boxes[i], kinds[i], *sections[i], *page, sums[i] / total, *steps[i],
        ])  # fmt: skip
    return result


def _box_means(blocks: list[Block], weights: list[float], wanted: list[float]) -> list[list[float]]:
    """Return the mean score of the containers around a block, from the nearest outwards."""
    totals = _box_totals(blocks, weights, wanted)
    means: dict[int, list[float]] = {}
    for block in blocks:
        if id(block.node) not in means:
            means[id(block.node)] = _level_means(block.node, totals)
    return [means[id(b.node)] for b in blocks]


def _box_totals(
    blocks: list[Block], weights: list[float], wanted: list[float]
) -> dict[int, list[float]]:
    """Return, for each container by its id, the words in it and how many are expected right."""
    totals: dict[int, list[float]] = {}
    by_depth: dict[int, dict[int, Node]] = {}
    for block, weight, right in zip(blocks, weights, wanted, strict=True):
        node = block.node
        by_depth.setdefault(node.depth, {})[id(node)] = node
        found = totals.setdefault(id(node), [0.0, 0.0])
        found[0] += weight
        found[1] += right
    for depth in range(max(by_depth), 0, -1):  # each container once, from the innermost outwards
        for node in by_depth.get(depth, {}).values():
            outer = node.parent
            if outer is None:
                continue
            by_depth.setdefault(outer.depth, {})[id(outer)] = outer
            weight, right = totals[id(node)]
            found = totals.setdefault(id(outer), [0.0, 0.0])
            found[0] += weight
            found[1] += right
    return totals


def _level_means(node: Node, totals: dict[int, list[float]]) -> list[float]:
    means, least = [], 1
    for _ in range(_LEVELS):
        while node.blocks <= least and node.parent is not None:
            node = node.parent
        least = node.blocks
        weight, right = totals[id(node)]
        means.append(right / weight)
    return means


def _kind_means(blocks: list[Block], scores: list[float]) -> list[float]:
    """Return the mean score of the other blocks with the same tags and classes; -1 if none."""
    keys = [repeated_kind(b.node) for b in blocks]
    sums: dict[Kind, list[float]] = {}
    for key, score in zip(keys, scores, strict=True):
        found = sums.setdefault(key, [0.0, 0.0])
        found[0] += 1
        found[1] += score
    return [
        (sums[key][1] - score) / (sums[key][0] - 1) if sums[key][0] > 1 else -1.0
        for key, score in zip(keys, scores, strict=True)
    ]


def _section_means(
    blocks: list[Block], weights: list[float], wanted: list[float], scores: list[float]
) -> list[tuple[float, float]]:
    """Return the mean score of the text under a heading, and the score of the heading."""
    starts = [i for i, b in enumerate(blocks) if b.node.tag in HEADINGS]
    means: list[tuple[float, float]] = []
    for start, end in zip([0, *starts], [*starts, len(blocks)], strict=True):
        if start < end:
            mean = sum(wanted[start:end]) / sum(weights[start:end])
            means += [(mean, scores[start])] * (end - start)
    return means


def _steps(scores: list[float]) -> list[list[float]]:
    """Count the blocks from the first, to the last, from the previous and to the next wanted."""
    count = len(scores)
    likely = [i for i, p in enumerate(scores) if p > 0.5]
    first, last = (likely[0], likely[-1]) if likely else (0, count)
    since, until = [99.0] * count, [99.0] * count
    for steps, order in ((since, range(count)), (until, range(count - 1, -1, -1))):
        distance = 99.0
        for i in order:
            steps[i] = distance
            distance = 0.0 if scores[i] > 0.5 else distance + 1
    return [[float(i - first), float(last - i), since[i], until[i]] for i in range(count)]
