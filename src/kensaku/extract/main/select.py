"""Select the blocks of the main content.

features → probabilities → the selection with the best expected F1
"""

from __future__ import annotations

from kensaku.extract.main import features, model
from kensaku.extract.main.blocks import Block, in_context
from kensaku.extract.main.features import PageFacts

_MOST_BLOCKS = 10_000  # with more, a simple rule: the model takes a second for every 10,000
_FEW_WORDS = 120  # a page this small has little to drop, and all of it may matter
_BOILERPLATE = ("nav", "header", "footer", "aside", "form")
_LARGE_GROUP = 10  # paragraphs of one element
_REPEAT_WORDS = 5  # shorter texts repeat in tables and lists for good reason


def select_blocks(blocks: list[Block], facts: PageFacts) -> list[Block]:
    """Return the blocks of the main content, in reading order."""
    if not blocks:
        return []
    if len(blocks) > _MOST_BLOCKS or sum(b.size for b in blocks) < _FEW_WORDS:
        plain = [b for b in blocks if _is_simple_content(b)]
        return plain or blocks
    shares = model.probabilities(features.rows(blocks, facts))
    selected = best_selection(shares, [b.size for b in blocks])
    selected = _complete_groups(blocks, selected)
    return drop_repeats([b for b, own in zip(blocks, selected, strict=True) if own])


def _complete_groups(blocks: list[Block], selected: list[bool]) -> list[bool]:
    """Select all paragraphs of an element when nearly all of them are selected.

    The model drops the end of a long text because it is far from the top of the page.
    """
    groups: dict[tuple[int, str], list[int]] = {}
    for n, block in enumerate(blocks):
        if block.node.tag in ("p", "li", "pre") and block.linked < 0.5:
            groups.setdefault((id(block.node.parent), block.node.tag), []).append(n)
    for members in groups.values():
        if len(members) >= _LARGE_GROUP and sum(selected[n] for n in members) >= 0.8 * len(members):
            for n in members:
                selected[n] = True
    return selected


def _is_simple_content(block: Block) -> bool:
    return block.linked < 0.7 and not any(in_context(block.node, name) for name in _BOILERPLATE)


def drop_repeats(blocks: list[Block]) -> list[Block]:
    """Drop repeated texts: sites send some twice, for wide and for narrow screens."""
    seen: set[str] = set()
    unique = []
    for block in blocks:
        if block.size < _REPEAT_WORDS or block.node.tag == "pre" or block.text not in seen:
            unique.append(block)
        seen.add(block.text)
    return unique


def best_selection(shares: list[float], sizes: list[float]) -> list[bool]:
    """Select blocks from the most probable down, as long as the expected F1 rises.

    With `share × size` words of each block wanted, a selection of n words, w of them wanted, of W
    wanted on the whole page, has an expected F1 of 2w / (n + W). The threshold that follows is low
    on pages where much is uncertain, and high on clear ones.
    """
    wanted = sum(p * n for p, n in zip(shares, sizes, strict=True))
    order = sorted(range(len(shares)), key=lambda i: -shares[i])
    selected = [False] * len(shares)
    words = right = best = 0.0
    best_at = 0
    for at, i in enumerate(order):
        words += sizes[i]
        right += shares[i] * sizes[i]
        expected = 2 * right / (words + wanted) if words else 0.0
        if expected > best or (expected == best and sizes[i] == 0):
            best, best_at = expected, at
    for i in order[: best_at + 1]:
        selected[i] = True
    return selected
