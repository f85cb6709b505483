"""The boxes around a block: how large, how linked, how wordy, and what they are called."""

from __future__ import annotations

from kensaku.extract.blocks import Block, Node
from kensaku.extract.textstats import is_long

_LEVELS = 4
_PART = 0.6  # a box with more of the page's words is not a part of the page but the whole
_FADE = 0.6  # of a text's weight for each level further up


class Boxes:
    """Measures boxes, each once."""

    NAMES = (
        *(
            f"box{level}:{what}"
            for level in range(1, _LEVELS + 1)
            for what in ("size", "linked", "blocks", "mean", "long", "share", "stops")
        ),
        "best_up", "in_best", "main_share", "h1_up", "h1_share", "h1_blocks",
    )  # fmt: skip

    def __init__(self, blocks: list[Block], size: float) -> None:
        self._size = size
        self._known: dict[int, tuple[list[float], int]] = {}
        self._best = _best(blocks)
        self._title = _around(next((b.node for b in blocks if b.node.tag == "h1"), None))

    def measure(self, node: Node) -> tuple[list[float], int]:
        """The boxes around a node in the order of `NAMES`, and their names as bits."""
        known = self._known.get(id(node))
        if known is None:
            landmarks, bits = self._landmarks(node)
            known = self._known[id(node)] = (self._grow(node) + landmarks, bits)
        return known

    def _grow(self, box: Node) -> list[float]:
        """The nearest boxes that each hold more blocks than the one before."""
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
            ]
        return numbers

    def _landmarks(self, node: Node) -> tuple[list[float], int]:
        """How far up the best box and the box of the title are, and what lies between."""
        up, bits = 0, 0
        best_up, title_up, main, title_share, title_blocks = -1, -1, 0.0, 0.0, 0.0
        climb: Node | None = node
        while climb is not None:
            share = climb.size / self._size
            if share < _PART:
                bits |= climb.own
            if climb is self._best:
                best_up = up
            if title_up < 0 and id(climb) in self._title:
                title_up, title_share, title_blocks = up, share, float(climb.blocks)
            if climb.is_main:
                main = share
            climb, up = climb.parent, up + 1
        inside = [float(best_up), float(best_up >= 0), main]
        return [*inside, float(title_up), title_share, title_blocks], bits


def _around(node: Node | None) -> set[int]:
    held = set()
    while node is not None:
        held.add(id(node))
        node = node.parent
    return held


def _best(blocks: list[Block]) -> Node | None:
    """The box that holds most of the long texts close to each other."""
    scores: dict[int, float] = {}
    nodes: dict[int, Node] = {}
    for block in blocks:
        if not is_long(block):
            continue
        node, weight = block.node.parent, block.size
        for _ in range(4):
            if node is None:
                break
            nodes[id(node)] = node
            scores[id(node)] = scores.get(id(node), 0.0) + weight
            node, weight = node.parent, weight * _FADE
    return nodes[max(scores, key=scores.__getitem__)] if scores else None
