"""Evidence of code: names, words and shapes, English and Japanese."""

from __future__ import annotations

import re

from kensaku.search.intent.cues import Cue

# Languages, libraries, tools and formats whose names mean nothing else.
TECHNOLOGY = Cue(
    """javascript | typescript | golang | kotlin | haskell | elixir | clojure | ocaml | fortran
    cobol | erlang | php | c# | f# | c++ | .net | dotnet | vba | vb.net | vbscript | objective-c
    solidity | verilog | systemverilog | vhdl | webassembly | wasm | zig | gdscript | prolog
    common lisp | emacs lisp | autohotkey | applescript | stata | spss | simulink | labview
    mathematica | x86 | armv7 | assembly language | micropython | circuitpython | postscript
    node | node.js | nodejs | deno | next.js | nextjs | nuxt | vue | vue.js | angular | angularjs
    svelte | sveltekit | jquery | redux | zustand | rxjs | react native | webpack | vite
    esbuild | eslint | babel | npm | yarn | pnpm | npx | tailwind | tailwindcss | sass | scss
    css | html | html5 | jsx | tsx | htmx | three.js | d3.js | chart.js | p5.js | electron app
    storybook | jest | mocha | vitest | cypress | nestjs | express.js | axios | ajax | webrtc
    localstorage | indexeddb | service worker | flexbox | css grid | iframe | div | bootstrap 5
    material ui | django | flask | fastapi | pydantic | pytest | asyncio | aiohttp | httpx
    urllib3 | sqlalchemy | alembic | celery | gunicorn | uvicorn | starlette | mypy | pylint
    flake8 | pipenv | virtualenv | setuptools | pyproject | pip | pip3 | conda | miniconda
    boto3 | scrapy | beautifulsoup | openpyxl | tkinter | pyqt | pyside | pygame | cython | numba
    psycopg2 | pymongo | poetry add | pandas | numpy | scipy | matplotlib | seaborn | plotly
    polars | xarray | dask | networkx | statsmodels | scikit-learn | sklearn | xgboost | lightgbm
    catboost | spacy | nltk | gensim | pytorch | tensorflow | keras | jax | onnx | tensorrt
    cuda | cudnn | opencv | cv2 | deepspeed | hugging face | huggingface | langchain | langgraph
    llamaindex | crewai | vllm | llama.cpp | ollama | gradio | streamlit | faiss | qdrant
    milvus | weaviate | pgvector | openai api | mcp server | jupyter | jupyterlab | colab
    rstudio | ggplot | ggplot2 | dplyr | tidyverse | shiny app | dataframe | groupby | latex
    bibtex | tikz | overleaf | xelatex | pdflatex | typst | spring boot | spring security
    hibernate | maven | gradle | jvm | jdk | junit | mockito | jpa | jdbc | tomcat | lombok
    log4j | javafx | asp.net | blazor | linq | wpf | winforms | xamarin | nuget | visual studio
    entity framework | ef core | unity | unity3d | unreal engine | godot | laravel | symfony
    composer install | ruby on rails | rails | activerecord | rspec | bundler | sql | mysql
    mariadb | postgres | postgresql | psql | sqlite | mongodb | mongoose | redis | cassandra
    dynamodb | clickhouse | duckdb | bigquery | sql server | t-sql | pl/sql | stored procedure
    supabase | neo4j | kafka | rabbitmq | spark | pyspark | airflow | hadoop | parquet | prisma
    elasticsearch | opensearch | graphql | grpc | protobuf | openapi | swagger | docker
    docker-compose | dockerfile | podman | kubernetes | kubectl | k8s | minikube | helm | istio
    argocd | terraform | pulumi | cloudformation | ansible | vagrant | jenkins | ci/cd
    github actions | github action | gitlab | gitlab ci | circleci | git | bitbucket | svn
    aws lambda | aws cli | ec2 | s3 bucket | gcloud | cloud run | cloudflare workers | heroku
    nginx | apache2 | httpd | haproxy | traefik | certbot | reverse proxy | prometheus | promql
    grafana | kibana | logstash | opentelemetry | slurm | sbatch | openmpi | openmp | opengl
    vulkan | ffmpeg | imagemagick | bash | zsh | powershell | cmd.exe | cmdlet | shell script
    shell scripts | batch file | cron | crontab | systemd | systemctl | journalctl | iptables
    ssh | sshd | scp | rsync | tmux | chmod | chown | grep | sed | awk | xargs | curl | wget
    openssl | apt | apt-get | dpkg | yum | homebrew | ubuntu | debian | centos | wsl | wsl2
    linux kernel | raspberry pi | arduino | esp32 | stm32 | ros2 | virtualbox | proxmox | cmake
    makefile | gcc | clang | llvm | gdb | valgrind | vim | neovim | emacs | vscode | vs code
    intellij | pycharm | android studio | xcode | xcrun | swiftui | uikit | cocoapods | flutter
    jetpack compose | expo | firebase | tokio | serde | cargo | rustc | goroutine | selenium
    playwright | puppeteer | regex | regexp | json | jsonb | yaml | toml | csv | xml | xpath
    utf-8 | base64 | sha256 | uuid | websocket | cors | oauth | oauth2 | jwt | rest api
    rest apis | webhook | localhost | stdin | stdout | wordpress | drupal | joomla | magento
    shopify liquid | woocommerce | functions.php | htaccess | vlookup | xlookup | countif | sumif
    excel formula | excel macro | google apps script | apps script | power query | discord bot
    telegram bot | slack bot | discord.py | minecraft mod | matlab | qt | pyqt5 | subversion
    sharepoint | winapi | mod_rewrite | jetty | delphi | foxpro | symbian | opencl | sparql
    solr | lucene | hbase | jq | ripgrep | fzf | sqlx | opentofu | keycloak | power automate
    power bi | outlook vba | temporal sdk | snowflake sql | abap | dbt | lodash | zod | drizzle
    trpc | hono | pinia | vuex | ktor | axum | actix | bevy | tauri | wails | flink | etcd
    packer | nixos | guix | bazel | buck2 | meson | ninja build | vcpkg | pdm | ruff | isort
    factory_boy | knex | sequelize | typeorm | liquibase | flyway | jooq | mybatis | quarkus
    micronaut | vert.x | thymeleaf | jsp | servlet | struts | linux | aws | unix
    chrome extension | discord.js""",
    """シェルスクリプト 正規表現 プログラミング言語 Go言語 C言語 R言語 ローカルホスト コンパイラ
    ワードプレス ラズパイ ラズベリーパイ アルドゥイーノ アルディーノ スプレッドシート
    コマンドプロンプト コマンドライン パワーシェル ドッカー クーバネティス ジャバスクリプト
    タイプスクリプト データフレーム""",
    "マクロ(?!経済|的|ビ|レンズ|栄養)",
)
# Names that mean something else, too: in English, not in Japanese text.
LANGUAGE = Cue(
    """python | python3 | rust | ruby | java | swift | perl | scala | lua | react | julia
    oracle | apache | mac os | os x | dart | excel | google sheets | azure | spring | minecraft
    android""",
    "エクセル ユニティ リナックス マイクラ ディスコード",
)
SHORT_LANGUAGE = re.compile(r"(?<![\w.])(?:Go|C|R|GAS|VB|SAS|DAX)(?![A-Za-z0-9_'])")
IN_LANGUAGE = Cue(
    shape=r"(?:in|with|using|for|from) (?:python|rust|ruby|java|swift|perl|scala|lua|go|react|c|r)"
)
# Words that are hardly used outside programs.
PROGRAMMING = Cue(
    """coding | script | scripting | module | sdk | api | cli | tuple | iterate | iterator
    parse | parser | parsing | async | await | asynchronous | gil | multithreading | threading
    multiprocessing | concurrency | decorator | struct | enum | subclass | type hint
    regular expression | debounce | callback | http | middleware | endpoint | refactor
    unit test | mocking | compile | compiler | garbage collector | garbage collection
    borrow checker | memory leak | recursion | recursive | algorithm | variable | integer
    boolean | null | nil | snippet | boilerplate | programming | virtual environment | dataclass
    dataclasses | list comprehension | syntax | source code | daemon | codebase | namespace
    stack overflow | binary search | design pattern | singleton | leetcode | dynamic programming
    dijkstra | big o notation | mutex | semaphore | race condition | hash table | quicksort
    bubble sort | merge sort | bitwise | microservice | monorepo | orm | crud | mvc | oop
    object-oriented | load balancer | cli tool | dotenv | linter | formatter | type system
    state machine | shader | web scraping | scraper | single page app | hot reload | polymorphism
    abstract class | ternary operator | arrow function | template literal | foreign key
    transaction isolation | abstract syntax tree | bytecode | pub/sub | message queue
    thread pool | linked list | hash map | hashmap | idiomatic | deserialize | serialize
    primary key | backend | frontend | for loop | while loop | command line | command-line
    cross-compile | dependency | sql query | workbook | if statement | breakpoint | debug
    debugger | debugging | event handler | listener | rewrite rule | thread-safe | type checking
    type annotation | api key | rate limiting | caching | pagination | paginate | dependencies
    deploy | deployment | config | pythonic | const | var | stdlib | tokenizer | typedef
    preprocessor | web service | implementation | config file | env variable
    environment variable | array | dict | jq | lambda function | json file | inheritance
    unpivot | join table | type parameter | generics | floats | unit testing""",
    """サンプルコード ソースコード 関数 配列 文字列 変数 メソッド ライブラリ フレームワーク
    非同期 パッケージ モジュール 型定義 型ヒント 型推論 ジェネリクス デコレータ 構造体 例外処理
    環境構築 デバッグ リファクタ クエリ プラグイン スクリプト アルゴリズム ランタイム 並行処理
    並列処理 オブジェクト指向 内包表記 スレッド コマンド 実装 プログラム コーディング コルーチン
    デシリアライズ シリアライズ フック コンポーネント チャネル インデックスを張 引数 戻り値
    ボット 拡張機能 API SDK CLI デザインパターン シングルトン 依存性注入 マイクロサービス
    排他制御 二分探索 動的計画法 ハッシュテーブル 再帰 抽象クラス ポリモーフィズム 静的型付け
    値渡し 参照渡し 三項演算子 無名関数 クロージャ プロミス ログイン機能 CRUD ORM バッチ処理
    スクレイピング ホットリロード 画面遷移 バリデーション 外部キー 主キー ストアド
    ソフトウェア設計 コードレビュー 静的解析 リンター 単体テスト ユニットテスト 変数宣言
    エイリアス 環境変数 依存関係 デプロイ クレート トークナイザ ページネーション イベントループ
    仮想環境 ビルド コンテナ リバースプロキシ バックエンド フロントエンド プロパティ 型注釈
    オーバーライド インスタンス マイグレーション ロギング パース レンダリング""",
)
# Words of programming that others use, too.
PROGRAMMING_WEAK = Cue(
    """code | source | function | method | class | classes | package | library | libraries
    framework | plugin | array | list | string | dict | dictionary | loop | generator | sort
    sorting | thread | import | lambda | pointer | trait | interface | inheritance | typing
    throttle | promise | router | component | hook | implement | implemented | mock | ownership
    object | file | date | tutorial | operator | example | usage | query | configuration | config
    setup | install | labels | column | columns | rows | axis | plot | formula | cell | button
    image | timestamp | convert | render | template | repo | custom | loss function | pipeline
    streaming | server | client | cache | index | table | job | limits | relationship | toggle
    hover | menu item | retry | equivalent of | best practices | closure | macro | crate | stream
    group by | lifetime | annotation | explained | extension | keyword | lifetimes | scope
    expression | cast | enum""",
    """使い方 書き方 作り方 使い分け サンプル リスト クラス ソース コード 違い 入門 読み込 書き込
    変換 並び替え 並べ替え ソート 継承 辞書 ループ 繰り返し 設定 インストール テスト 設計 結合
    取得 削除 追加 更新 自作 クライアント サーバ とは フォーマット 言語 処理 ファイル 日付
    オブジェクト 表示 ボタン 画像 横並び 中央 行列 認証 状態管理 キャッシュ 出力 入力 送信 検出
    一括 置換 自動化 チュートリアル 演算子 スコープ 実行""",
)
# What people ask of a technology, or of its namesake, without wanting code.
BUSINESS = Cue(
    """release date | release | released | lifespan | snake | species | habitat | captivity | zoo
    pet | price | pricing | stock | shares | salary | job | certification | company | ceo
    founder | who created | who made | who founded | history of | logo | end of life | cost
    conference | bootcamp | removal | remover | remove rust | stain | necklace | ring | island
    coffee | monty | bird | acquisition | ipo | net worth | interview | course | degree | fees
    popularity | market share | taylor | employees | headquarters | gemstone | courier | bank
    worth it | subscription | layoffs""",
    """リリース日 発売日 株価 年収 求人 転職 資格 会社 創業 歴史 料金 値段 価格 試験日 将来性
    市場 合格率 スクール 難易度 買収 社長 本社 教室 月額""",
)
REPOSITORY = Cue(
    """repo | repository | repositories | source code | git clone | code snippet | sample code
    code example | example code | npm package | pypi | crates.io | pull request | readme | gist
    dotfiles | github | github.com | stackoverflow | stack overflow | official implementation
    reference implementation | gitlab.com | stackoverflow.com | source of | source for""",
    "リポジトリ レポジトリ ソースコード サンプルコード コード例 ギットハブ GitHub Github github",
)
OPEN_SOURCE = Cue(
    "open source | open-source | opensource | oss | foss | github project", "オープンソース OSS"
)
SOFTWARE = Cue(
    """library | libraries | framework | tool | alternative | engine | client | server | router
    editor | app | implementation | project | software | database | sdk | cli | parser | model
    self-hosted | self hosted""",
    """ライブラリ フレームワーク ツール 代替 代わり エンジン エディタ 実装 プロジェクト ソフト
    データベース モデル アプリ 変換 ってある""",
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
