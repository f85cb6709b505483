"""Features of cards: like siblings that each hold a link, as teasers of other stories do.

nodes → groups of siblings with the same tag and class → the nearest group of cards around a block
"""

from __future__ import annotations

from kensaku.extract.main.blocks import Block, Node

SIBLING_NAMES = (
    "card_count", "card_at", "card_size", "card_linked", "card_links", "card_images",
    "card_blocks", "card_up", "card_share",
)  # fmt: skip
_FEWEST = 3  # siblings: two columns of a page are not a list
_NONE = [0.0] * len(SIBLING_NAMES)


class _Group:
    """The children of one node that have the same tag and class."""

    __slots__ = ("blocks", "count", "images", "linked", "links", "size")

    def __init__(self) -> None:
        self.count = self.blocks = self.images = self.links = 0
        self.size = self.linked = 0.0

    @property
    def is_cards(self) -> bool:
        """Tell whether these are cards: several blocks in each, and a link in most."""
        return (
            self.count >= _FEWEST and self.blocks > self.count and self.links * 3 >= self.count * 2
        )


class SiblingStats:
    """Find the card that a block is part of, and measure it with its like siblings."""

    def __init__(self, blocks: list[Block], size: float) -> None:
        self._size = size
        self._groups: dict[tuple[int, str], _Group] = {}
        self._places: dict[int, tuple[_Group, int]] = {}  # by node: its group, and which it is
        self._cards: dict[int, list[float]] = {}
        for block in blocks:
            self._add(block.node)

    def _add(self, node: Node) -> None:
        """Add a node and those around it to their groups, each once."""
        outer = node.parent
        while outer is not None and id(node) not in self._places:
            key = id(outer), node.kind
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = _Group()
            self._places[id(node)] = group, group.count
            group.count += 1
            group.blocks += node.blocks
            group.images += node.images
            group.links += node.linked > 0
            group.size += node.size
            group.linked += node.linked
            node, outer = outer, outer.parent

    def measure(self, node: Node) -> list[float]:
        """Return the features in the order of `SIBLING_NAMES`; zeros where there is no card."""
        path: list[Node] = []
        climb: Node | None = node
        while climb is not None and id(climb) not in self._cards:
            path.append(climb)
            climb = climb.parent
        found = _NONE if climb is None else self._cards[id(climb)]
        for box in reversed(path):
            found = self._cards[id(box)] = self._card(box, found)
        return found

    def _card(self, node: Node, outer: list[float]) -> list[float]:
        place = self._places.get(id(node))
        if place is None or not place[0].is_cards:
            if outer is _NONE:
                return _NONE
            further = list(outer)
            further[7] += 1
            return further
        group, at = place
        return [
            float(group.count),
            float(at),
            group.size / group.count,
            group.linked / (group.size or 1.0),
            group.links / group.count,
            group.images / group.count,
            group.blocks / group.count,
            0.0,
            group.size / self._size,
        ]
