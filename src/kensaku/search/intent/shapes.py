"""Patterns that speak for papers, code, errors or news: identifiers, exceptions, titles. Pure."""

from __future__ import annotations

import re

SHORT_LANGUAGE = re.compile(r"(?<![\w.])(?:Go|C|R|GAS|VB|SAS|DAX)(?![A-Za-z0-9_'])")
OWNER_AND_NAME = re.compile(
    r"(?:^|\s)[A-Za-z0-9][A-Za-z0-9-]{1,38}/(?=[\w.-]*[A-Za-z]{2})[A-Za-z0-9_.-]{3,100}(?=\s|$)"
)
_START, _END = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
_SHAPES = (
    r"[A-Za-z_]\w{0,80}\(\)",  # print()
    # getElementById, and not arXiv
    rf"{_START}(?!arXiv|bioRxiv|medRxiv)"
    rf"[a-z]{{2,40}}[0-9]{{0,4}}(?:[A-Z][a-z0-9]{{1,40}}){{1,9}}{_END}",
    rf"{_START}[a-z][a-z0-9]{{0,40}}(?:_[a-z0-9]{{1,40}}){{1,9}}{_END}",  # max_tokens
    rf"{_START}[A-Za-z]\w{{0,80}}::\w",  # std::vector
    r"(?<![\w./@-])[A-Za-z_]{2,40}(?:\.[A-Za-z_]\w{1,40}){2}",  # os.path.join
    r"(?<![\w./@-])[a-z_]{3,40}\.[a-z]\w{4,40}(?![\w./@-])",  # asyncio.gather
)
IDENTIFIER = re.compile("|".join(_SHAPES))
# AsyncClient, StyleGAN3; ggplot2, lme4: how libraries are named, and some other things.
LIKE_A_NAME = re.compile(
    rf"{_START}[A-Z]{{0,3}}(?:[A-Z][a-z]{{1,40}}){{2,5}}{_END}|{_START}(?:NS|UI|Q)[A-Z][a-z]{{3,40}}{_END}|{_START}[A-Z][a-z]{{2,40}}[A-Z]{{2,9}}\d?{_END}"
    rf"|{_START}[a-z]{{2,20}}\d{{1,2}}{_END}"
)
FILE_NAME = re.compile(
    r"\w\.(?:py|js|ts|tsx|jsx|java|c|cpp|h|rs|go|rb|php|sh|sql|ya?ml|json|toml|xml|html|css|sty|dll"
    r"|so|jar|exe|conf|ini|lock|service|txt|log|md|ipynb|env|gradle|csv|tf|kt|swift|vue|lua|ps1|bat)(?![A-Za-z0-9_])"
)
OPTION = re.compile(r"(?:^|\s)--?[a-z][a-z-]{0,30}(?=[\s=]|$)|(?<=\s)-[a-z](?=\s)")
# What sentences have no use for.
SYMBOL = re.compile(r"[{}\[\]=;@$<>|\\`*~^]|\w\(|::|->|//|\)\.|\.\*|&&|[a-z]\.[a-z]+\(")
HOST_NAME = re.compile(
    r"(?<![\w.-])(?:[\w-]{1,63}\.){1,5}(?:com|org|net|info|edu|gov|example|store|online|shop)\b",
    re.IGNORECASE,
)
EXCEPTION = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"[A-Z]\w{0,80}[a-z](?:Error|Exception|Fault|Panic|Warning|Problem|Failure)"
    r"|ERR_[A-Z_]{3,40}|SQLSTATE\W?\w{0,9}|SIG(?:SEGV|KILL|ABRT|TERM|BUS|ILL)"
    r"|E(?:CONN|ADDR|HOST|TIMED|RESOLVE|ACCES|PERM|NOENT|EXIST|PIPE|INTEGRITY)[A-Z]{0,20}"
    r"|ORA-\d{4,5}|TS\d{4,5}|CS\d{4}|LNK\d{4}|MSB\d{4}|NU\d{4}|E0\d{3}|0x[0-9A-Fa-f]{6,8}|x509"
    r"|[A-Z]{1,20}_[A-Z]{1,20}_ERROR|NO_PUBKEY|[A-Z]\w{2,40}::[A-Z]\w{3,60}|(?:[a-z]{2,20}\.){1,5}[A-Z]\w{3,60}(?=:\s))"
    r"(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_])nullreferenceexception|\b(?:type|value|key|name|index|import|syntax"
    r"|attribute|runtime)error\b"
    r"|\be(?:conn\w{3,9}|addrinuse|noent|acces|perm|timedout|pipe)\b"
    r"|#(?:N/A|REF!|VALUE!|NAME\?|DIV/0!)|Exception in thread|Traceback"
)
PREFIX = re.compile(
    r"(?:^|\s|!)(?:\w+ )?(?:fatal|panic|error|exception|uncaught|unhandled|warning|failed)\s?:\s"
    r"|^[a-z][a-z0-9_.-]{0,20}:\s.*\b(?:not|no|cannot|can't|unable|invalid|failed|missing|unknown"
    r"|wrong|bad|problem|error|denied|refused)\b"
    r"|^\w{3}\s+\d{1,2}\s\d\d:\d\d:\d\d\s|^error in \S+\(|\bERR!|^\s*File \"|^at \S+ \("
    r"|^\[?(?:error|fatal|warn(?:ing)?)(?:[\]:!]|\s[\d(])|\[\w+ (?:warn|error)\]"
    r"|(?<!\w)\w{1,40}\.[a-z]{1,5}:\d+(?::\d+)?\b"
    r"|\b(?:panicked|aborted|crashed) at\b",
    re.IGNORECASE,
)
# What a person quotes is what the screen said.
QUOTED = re.compile(r"[\"'「『`“][^\"'」』`”]{12,}[\"'」』`”]|(?:と|って)(?:出|表示|言われ|怒られ)")
# A number or address that stands for one paper.
IDENTIFIED = re.compile(
    r"(?<![\d.])10\.\d{4,9}/[^\s\"<>]{2}|arxiv\.org/|doi\.org/|nature\.com/articles/|science\.org/doi|ncbi\.nlm"
    r"|sciencedirect\.com/science|link\.springer\.com|ieeexplore\.ieee|dl\.acm\.org|jstage\.jst|openreview\.net"
    r"|\bPMID:?\s?\d|\bPMC\d{5}"
    r"|(?:^|\s|arxiv:?\s?)\d{4}\.\d{4,5}(?:v\d{1,2})?\s*$|\bhal-\d{7,8}\b|\barXiv[: ]\s?\d{4}\.\d",
    re.IGNORECASE,
)
PAPERS_AT_END = re.compile(
    r"\b(?:papers?|publications?|studies|study)\s*(?:\d{4}|pdf|explained|summary)?\s*\??$",
    re.IGNORECASE,
)
LATINATE = re.compile(
    r"\b[a-z]{3,30}(?:tions?|sions?|ity|ities|isms?|ances?|ences?|ology|ologies|metrics?|ography"
    r"|ical|ional|ative|ized?|ization|ics|osis|itis|emia|ous|lysis|lytic|genic|ular|ation)\b",
    re.IGNORECASE,
)
COMPOUND = re.compile(r"\b[a-z]{3,20}-[a-z]{4,20}\b", re.IGNORECASE)
NAME_AND_TITLE = re.compile(r"^[A-Z][\w+-]{2,30}(?:\s[\w-]+){0,4}: [A-Z]\w+(?:\s\S+){2}")
AUTHOR_AND_YEAR = re.compile(
    r"\b[A-Z][a-z]{2,20}(?: (?:and|&) [A-Z][a-z]{2,20})?,? \(?(?:18|19|20)\d\d\b"
    r"|^[a-z ]{4,60} [a-z]{4,15} (?:19|20)[0-2]\d$|[一-龯]{2,4}\s(?:19|20)\d\d\s"
    r"|[一-龯]ら\s?[(（]?(?:19|20)\d\d"
)
NOT_PAPERS_JA = re.compile(
    "(?:論文|参考文献).{0,6}(?:書き方|書く|構成|フォーマット|テンプレート|提出|添削|代行|印刷|製本|締切|"
    "締め切り|コツ|表紙|体裁|面接|試験|対策|文字数|テーマ|決め方)|学会発表(?!論文)"
)
FACT = re.compile(
    r"^(?:in |at |on |to |of )?(?:what|whats|which|who|whose|when|where|why|how|is it|can i)\b"
    r"|^(?:does|do|difference between)\b"
    r"|何年|何人|何歳|何です|何という|何と呼|のは(?:いつ|どこ|誰|何|なぜ)?[?？。]?$"
    r"|は(?:何|いつ|どこ|誰)"
    r"|どの|のか$|違い$|とは$|仕組み$|誰(?:か|ですか)?$|した(?:人|人物|会社|年)[はで]?$",
    re.IGNORECASE,
)
PAST_YEAR = re.compile(r"(?<!\d)(?:1[0-9]\d\d|20[01]\d)(?!\d)")
HOW_TO = re.compile(
    r"\bhow (?:to|do i|do you|can i|does|do)\b|方法|やり方|するには|したい|には$", re.IGNORECASE
)
