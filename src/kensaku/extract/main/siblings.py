"""Features of cards: like siblings that each hold a link, as teasers of other stories do.

nodes → groups of siblings with the same tag and class → the nearest group of cards around a block
"""

from __future__ import annotations

from kensaku.extract.main.blocks import Node

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

    def add(self, node: Node) -> int:
        """Add a child, and return which one it is."""
        at = self.count
        self.count += 1
        self.blocks += node.blocks
        self.images += node.images
        self.links += node.linked > 0
        self.size += node.size
        self.linked += node.linked
        return at

    def numbers(self, page: float) -> list[float]:
        """Return the features that all cards share, without the second; none for other groups.

        Cards have several blocks each, and most of them a link.
        """
        count = self.count
        if count < _FEWEST or self.blocks <= count or self.links * 3 < count * 2:
            return []
        return [
            float(count),
            self.size / count,
            self.linked / (self.size or 1.0),
            self.links / count,
            self.images / count,
            self.blocks / count,
            0.0,
            self.size / page,
        ]


class SiblingStats:
    """Find the card that a block is part of, and measure it with its like siblings."""

    def __init__(self, nodes: list[Node], size: float) -> None:
        """`nodes` are all that hold blocks, from the outside in."""
        groups: dict[tuple[Node | None, str], _Group] = {}
        places: list[tuple[_Group, int]] = []
        for node in nodes:
            key = node.parent, node.kind
            group = groups.get(key)
            if group is None:
                group = groups[key] = _Group()
            places.append((group, group.add(node)))
        shared = {group: group.numbers(size) for group in groups.values()}
        self._cards: dict[Node | None, list[float]] = {None: _NONE}
        for node, (group, at) in zip(nodes, places, strict=True):
            found = self._cards[node.parent]
            if numbers := shared[group]:
                found = [numbers[0], float(at), *numbers[1:]]
            elif found is not _NONE:
                found = list(found)
                found[7] += 1
            self._cards[node] = found

    def measure(self, node: Node) -> list[float]:
        """Return the features in the order of `SIBLING_NAMES`; zeros where there is no card."""
        return self._cards[node]
