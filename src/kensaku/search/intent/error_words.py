"""Evidence of a program that fails: names of exceptions, messages, and how people tell of it."""

from __future__ import annotations

import re

from kensaku.search.intent.cues import Cue

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
# What programs say, word for word.
MESSAGE = Cue(
    """segmentation fault | segfault | core dumped | undefined reference to | no module named
    no such table | no such file or directory | command not found | permission denied
    stacktrace | access denied for user | certificate verify failed | bad gateway | syntax error
    stack trace | nil pointer | null pointer | nullpointer | out of memory | heap space
    deadlock detected | use of moved value | borrowed value | type mismatch | unsupported operand
    division by zero | object has no attribute | already allocated | address already in use
    non-zero exit | oom-kill | error response from daemon | crashloopbackoff | imagepullbackoff
    refusing to merge | detached head | too many open files | broken pipe | assertion failed
    merge conflict | externally-managed-environment | blue screen of death | gateway timeout
    service unavailable | internal server error | runtime error | fatal error | critical error
    compile error | build error | linker error | undefined control sequence | runaway argument
    missing package | no space left on device | host key verification failed
    segmentation violation | core dump | unhandled exception | build failed | undefined symbol
    no such device | operation not permitted | access is denied | 401 unauthorized
    403 forbidden | too many requests | quota exceeded | certificate has expired
    handshake failure | name resolution | host unreachable | network is unreachable
    device or resource busy | cannot allocate memory | resource temporarily unavailable
    bus error | illegal instruction | floating point exception | stack smashing | double free
    use after free | null reference | object reference not set | mismatched types
    incompatible types | cannot be resolved | circular import | circular dependency
    import cycle | partially initialized module | multiple definition | redefinition of
    implicit declaration | peer dependency | version conflict | checksum mismatch | hash mismatch
    unterminated string | missing semicolon | too many re-renders | hydration failed | oomkilled
    readiness probe failed | context deadline exceeded | i/o timeout | bad interpreter
    not a directory | exec format error | stack overflow error | read-only file system
    database is locked | kernel panic | not syncing""",
    """接続が拒否され アクセスが拒否され セグメンテーション違反 コマンドが見つかりません
    許可がありません スタックトレース ファイルやディレクトリはありません モジュールが見つか
    コンパイルエラー コンパイルできない ビルドエラー ビルドに失敗 ビルドが通らない 実行時エラー
    構文エラー 文法エラー 型エラー 内部サーバーエラー メモリ不足エラー ぬるぽ 重大なエラー
    認識されていません 見つかりません 参照できません 許可されていません 予期しない
    権限がありません 異常終了 証明書エラー 循環参照 型が一致しません 未定義
    スタックオーバーフロー デッドロック 依存関係エラー 接続エラー 認証エラー コンパイルが通らない
    内部コマンド 承認エラー 既に使用され カーネルパニック ハードフォルト 未解決の""",
    r"""traceback \(most recent
    npm err
    error\[\w{1,20}\]
    unresolved (?:external|import|reference)
    undefined (?:method|variable|function|index|symbol|control)
    (?:is|was|are) not (?:a function|defined|callable|subscriptable|iterable|recognized as)
    (?:is|was|are) not (?:assignable|a valid|initialized)
    (?:undefined|null|none|nil) is not
    cannot read propert(?:y|ies)
    there is no \w+ (?:called|named)
    missing \d+ required
    connection (?:refused|reset by peer|timed out|to the server)
    failed (?:building|to) \w+
    (?:could not|unable to) \w+
    (?:does|do|did) not (?:exist|match|have|support|complete|implement|contain)
    unexpected (?:token|indent|eof|end of|identifier|character|keyword)
    (?:invalid|unknown|illegal) (?:syntax|literal|memory|pointer|argument|option|token|column)
    (?:index|array|list index) (?:\w+ )?(?:out of|exceeds) \w+
    exit(?:ed)?(?: with)? (?:code|status):? \d+
    (?:status code|http|error) [45]\d\d
    no matching (?:distribution|function|version|host)
    (?:request entity|payload|argument list) too (?:large|long)
    shape mismatch
    (?:maximum|max) \w+ (?:\w+ )?exceeded""",
)
# Sentences about what went wrong: programs say them, and people, too.
COMPLAINT = Cue(
    shape=r"""(?:is|was|are|were) not (?:found|transferred|responding|supported|allowed|valid)
    (?:is|was|are|were) not (?:installed|available|able)
    (?:was|were|has been|have been) (?:refused|rejected|destroyed|denied|aborted|terminated|killed)
    (?:doesn't|don't|didn't|can't) (?:exist|match|have|support|complete|implement|contain|connect)
    (?:cannot|can't|couldn't|can not) \w+
    you do not have permission
    (?:missing|expected|requires) (?:\w+ )?(?:required|positional|argument|token|module|keyword)
    (?:failure|fails) (?:to|with|because|at) \w+
    failed (?:with|because|at) \w+
    (?:reached|exceeded|exceeds) (?:your|the) \w+
    violates \w+
    bad \w+
    (?:invalid|unknown|wrong|illegal) \w+
    error code:? \d+
    (?:keeps|kept|keep) (?:dying|crashing|failing|restarting|freezing|telling)
    stuck (?:in|on|at)
    how do i (?:fix|solve|get past)"""
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
TROUBLE = Cue(
    """error | exception | crash | crashes | crashed | crashing | fail | fails | failing | failed
    failure | not working | rejected | refused | denied | timeout | timed out | hang
    unreachable | prematurely | not found | missing | warning | broken | stuck | bug | deprecated
    warn | 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503
    504 | freezes | freezing | wont | doesnt | throws | throwing | breaks | blocking | blocked
    blank | suddenly | no matching | mismatch | diverged | incompatible | duplicate | exits
    even though | tells me | disappeared | unexpectedly | insufficient | pending | expired
    invalid | exhausted | dropped | complains | complaining | rejects | not starting | destroyed
    killed | corrupted | undefined | not responding | oom""",
    """エラー 例外 警告 失敗 落ちる クラッシュ れない しない きない かない わない らない ません
    せない けない めない 表示され 発生 認識され 止まる フリーズ 不具合 バグ 拒否 文字化け
    タイムアウト 対処 解決 おかしい 直し方 直らない 原因 回避 になる と出 って出 動かない
    通らない 繋がらない なくなった なくなる 言われ 怒られ ブロックされ 消えない 固まっ
    終了してしまう 壊れ 合わない 出ました が出る 真っ白 解決しない どうすれば わからない 急に
    不足 してしまう のまま 進まない ループしてしまう 無限ループ 無効 不明な 期限切れ""",
    r"(?:doesn'?t|does not|didn'?t|did not|won'?t|isn'?t|can'?t|cannot) \w+",
)
HANDLING = Cue(
    """error handling | error-handling | handle error | handling error | handle exception
    handling exception | try catch | try/catch | custom error | custom exception | throw error
    throw exception | throw an error | throw an exception | error boundary""",
    "例外処理 エラーハンドリング エラー処理 エラーメッセージの書き方",
)
