"""Sentences as a reader sees them: whole, and without the heading above them. Pure.

    text → lines that stand alone | sentences → joined where an abbreviation or a quote ended none

Passages are cut by the coarser `text.passages.sentences`, where a cut too many costs nothing. An
answer shows a sentence by itself: half of one, or one with a heading glued to it, is wrong there.

pysbd, bunkai and spaCy's sentencizer were compared (docs/benchmarks.md): none is better, and they
take ten to 800 times the CPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kensaku.text.code_blocks import CODE_BLOCK
from kensaku.text.passages import Span, sentences

LONGEST = 600  # characters that joined sentences may have
_CLOSING = 200  # characters in which an open bracket is closed, if it ever is
_TITLE_CHARS = 60  # a longer line is a line of a paragraph
# A full stop after one of these ends no sentence: a name or an example follows.
_NEVER = (
    r"Mr|Mrs|Ms|Messrs|Mme|Mlle|Drs?|Prof|St|Mt|Ft|Gen|Adm|Maj|Col|Cmdr|Capt|Lt|Sgt|Pvt|Rev|Fr|Hon|"
    r"Reps?|Sens?|Gov|Pres|Amb|Supt|Insp|v|vs|ca|cf|viz|approx|e\.g|i\.e|z\.B|d\.h|u\.a|bzw"
)
# After one of these, unless a sentence begins behind it: "the U.S. Army", "in the U.S. The army".
_SELDOM = (
    r"[A-Z]|(?:[A-Z]\.)+[A-Z]|[ap]\.m|Jr|Sr|Inc|Co|Corp|Ltd|Bros|Univ|Dept|Assn|Ave|Blvd|Rd|al|etc|"
    r"Ph\.D"
)
# After one of these, if a figure follows: "No. 5", "Nov. 3", "p. 12", "Vol. II".
_FIGURE = (
    r"[Nn]os?|Nr|[Ff]igs?|[Vv]ols?|[Pp]p?|[Cc]h|[Cc]hap|[Ss]ec|[Aa]rt|[Ee]q|[Tt]ab|[Oo]p|pop|c|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_ABBREVIATION = re.compile(
    rf"(?<![\w.])(?:(?P<never>{_NEVER})|(?P<seldom>{_SELDOM})|(?P<figure>{_FIGURE}))\.[\"')\]]*\s*$"
)
_FIGURE_FOLLOWS = re.compile(r"[#(]?(?:\d|[IVXLC]+\b)")
_BEGINS = re.compile(
    r"(?:The|This|That|These|Those|An?|He|She|It|They|We|You|His|Her|Its|Their|Our|My|There|Here|In|"
    r"On|At|By|For|From|To|With|As|After|Before|During|Since|Until|While|When|Where|Who|What|Why|How|"
    r"If|But|And|Or|So|Yet|However|Although|Though|Because|Some|Many|Most|Several|Both|All|Each|No|"
    r"Not|Other|Another|Also|Then|Later|Today|Now|Yes|According|Despite|Among|Under|Over)\b"
)
# Behind a closed quotation, or a ! or ?, a particle goes on with the sentence: 「行く。」と言った.
_QUOTED_END = re.compile(r"(?:[。！？!?…][」』）)]|[」』]。|[！？!?])\s*$")
_PARTICLE = re.compile(
    r"と(?!ころ|ても|もに|はいえ|にかく|りわけ)|って|が|を|に(?!わか|も)|の(?!ち)|は(?!じめ|い)|"
    r"も(?!し|う|ちろん|っと)|で(?!も|は|す)|など|や(?!が)|から|まで|より|[、，。」』）]"
)
_BRACKETS = (("「", "」"), ("『", "』"), ("（", "）"))
_NUMBER = re.compile(r"[ \t]*\d{1,3}[.)][ \t]+")  # of a list item
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MARKED = re.compile(r"[ \t]*(?:#{1,6}[ \t]|[-*•][ \t]|\d{1,3}[.)][ \t]|\|)")
_STOP = (".", "!", "?", "…", "。", "！", "？", ":", "：", ",", "、", ";")


def whole_sentences(text: str) -> Iterator[Span]:
    """Yield start and end of each sentence, list item, table row and line of code.

    Headings and the fences of code are left out.
    """
    for start, end in _blocks(text):
        number = _NUMBER.match(text, start, end)
        for at, stop in joined_sentences(text, number.end() if number else start, end):
            yield (start if number and at == number.end() else at), stop


def joined_sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of a stretch that is all text; together they cover it."""
    first = None
    for at, stop in sentences(text, start, end):
        begin = at if first is None else first
        if stop < end and stop - begin < LONGEST and _goes_on(text, begin, stop):
            first = begin
            continue
        first = None
        yield begin, stop
    if first is not None:
        yield first, end


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether the sentence from `start` that seems to end at `end` goes on behind it."""
    if text[max(start, end - 2) : end].endswith("\n"):
        return False
    after = text[end : end + 20].lstrip()
    if after[:1].islower() and text[end - 1] != "。":
        return True
    if not text.isascii() and (_is_quoted(text, end, after) or _is_open(text, start, end)):
        return True
    found = _ABBREVIATION.search(text, max(start, end - 20), end)
    if found is None:
        return False
    if found["figure"]:
        return bool(_FIGURE_FOLLOWS.match(after))
    return bool(found["never"]) or not _BEGINS.match(after)


def _is_quoted(text: str, end: int, after: str) -> bool:
    """Whether a quotation ends here, and the sentence that has it does not."""
    return bool(_PARTICLE.match(after)) and bool(_QUOTED_END.search(text, max(0, end - 4), end))


def _is_open(text: str, start: int, end: int) -> bool:
    """Whether a bracket is open that is closed in the same paragraph."""
    for opening, closing in _BRACKETS:
        if text.count(opening, start, end) > text.count(closing, start, end):
            paragraph = text[end : end + _CLOSING].partition("\n\n")[0]
            return closing in paragraph
    return False


def _blocks(text: str) -> Iterator[Span]:
    """Yield paragraphs, and what stands by itself: marked lines, and lines of code."""
    at = 0
    for block in CODE_BLOCK.finditer(text):
        yield from _paragraphs(text, at, block.start())
        yield from (line.span() for line in _LINE.finditer(text, *block.span("code")))
        at = block.end()
    yield from _paragraphs(text, at, len(text))


def _paragraphs(text: str, start: int, stop: int) -> Iterator[Span]:
    """Yield the stretches between blank lines; headings and marked lines each by themselves."""
    fresh = True  # a block begins here
    for match in _LINE.finditer(text, start, stop):
        line = match[0]
        at, end = match.span()
        alone = _MARKED.match(line) or (fresh and _is_title(line, text[end : end + 80]))
        if alone or not line.strip():
            if start < at:
                yield start, at
            if line.strip() and not _is_heading(line, marked=bool(_MARKED.match(line))):
                yield at, end
            start = end
        fresh = bool(alone) or not line.strip()
    if start < stop:
        yield start, stop


def _is_heading(line: str, *, marked: bool) -> bool:
    """Whether a line that stands alone says nothing by itself. One with a figure may."""
    if marked:
        return line.lstrip().startswith("#")
    return not any(c.isdigit() for c in line)


def _is_title(line: str, after: str) -> bool:
    """Whether the first line of a block is a heading: short, without a stop, and text follows."""
    line, after = line.strip(), after.partition("\n")[0].strip()
    if not line or not after or len(line) > _TITLE_CHARS or line.endswith(_STOP):
        return False
    return not after[0].islower() and len(after) > len(line)
