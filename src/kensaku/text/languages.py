"""Guess the language of a text; stop words by language: small tables, no dictionary.

Only what tokenisation needs: the script decides between CJK and the rest, and for the
Latin and Cyrillic scripts the commonest words decide. A wrong guess costs a stem, not a result:
a query is stemmed in every language that its collection holds.
"""

from __future__ import annotations

import re

# ISO 639-1 → the Snowball algorithm's name.
STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}

_WORDS = {
    "en": (
        "a about above after again all also am an and any are as at be because been before being "
        "below between both but by can could did do does doing don down during each few for from "
        "further had has have having he her here hers him his how i if in into is it its itself "
        "just me more most my no nor not now of off on once only or other our ours out over own s "
        "same she should so some such t than that the their theirs them then there these they "
        "this those through to too under until up very was we were what when where which while "
        "who whom why will with would you your yours"
    ),
    "de": (
        "aber als am an auch auf aus bei bin bis bist da damit das dass dem den der des die doch "
        "du durch ein eine einem einen einer eines er es für hat hatte ich ihr im in ist ja kann "
        "mit nach nicht noch nur oder sein sich sie sind so über um und uns unter vom von vor war "
        "was wenn wer wie wir wird zu zum zur"
    ),
    "fr": (
        "à au aux avec ce ces cette dans de des du elle en est et eux il ils je la le les leur "
        "lui ma mais me même mes moi mon ne nos notre nous on ou où par pas pour qu que qui sa se "
        "ses son sont sur ta te tes toi ton tu un une vos votre vous c d j l m n s t y été être"
    ),
    "es": (
        "a al algo como con cual de del desde donde el ella ellos en entre era es esta este está "
        "fue ha hay la las le les lo los más me mi muy no nos o para pero por que qué se sin "
        "sobre son su sus también te tiene un una uno y ya"
    ),
    "it": (
        "a ad al alla anche che chi ci come con da dal della dei del delle di e è gli ha hanno i "
        "il in io la le lo ma mi nel nella non o per più quale quando questo se si sono su sul "
        "suo tra un una uno"
    ),
    "pt": (
        "a ao aos as até com como da das de do dos e é ela ele em entre era essa esse esta este "
        "foi há isso já mais mas me muito na não nas no nos o os ou para pela pelo por qual que "
        "se sem ser seu sua são também te um uma"
    ),
    "nl": (
        "aan al als bij dat de der deze die dit doch door een en er had heb heeft het hij hoe ik "
        "in is kan maar me meer met mij naar niet nog nu of om onder ons ook op over te tot u uit "
        "van veel voor waren was wat we wel wij wordt ze zich zij zijn zo"
    ),
    "sv": (
        "alla att av blev bli den det där de dem denna detta du efter ej eller en er ett från för "
        "ha hade han hon här i icke inte jag kan man med men mot mycket ni nu när någon och om på "
        "sedan sig sin som så till under upp ut var vi vid är över"
    ),
    "ru": (
        "а без бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее "
        "если есть еще же за здесь и из или им их к как ко когда кто ли мне мы на не него нет ни "
        "них но ну о об он она они оно от по при с со так такой там то того только ты у уже что "
        "чтобы эта эти это я"
    ),
}

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _WORDS.items()
}

# Word → the languages in which it is that common.
_COMMON: dict[str, tuple[str, ...]] = {
    word: tuple(code for code, words in STOP_WORDS.items() if word in words)
    for word in frozenset().union(*STOP_WORDS.values())
}

_SCRIPTS = (
    ("ja", re.compile(r"[\u3041-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
)
_SAMPLE = 240  # characters that are looked at: the start of a text tells its language
_CERTAIN = 2  # so many common words more than English has, or it is taken for English


def guess_language(text: str) -> str:
    """Return the likely language of `text`, as ISO 639-1; `en` when nothing speaks against it."""
    sample = text[:_SAMPLE]
    if not sample.isascii():
        for code, script in _SCRIPTS:
            if script.search(sample):
                return code
    # Words with a comma or a full stop are missed, which hurts no language more than another.
    common = _COMMON.keys() & sample.lower().split()
    if len(common) < _CERTAIN:
        return "en"
    votes = dict.fromkeys(STOP_WORDS, 0)
    for word in common:
        for code in _COMMON[word]:
            votes[code] += 1
    best = max(votes, key=votes.__getitem__)
    return best if votes[best] >= votes["en"] + _CERTAIN else "en"
