"""Features of the containers around a block: size, share of links, length of texts, names."""

from __future__ import annotations

from kensaku.extract.main.blocks import Block, Node
from kensaku.extract.main.textstats import is_long

_LEVELS = 4
_PART = 0.6  # a container with more of the page's words is not a part but the whole page
_FADE = 0.6  # factor on a text's weight for each level further up

# How far up the best container is; the share of the main one; how far up the one of the title is,
# its share and its blocks; the names of all containers as bits.
_Landmarks = tuple[int, float, int, float, float, int]
_NO_MARKS: _Landmarks = (-1, 0.0, -1, 0.0, 0.0, 0)


class ContainerStats:
    """Measure containers, each once."""

    NAMES = (
        *(
            f"box{level}:{what}"
            for level in range(1, _LEVELS + 1)
            for what in ("size", "linked", "blocks", "mean", "long", "share", "stops", "images")
        ),
        "best_up", "in_best", "main_share", "h1_up", "h1_share", "h1_blocks",
    )  # fmt: skip

    def __init__(self, blocks: list[Block], nodes: list[Node], size: float) -> None:
        """`nodes` are all that hold blocks, from the outside in."""
        self._size = size
        self._levels_of: dict[Node, list[float]] = {}
        self._best = _best(blocks)
        self._title = _ancestors(next((b.node for b in blocks if b.node.tag == "h1"), None))
        self._marks: dict[Node | None, _Landmarks] = {None: _NO_MARKS}
        for node in nodes:
            self._marks[node] = self._add_level(node, self._marks[node.parent])

    def measure(self, node: Node) -> tuple[list[float], int]:
        """Return the features in the order of `NAMES`, and the containers' names as bits."""
        best_up, main, title_up, title_share, title_blocks, bits = self._marks[node]
        # The items of a list share the containers around them.
        while node.blocks <= 1 and node.parent is not None:
            node = node.parent
        levels = self._levels_of.get(node)
        if levels is None:
            levels = self._levels_of[node] = self._measure_levels(node)
        inside = float(best_up), float(best_up >= 0), main
        return [*levels, *inside, float(title_up), title_share, title_blocks], bits

    def _measure_levels(self, box: Node) -> list[float]:
        """Measure this container, then the nearest ones that each hold more blocks."""
        numbers: list[float] = []
        least = 1
        for _ in range(_LEVELS):
            while box.blocks <= least and box.parent is not None:
                box = box.parent
            least = box.blocks
            size = box.size or 1.0
            numbers += [
                box.size,
                box.linked / size,
                float(box.blocks),
                box.size / (box.blocks or 1),
                box.long / size,
                box.size / self._size,
                box.stops / size,
                box.images / (box.blocks or 1),
            ]
        return numbers

    def _add_level(self, box: Node, outer: _Landmarks) -> _Landmarks:
        """Return how far up the best container and that of the title are, and their shares."""
        best_up, main, title_up, title_share, title_blocks, bits = outer
        share = box.size / self._size
        if share < _PART:
            bits |= box.own
        if box is self._best:
            best_up = 0
        elif best_up >= 0:
            best_up += 1
        if box in self._title:
            title_up, title_share, title_blocks = 0, share, float(box.blocks)
        elif title_up >= 0:
            title_up += 1
        if box.is_main:
            main = main or share  # the outermost counts
        return best_up, main, title_up, title_share, title_blocks, bits


def _ancestors(node: Node | None) -> set[Node]:
    found = set()
    while node is not None:
        found.add(node)
        node = node.parent
    return found


def _best(blocks: list[Block]) -> Node | None:
    """Return the container with most of the long texts close to each other."""
    scores: dict[Node, float] = {}
    for block in blocks:
        if not is_long(block):
            continue
        node, weight = block.node.parent, block.size
        for _ in range(4):
            if node is None:
                break
            scores[node] = scores.get(node, 0.0) + weight
            node, weight = node.parent, weight * _FADE
    return max(scores, key=scores.__getitem__) if scores else None
