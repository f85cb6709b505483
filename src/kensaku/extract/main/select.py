"""Select the blocks of the main content.

features → probabilities → the selection with the best expected F1, rows of tables whole
"""

from __future__ import annotations

from itertools import pairwise

from kensaku.extract.main import model
from kensaku.extract.main.blocks import CONTEXT, Block, in_context
from kensaku.extract.main.kinds import KINDS
from kensaku.extract.main.signals import PageFacts
from kensaku.extract.main.tables import Table, data_tables
from kensaku.extract.main.textstats import Kind, repeated_kind

_MOST_BLOCKS = 10_000  # with more, a simple rule: the model takes seconds for every 10,000
_FEW_WORDS = 120  # a page this small has little to drop, and all of it may matter
_BOILERPLATE = ("nav", "header", "footer", "aside", "form")
_SMALL_TABLE = 20  # rows
_LARGE_GROUP = 10  # paragraphs of one element
_REPEAT_WORDS = 5  # shorter texts repeat in lists for good reason
_LISTS = ("product", "collection", "listing")
_MOSTLY = 0.5
_PRE = CONTEXT["pre"]


def select_blocks(blocks: list[Block], facts: PageFacts) -> list[Block]:
    """Return the blocks of the main content, in reading order."""
    if not blocks:
        return []
    if len(blocks) > _MOST_BLOCKS or sum(b.size for b in blocks) < _FEW_WORDS:
        return _simple_content(blocks)
    shares, kinds = model.probabilities(blocks, facts)
    return choose(blocks, shares, folds=folds_repeats(kinds))


def choose(blocks: list[Block], shares: list[float], *, folds: bool = False) -> list[Block]:
    """Select blocks by the share of each that is expected to be main content.

    With `folds`, a text that was selected is not selected again, wherever it stands.
    """
    tables = data_tables(blocks)
    sizes = [b.size for b in blocks]
    selected = best_selection(_even_tables(tables, shares, sizes), sizes)
    selected = _keep_code(blocks, _complete_groups(blocks, selected))
    in_tables = {at for table in tables for row in table for at in row}
    return _drop_repeats(blocks, selected, in_tables, folds)


def _even_tables(tables: list[Table], shares: list[float], sizes: list[float]) -> list[float]:
    """Give all cells of a row, or of a small table, their mean share: they stay together.

    Without its head, a row of figures says nothing. Of a long table some rows may be enough.
    """
    even = list(shares)
    for table in tables:
        parts = table if len(table) > _SMALL_TABLE else [[at for row in table for at in row]]
        for part in parts:
            weights = [sizes[at] + 0.5 for at in part]
            wanted = sum(shares[at] * w for at, w in zip(part, weights, strict=True))
            for at in part:
                even[at] = wanted / sum(weights)
    return even


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


def _keep_code(blocks: list[Block], selected: list[bool]) -> list[bool]:
    """Select code between selected texts: half of the answers learned from leave it out."""
    texts = [at for at, b in enumerate(blocks) if not b.node.context & _PRE]
    if len(texts) == len(blocks):
        return selected
    for before, after in pairwise(texts):
        if selected[before] and selected[after]:
            for at in range(before + 1, after):
                selected[at] = True
    return selected


def _simple_content(blocks: list[Block]) -> list[Block]:
    """Drop menus and other surroundings of the content, by tags only.

    A tag around more than half of the words is the page itself: ASP.NET puts all into one form.
    """
    total = sum(b.size for b in blocks)
    dropped = [
        name
        for name in _BOILERPLATE
        if sum(b.size for b in blocks if in_context(b.node, name)) <= total / 2
    ]
    content = [
        b
        for b in blocks
        if b.linked < 0.7 and not any(in_context(b.node, name) for name in dropped)
    ]
    return content or blocks


def folds_repeats(kinds: list[float]) -> bool:
    """Tell whether a page of these kinds repeats its texts without meaning to: it lists things."""
    return sum(kinds[KINDS.index(name)] for name in _LISTS) > _MOSTLY


def _drop_repeats(
    blocks: list[Block], selected: list[bool], in_tables: set[int], folds: bool
) -> list[Block]:
    """Drop repeated texts: sites send some twice, for wide and for narrow screens.

    A chorus, or a meal of two days, stands in the same kind of place each time, and stays.
    """
    seen: dict[str, set[Kind]] = {}
    unique = []
    for at, (block, own) in enumerate(zip(blocks, selected, strict=True)):
        if not own:
            continue
        places = seen.setdefault(block.text, set())
        may_repeat = block.size < _REPEAT_WORDS or block.node.tag == "pre" or at in in_tables
        place = repeated_kind(block.node)
        if may_repeat or not places or (not folds and place in places):
            unique.append(block)
        places.add(place)
    return unique


def best_selection(shares: list[float], sizes: list[float]) -> list[bool]:
    """Select blocks from the most probable down, as long as the expected F1 rises.

    With `share × size` words of each block wanted, a selection of n words, w of them wanted, of W
    wanted on the whole page, has an expected F1 of 2w / (n + W). The threshold that follows is low
    on pages where much is uncertain, and high on clear ones. Blocks of one share stay together.
    """
    wanted = sum(p * n for p, n in zip(shares, sizes, strict=True))
    order = sorted(range(len(shares)), key=lambda i: -shares[i])
    words = right = best = 0.0
    threshold = shares[order[0]] if order else 1.0
    for i in order:
        words += sizes[i]
        right += shares[i] * sizes[i]
        expected = 2 * right / (words + wanted) if words else 0.0
        if expected > best:
            best, threshold = expected, shares[i]
    return [share >= threshold for share in shares]
