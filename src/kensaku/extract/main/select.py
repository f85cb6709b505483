"""Which blocks are the main content.

numbers → probabilities → the selection with the best F1 to be expected
"""

from __future__ import annotations

from kensaku.extract.main import features, model
from kensaku.extract.main.blocks import Block, in_context
from kensaku.extract.main.features import PageFacts

_MOST_BLOCKS = 10_000  # beyond, a simple rule: the model takes a second for every 10,000
_FEW_WORDS = 120  # in a page this small there is little to lose, and all of it may matter
_AROUND = ("nav", "header", "footer", "aside", "form")
_LIKE = 10  # paragraphs of one element that make a habit
_REPEAT_WORDS = 5  # shorter texts repeat in tables and lists for good reason


def choose(blocks: list[Block], facts: PageFacts) -> list[Block]:
    """The blocks of the main content, in reading order."""
    if not blocks:
        return []
    if len(blocks) > _MOST_BLOCKS or sum(b.size for b in blocks) < _FEW_WORDS:
        plain = [b for b in blocks if _is_plainly_content(b)]
        return plain or blocks
    shares = model.probabilities(features.rows(blocks, facts))
    taken = best_selection(shares, [b.size for b in blocks])
    taken = _with_their_like(blocks, taken)
    return without_repeats([b for b, take in zip(blocks, taken, strict=True) if take])


def _with_their_like(blocks: list[Block], taken: list[bool]) -> list[bool]:
    """Where nearly all the paragraphs of one element are content, the others are, too: a long text
    does not end because its end is far from the top of the page."""
    groups: dict[tuple[int, str], list[int]] = {}
    for n, block in enumerate(blocks):
        if block.node.tag in ("p", "li", "pre") and block.linked < 0.5:
            groups.setdefault((id(block.node.parent), block.node.tag), []).append(n)
    for members in groups.values():
        if len(members) >= _LIKE and sum(taken[n] for n in members) >= 0.8 * len(members):
            for n in members:
                taken[n] = True
    return taken


def _is_plainly_content(block: Block) -> bool:
    return block.linked < 0.7 and not any(in_context(block.node, name) for name in _AROUND)


def without_repeats(blocks: list[Block]) -> list[Block]:
    """Sites send the same text once for wide and once for narrow screens; it is said once."""
    seen: set[str] = set()
    kept = []
    for block in blocks:
        if block.size < _REPEAT_WORDS or block.node.tag == "pre" or block.text not in seen:
            kept.append(block)
        seen.add(block.text)
    return kept


def best_selection(shares: list[float], sizes: list[float]) -> list[bool]:
    """Take blocks from the surest down, as long as the F1 that we expect still rises.

    With `share × size` words of each block wanted, a selection of n words, w of them wanted, of W
    wanted on the whole page, has an expected F1 of 2w / (n + W). The bound this sets is low on
    pages where much is unsure, and high on clear ones.
    """
    wanted = sum(p * n for p, n in zip(shares, sizes, strict=True))
    order = sorted(range(len(shares)), key=lambda i: -shares[i])
    taken = [False] * len(shares)
    words = right = best = 0.0
    best_at = 0
    for at, i in enumerate(order):
        words += sizes[i]
        right += shares[i] * sizes[i]
        expected = 2 * right / (words + wanted) if words else 0.0
        if expected > best or (expected == best and sizes[i] == 0):
            best, best_at = expected, at
    for i in order[: best_at + 1]:
        taken[i] = True
    return taken
