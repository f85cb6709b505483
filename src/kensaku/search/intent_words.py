"""The cues of `intent.py`: words and shapes that give a query's kind away, English and Japanese."""

from __future__ import annotations

import re

from kensaku.search.cues import Cue

# --- programs

# Languages, frameworks, tools and formats whose names mean nothing else.
TECHNOLOGY = Cue(
    """javascript | typescript | golang | kotlin | haskell | elixir | clojure | ocaml | fortran
    cobol | erlang | php | c# | f# | c++ | .net | dotnet | asp.net | vba | objective-c | solidity
    verilog | webassembly | wasm | node.js | nodejs | deno | next.js | nextjs | nuxt | vue | vue.js
    angular | angularjs | svelte | sveltekit | jquery | redux | react native | webpack | vite
    eslint | babel | npm | yarn | pnpm | npx | tailwind | tailwindcss | pandas | numpy | scipy
    matplotlib | django | flask | fastapi | pydantic | pytest | asyncio | sqlalchemy | celery
    pytorch | tensorflow | keras | scikit-learn | sklearn | hugging face | huggingface | langchain
    llamaindex | cuda | opencv | cv2 | conda | virtualenv | pip | pip3 | jupyter | boto3 | scrapy
    beautifulsoup | openpyxl | tkinter | uvicorn | spring boot | hibernate | maven | gradle | jvm
    junit | laravel | symfony | ruby on rails | activerecord | sql | mysql | mariadb | postgres
    postgresql | psql | sqlite | mongodb | mongoose | redis | elasticsearch | graphql | grpc
    protobuf | prisma | docker | docker-compose | dockerfile | kubernetes | kubectl | k8s
    helm chart | terraform | ansible | nginx | apache2 | jenkins | github actions | gitlab | git
    bitbucket | bash | zsh | powershell | cmd.exe | shell script | cmake | makefile | gcc | clang
    llvm | gdb | valgrind | crontab | linux kernel | systemd | systemctl | ssh | xpath | regex
    regexp | json | yaml | toml | csv | xml | css | html | html5 | websockets? | cors | oauth
    oauth2 | jwt | rest api | webhooks? | tokio | serde | cargo | rustc | goroutines? | xcode
    swiftui | flutter | jetpack compose | android studio | vim | neovim | vscode | vs code
    selenium | playwright | puppeteer | firebase | dataframe | groupby | stdin | stdout | localhost
    ffmpeg | opengl | vulkan | cmdlet | xcrun | jest | expo | mocha | vitest | cypress | nestjs
    express.js | axios | rabbitmq | airflow | hadoop | llama.cpp | vllm | ollama | streamlit
    gradio | plotly | seaborn | polars | div | flexbox | iframe | kotlin | latex | openssl | curl
    wget | rsync | tmux | homebrew | apt-get | virtualbox | vagrant | grafana | prometheus""",
    "シェルスクリプト 正規表現 プログラミング言語 Go言語 C言語 R言語 ローカルホスト コンパイラ",
)
# Languages whose names mean something else, too: in English, not in Japanese text.
LANGUAGE = Cue(
    "python | python3 | rust | ruby | java | swift | perl | scala | lua | matlab | react"
)
SHORT_LANGUAGE = re.compile(r"(?<![\w.])(?:Go|C|R|Dart|Julia|AWS|Linux|Excel|GAS)(?![A-Za-z0-9_'])")
IN_LANGUAGE = Cue(
    shape=r"(?:in|with|using|for) (?:python|rust|ruby|java|swift|perl|scala|lua|go|react)"
)
# Words of programming: beside the name of a language they leave no doubt.
PROGRAMMING = Cue(
    """code | coding | source | script | functions? | methods? | class | classes | modules?
    packages? | library | libraries | frameworks? | sdk | apis? | cli | plugins? | crates?
    arrays? | lists? | strings? | dict | dictionary | tuples? | loops? | iterate | iterator
    generators? | sort | sorting | parse | parser | parsing | async | await | asynchronous
    threads? | threading | multiprocessing | concurrency | imports? | decorators? | generics?
    lambda | closures? | pointers? | structs? | traits? | enums? | interface | inheritance
    type hints? | typing | regular expressions? | debounce | throttle | callback | promises?
    http | router | middleware | endpoint | components? | hooks? | implement | implementation
    refactor | unit tests? | mock | mocking | compile | compiler | gil | garbage collector
    garbage collection | ownership | borrow checker | memory leak | recursion | algorithm
    variables? | integers? | floats? | booleans? | null | nil | objects? | snippets? | boilerplate
    files? | dates? | tutorial | programming | virtual environment | dataclass | dataclasses
    comprehension | syntax | operators? | examples?""",
    """使い方 書き方 作り方 使い分け サンプル 実装 関数 配列 リスト 文字列 変数 クラス メソッド
    ライブラリ フレームワーク パッケージ モジュール ソース コード 違い 入門 読み込 書き込 変換
    並び替え 並べ替え ソート 非同期 並列 コマンド 型定義 型ヒント 型推論 ジェネリクス 継承
    デコレータ ポインタ 構造体 辞書 ループ 繰り返し 例外処理 環境構築 設定 インストール テスト
    デバッグ リファクタ 設計 クエリ 結合 取得 削除 追加 更新 比較 自作 プラグイン スクリプト
    プログラム コンポーネント フック アルゴリズム クライアント サーバ ランタイム とは する方法
    したい フォーマット 言語 並行 処理 ファイル 日付 オブジェクト 内包表記 スレッド マクロ""",
)
# What people ask of a technology, or of its namesake, without wanting code.
BUSINESS = Cue(
    """release date | release | released | lifespan | snakes? | species | habitat | captivity | zoo
    pets? | prices? | pricing | stocks? | shares | salary | jobs? | certification | company | ceo
    founders? | who created | who made | who founded | history of | logo | end of life
    conference | bootcamp | removal | remover | remove rust | stains? | necklace | rings? | island
    coffee | monty | birds? | acquisition | ipo | net worth | interview | courses? | degree
    popularity | market share | taylor | employees | headquarters | gemstones? | courier | bank""",
    """リリース日 発売日 株価 年収 求人 転職 資格 会社 創業 歴史 料金 値段 価格 ニュース 試験日
    将来性 市場 合格率 スクール 難易度 買収 社長""",
)
REPOSITORY = Cue(
    """repos? | repository | repositories | source code | git clone | code snippets? | sample code
    code examples? | example code | npm packages? | pypi | crates.io | pull requests? | readme
    gists? | dotfiles | github | stackoverflow | stack overflow""",
    "リポジトリ レポジトリ ソースコード サンプルコード コード例 ギットハブ",
)
OPEN_SOURCE = Cue("open source | open-source | opensource | oss | foss", "オープンソース")
SOFTWARE = Cue(
    """library | libraries | frameworks? | tools? | alternatives? | engines? | clients? | servers?
    router | editor | apps? | implementations? | projects? | software | databases? | sdk | cli
    parser | models? | self-hosted | self hosted""",
    """ライブラリ フレームワーク ツール 代替 エンジン エディタ 実装 プロジェクト ソフト データベース
    モデル アプリ""",
)
OWNER_AND_NAME = re.compile(
    r"(?:^|\s)[A-Za-z0-9][A-Za-z0-9-]{1,38}/(?=[\w.-]*[A-Za-z]{2})[A-Za-z0-9_.-]{3,100}(?=\s|$)"
)
NOT_OWNER_AND_NAME = Cue(
    """and/or | his/her | he/she | him/her | tcp/ip | client/server | read/write | input/output
    on/off | yes/no | pros/cons | black/white | male/female | either/or | hiv/aids | day/night
    true/false | win/loss | food/drink | import/export | buy/sell | rent/buy | start/stop""",
    shape=r"(?:\d+|km|miles|lgbt|cats?|mother|father|breakfast|summer|spring|winter|husband)/\w+",
)
_START, _END = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
_SHAPES = (
    r"[A-Za-z_]\w{0,80}\(\)",  # print()
    rf"{_START}[a-z]{{2,40}}[0-9]{{0,4}}(?:[A-Z][a-z0-9]{{1,40}}){{1,9}}{_END}",  # getElementById
    rf"{_START}[a-z][a-z0-9]{{0,40}}(?:_[a-z0-9]{{1,40}}){{1,9}}{_END}",  # max_tokens
    rf"{_START}[A-Za-z]\w{{0,80}}::\w",  # std::vector
    r"(?<![\w./@-])[a-z_]{2,40}\.\w{3,40}\.\w{2}",  # os.path.join
    r"(?<![\w./@-])[a-z_]{3,40}\.[a-z]\w{4,40}(?![\w./@-])",  # asyncio.gather
)
IDENTIFIER = re.compile("|".join(_SHAPES))
HOST_NAME = re.compile(
    r"(?<![\w.-])(?:[\w-]{1,63}\.){1,5}(?:com|org|net|info|edu|gov|example|store|online|shop)\b",
    re.IGNORECASE,
)

# --- what programs say when they fail

EXCEPTION = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"[A-Z]\w{0,80}[a-z](?:Error|Exception|Fault|Panic|Warning)"
    r"|ERR_[A-Z_]{3,40}|SQLSTATE\W?\w{0,9}|SIG(?:SEGV|KILL|ABRT|TERM|BUS|ILL)"
    r"|E(?:CONN|ADDR|HOST|TIMED|RESOLVE|ACCES|PERM|NOENT|EXIST|PIPE|INTEGRITY)[A-Z]{0,20}"
    r"|ORA-\d{4,5}|TS\d{4,5}|CS\d{4}|LNK\d{4}|MSB\d{4}|NU\d{4}|E0\d{3}|0x8[0-9A-Fa-f]{7}"
    r"|[A-Z]{1,20}_[A-Z]{1,20}_ERROR)(?![A-Za-z0-9_])"
)
MESSAGE = Cue(
    """segmentation fault | segfault | core dumped | undefined reference to | no module named
    no such table | no such file or directory | command not found | permission denied | stacktrace
    access denied for user | certificate verify failed | bad gateway | syntax error | stack trace
    nil pointer | null pointer | nullpointer | out of memory | heap space | deadlock detected
    use of moved value | borrowed value | type mismatch | unsupported operand | division by zero
    object has no attribute | already allocated | address already in use | non-zero exit
    error response from daemon | crashloopbackoff | imagepullbackoff | refusing to merge
    detached head | too many open files | broken pipe | assertion failed | merge conflict
    externally-managed-environment | view does not exist | blue screen of death""",
    """接続が拒否され アクセスが拒否され セグメンテーション違反 コマンドが見つかりません
    許可がありません スタックトレース ファイルやディレクトリはありません モジュールが見つか
    コンパイルエラー コンパイルできない ビルドエラー ビルドに失敗 ビルドが通らない 実行時エラー
    構文エラー 文法エラー 型エラー 内部サーバーエラー メモリ不足エラー ぬるぽ""",
    r"""traceback \(most recent
    npm err
    error\[\w{1,20}\]
    unresolved (?:external|import|reference)
    undefined (?:method|variable|function|index|symbol)
    is not (?:a function|defined|callable|subscriptable|iterable|recognized as|assignable)
    (?:undefined|null|none|nil) is not
    cannot read propert(?:y|ies)
    (?:cannot|can't|could not|couldn't|unable to) (?:find|resolve|import|open|load|locate|connect)
    connection (?:refused|reset by peer|timed out)
    failed to (?:push|compile|build|load|resolve|fetch|start|parse|connect|install|execute|bind)
    failed to (?:mount|open|create|initialize|allocate)
    unexpected (?:token|indent|eof|end of|identifier)
    invalid (?:syntax|literal|memory address|pointer)
    index out of (?:range|bounds)
    exit(?:ed)?(?: with)? (?:code|status) \d+
    status code [45]\d\d""",
)
PREFIX = re.compile(
    r"(?:^|\s)(?:fatal|panic|error|exception|uncaught|unhandled|warning)\s?:\s"
    r"|^[a-z][a-z0-9_.-]{0,20}:\s.*\b(?:not|no|cannot|can't|unable|invalid|failed|missing|unknown)\b",
    re.IGNORECASE,
)
TROUBLE = Cue(
    """errors? | exceptions? | crash | crashes | crashed | crashing | fail | fails | failing
    failed | failure | not working | rejected | refused | denied | timeouts? | timed out | hangs?
    unreachable | prematurely | not found | missing | conflict | warnings? | broken | stuck | bug
    deprecated | warn | 500 | 502 | 503 | 504 | 400 | 401 | 403 | 404""",
    """エラー 例外 警告 失敗 落ちる クラッシュ れない しない きない かない わない らない ません
    表示され 発生 認識され 止まる フリーズ 不具合 バグ 拒否 文字化け タイムアウト 対処法
    解決方法""",
    r"(?:doesn'?t|does not|didn'?t|did not|won'?t|isn'?t|can'?t|cannot) \w+",
)
HANDLING = Cue(
    """error handling | error-handling | handle errors? | handling errors? | handle exceptions?
    handling exceptions? | try catch | try/catch | custom errors? | custom exceptions?
    throw errors? | throw exceptions? | throw an error | throw an exception | error boundary""",
    "例外処理 エラーハンドリング エラー処理 エラーメッセージの書き方",
)

# --- where and how research is published

IDENTIFIED = re.compile(
    r"(?<![\d.])10\.\d{4,9}/[^\s\"<>]{2}|arxiv\.org/|doi\.org/|\bPMID:?\s?\d|\bPMC\d{5}"
    r"|(?:^|\s|arxiv:?\s?)\d{4}\.\d{4,5}(?:v\d{1,2})?\s*$",
    re.IGNORECASE,
)
LITERATURE = Cue(
    """arxiv | biorxiv | medrxiv | chemrxiv | ssrn | pubmed | semantic scholar | google scholar
    openreview | ieee xplore | jstor | cinii | j-stage | preprints? | et al | clinical trials?
    studies of | cited by | bibtex | peer-reviewed | peer reviewed | meta-analysis | meta-analyses
    meta analysis | double-blind | double blind | randomized controlled | randomised controlled
    randomized trials? | randomised trials? | case-control | best papers? | best paper award""",
    """論文 先行研究 査読 プレプリント システマティックレビュー 系統的レビュー メタアナリシス
    メタ解析 メタ分析 ランダム化 無作為化 コホート研究 症例対照 症例報告 臨床試験 臨床研究 治験結果
    文献レビュー 文献調査 文献を探 サーベイ 学術誌 学術雑誌 学会誌 学会発表 国際会議 研究動向
    研究報告 原著 紀要 二重盲検 疫学研究 縦断研究 実証研究 に関する研究 についての研究 の研究成果
    最新研究 最新の研究 研究事例 研究結果 引用数 被引用 エビデンスレベル 学術文献 科学的根拠""",
    r"""scholarly (?:articles?|work|sources?)
    (?:research|survey|review|academic|scientific|conference|seminal|original|journal) papers?
    papers? (?:on|about|by|from|that|which|describing|introducing|proposing|using|for|in|showing)
    (?:journal|research|scientific|academic|review|original) articles?
    recent (?:advances|progress|developments) in
    cite:
    (?:scientific|clinical|empirical) stud(?:y|ies)
    (?:systematic|literature|scoping) reviews?
    (?:cohort|longitudinal|cross-sectional|observational|ablation) stud(?:y|ies)
    stud(?:y|ies) (?:on|about|showing|finding|linking|that|comparing|examining)
    research (?:on|about|into)
    (?:doctoral|phd|master'?s) thesis
    dissertations? on
    what (?:does|do) (?:the )?(?:literature|research|studies|science|evidence) say
    published in (?:nature|science|cell|the lancet|jama|nejm|pnas)
    (?:neurips|nips|icml|iclr|cvpr|iccv|eccv|emnlp|naacl|aaai|siggraph|acl|kdd|sigir) '?\d{2,4}""",
)
PAPERS_AT_END = re.compile(
    r"\b(?:papers?|publications?)\s*(?:\d{4}|pdf|explained|summary)?\s*$", re.IGNORECASE
)
# Two of them make it research.
ACADEMIC = Cue(
    """study | studies | research | researchers | journal | literature | evidence | effect of
    effects of | impact of | association | correlation | efficacy | hypothesis | findings | trials?
    abstract | academic | scientific | scholars? | citations? | theoretical | empirical
    methodology | statistically | published | off-target | in vitro | in vivo | prevalence"""
)
# One of each makes it research, too.
OVERVIEW = Cue(
    """survey | surveys | review | advances | overview | theory | mechanisms? | state of the art
    state-of-the-art | benchmark | abstract | interpretability | taxonomy"""
)
SCIENCE = Cue(
    """neural | transformers? | learning | quantum | protein | genome | genes? | cells? | cancer
    therapy | disease | clinical | cognitive | molecular | climate | materials | polymers?
    nanoparticles? | bacteria | virus | vaccines? | insulin | microbiome | catalysts? | algorithms?
    graph | bayesian | reinforcement | language models? | diffusion | embeddings? | robotics
    superconductors? | semiconductors? | galaxies | black holes? | neurons? | epidemiology"""
)
_RESEARCH_JA = "(?:研究|文献|学術|実験結果|知見|エビデンス)"
_FINDING_JA = "(?:効果|影響|関連|関係|相関|有効性|機序|メカニズム|要因|評価|文献)"
ACADEMIC_JA = re.compile(
    f"{_RESEARCH_JA}.*{_FINDING_JA}|{_FINDING_JA}.*{_RESEARCH_JA}|\\s研究(?:論文)?\\s*$"
)
NOT_PAPERS = Cue(
    """toilet paper | printer paper | white papers? | wrapping paper | rice paper | sandpaper
    parchment paper | wax paper | tissue paper | construction paper | photo paper | origami
    wallpaper | wall paper | newspapers? | how to write | write a | write an | writing | recycle
    recycled | recycling | exam papers? | question papers? | past papers? | rock paper
    study abroad | bullet journal | wall street journal | trial version | free trials?
    market research | case study | case studies""",
    "小論文 卒論 感想文 自由研究",
    r"""paper (?:air)?planes?
    paper (?:towels?|bags?|cups?|sizes?|straws?|clips?|mache|crafts?|cranes?|boats?|folding|money)
    paper (?:mario|shredder|cutter|weight|plates?|flowers?|route|jam|mill|making|boy)
    study (?:tips|guide|music|table|room|visa|desk)
    academic (?:calendar|year|advisor)""",
)
NOT_PAPERS_JA = re.compile(
    "(?:論文|参考文献).{0,6}(?:書き方|書く|構成|フォーマット|テンプレート|提出|添削|代行|印刷|製本|締切|"
    "締め切り|コツ|表紙|体裁|面接|試験|対策|文字数)"
)
FIELD = Cue(
    """deep | learning | neural | networks? | transformers? | attention | bidirectional
    convolutional | diffusion | models? | modeling | optimization | stochastic | adversarial
    representations? | embeddings? | image | recognition | segmentation | detection | generation
    generative | language | understanding | reasoning | inference | estimation | scalable
    efficient | toward | towards | via | unified | benchmark | dataset | few-shot | zero-shot
    adaptation | self-supervised | unsupervised | supervised | reinforcement | graph | bayesian
    causal | quantum | genome | protein | analysis | approach | evaluation | survey | fine-tuning
    large-scale | low-rank | distributed | distillation | residual | retrieval | augmented | sparse
    prediction | classification | robust | visual | sequence | semantic | alignment
    pre-training | pretraining"""
)

# --- what has just happened

NEWS = Cue(
    """news | headlines? | breaking | live updates? | updates? | press conference | what happened
    happening | latest | this week | current events | election results? | today | today's
    right now | yesterday | last night | this morning | tonight | death toll | reactions?
    reshuffle | earnings report | who won | announces | announced | what's new with""",
    """ニュース 速報 最新 号外 報道 会見 昨日 きのう 昨夜 今朝 けさ きょう 今日 本日 今週 試合結果
    選挙結果 選挙の結果 開票 逮捕 被害状況 訃報 さきほど 先ほど 現在の状況 受賞者 発表した""",
)
NOT_NEWS = Cue(
    """weather | forecast | time is it | what day | lottery | horoscope | recipes? | tv guide
    newsletters? | crossword | windows updates? | software updates? | near me | open today
    latest version | latest model | newspapers?""",
    "天気 気温 占い 運勢 献立 レシピ 新聞紙 何曜日 日の出 何の日 番組表 最新機種 最新モデル 最新版",
)
