# Everything a fresh machine needs is Python 3.11+, make and a package index.
#   make search q="how do I cancel an asyncio task"     sets up, and searches
#   make serve                                          sets up, and serves on 127.0.0.1:8787
#   make test                                           sets up, and runs the tests
#   make test PYTHON=python3.13                         the same, in .venv-3.13; or a whole path
PYTHON ?= python3
# python3 is .venv, python3.13 is .venv-3.13; of a path that ends in no version it is asked.
ifneq ($(filter python python3,$(PYTHON)),)
VENV   ?= .venv
else ifneq ($(filter python python3,$(notdir $(PYTHON))),)
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
VENV   ?= .venv-$(VERSION)
else
VENV   ?= .venv-$(patsubst python%,%,$(notdir $(PYTHON)))
endif
BIN    := $(VENV)/bin
UV     := $(BIN)/uv pip
# Many tests wait for a socket: more processes than cores, each with its own files.
SHARED   := --dist each --by-file --max-worker-restart 0
PARALLEL := -n 5 $(SHARED)
# Half of the processes as on a machine that was started a second ago, half as on an old one.
AGES     := $(foreach age,young old,--tx '3*popen//python=scripts/on_clock $(age) $(BIN)/python')
q      ?= how do I cancel an asyncio task

.PHONY: search serve golden new test test-all test-clocks test-frameworks mutants test-authors test-sdks test-s3 test-installed test-programs test-live check static types lint web format messages docs docs-check bench dist mcpb lock clean

# Modules are compiled once, whatever the environment says: it is most of what importing takes.
unexport PYTHONDONTWRITEBYTECODE

# The query reaches the program as it was typed: neither make nor the shell expands it.
unexport q
export Q = $(value q)
search: $(VENV)/.run
	@$(BIN)/kensaku search $(args) -- "$$Q"

# args="--port 8080 --route local" for other addresses, routes and logs.
serve: $(VENV)/.serve
	@$(BIN)/kensaku serve $(args)

# What needs no browser, database or process of its own, and one test of each that does.
test: $(VENV)/.test
	$(BIN)/python -m pytest --tier fast $(PARALLEL) $(args)

# All tests, on monotonic clocks of two ages.
test-all: $(VENV)/.test
	$(BIN)/python -m pytest $(AGES) $(SHARED) $(args)

# The same as on a machine that was started a second ago, and as on one that is ten years old.
test-clocks: $(VENV)/.test
	scripts/on_clock young $(BIN)/python -m pytest --tier fast $(PARALLEL) $(args)
	scripts/on_clock old $(BIN)/python -m pytest --tier fast $(PARALLEL) $(args)

# Each framework in an environment of its own. args="crewai dspy" for some of them, args="--oldest"
# for the oldest versions that pyproject.toml allows.
test-frameworks: $(VENV)/.test
	$(BIN)/python tests/adapters/others/run.py $(args)

# Programs that people run, unmodified, against `kensaku serve`, each in an environment of its own;
# those by npm need npm. args="gpt-researcher codex" for some of them.
test-programs: $(VENV)/.test
	$(BIN)/python tests/programs/run.py $(args)

# The specifications beside their authors' pins, and in their programs where KENSAKU_AUTHORS is a
# folder of clones. args="grace chat_server" for some of them.
test-authors: $(VENV)/.test
	$(BIN)/python tests/authors/run.py $(args)

# The search services' own clients, against our fake upstream, in one environment of their own.
test-sdks: $(VENV)/.test
	$(BIN)/python tests/providers/sdk/run.py $(args)

# Bulk indexing from an S3 that others wrote, in an environment of its own.
test-s3: $(VENV)/.test
	$(BIN)/python -m tests.jobs.object_store $(args)

# Every way of installing that docs/install.md names, every extra and every recipe, each in an empty
# home. args="pip extra-valkey recipe-agno" for some, args="extras recipes" for all of these.
test-installed: $(VENV)/.test
	$(BIN)/python tests/installed/run.py $(args)

# One real search with each key that is set; KEYLESS=1 asks those, too, that need none.
test-live: $(VENV)/.test
	$(BIN)/python -m tests.live $(if $(KEYLESS),--keyless) $(args)

# Change the code where a mistake is dangerous; a test must notice. args="--only guard,fence"
mutants: $(VENV)/.test
	$(BIN)/python scripts/mutants $(args)

# What CI runs: all tests, and beside them, for tests wait a lot, what needs no run.
check: $(VENV)/.docs
	$(MAKE) -j2 test-all static

# Each by itself, the shortest first, and its lines when it ends: tests write theirs meanwhile.
static: $(VENV)/.docs
	$(MAKE) $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) lint web docs-check types

types: $(VENV)/.test
	$(BIN)/mypy

lint: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache

# The catalogues of messages, anew from the source. language=de begins one.
messages: $(VENV)/.test
	$(BIN)/python scripts/messages.py $(language)

# The files that tests compare with, anew. args=providers for some; review the difference.
golden: $(VENV)/.test
	$(BIN)/python -m tests.golden $(args)

# A provider, wire, channel or command that works, to be changed: make new kind=wire name=acme
new: $(VENV)/.test
	$(BIN)/python scripts/new $(kind) $(name)

# JavaScript and CSS: format, lint, types. It needs npm; nobody who installs Kensaku does.
WEB     := scripts/web
WEB_BIN := $(WEB)/node_modules/.bin
SCRIPTS := '{src,tests,scripts}/**/*.{js,mjs,css}'
web: $(if $(shell command -v npm),$(WEB_BIN)/tsc)
ifeq ($(shell command -v npm),)
	@echo "skipped: JavaScript and CSS were not checked, because npm is not installed"
else
	$(WEB_BIN)/prettier --config $(WEB)/prettier.json --check --log-level warn $(SCRIPTS)
	$(WEB_BIN)/eslint --config $(WEB)/eslint.config.js $(SCRIPTS)
	$(WEB_BIN)/tsc --project $(WEB)
endif

$(WEB_BIN)/tsc: $(WEB)/package-lock.json
	cd $(WEB) && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

format: $(VENV)/.test $(if $(shell command -v npm),$(WEB_BIN)/tsc)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@if [ -x $(WEB_BIN)/prettier ]; then \
	  $(WEB_BIN)/prettier --config $(WEB)/prettier.json --write --log-level warn $(SCRIPTS); fi

# The site, in site/. A link that leads nowhere is an error.
docs: $(VENV)/.docs
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

docs-check: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir $(VENV)/site

bench: $(VENV)/.bench
	for name in speed start faults extraction pdf pages hostile retrieval context answers research_rubric assistant conflicts confidence; do \
	  echo "== $$name"; $(BIN)/python bench/$$name.py || exit 1; done
	$(BIN)/python docs/charts.py

# uv resolves and installs in seconds what pip backtracks over for a quarter of an hour.
$(BIN)/uv: requirements/uv.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Kensaku needs Python 3.11 or newer; try: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

$(VENV)/.run: requirements/run.txt pyproject.toml | $(BIN)/uv
	$(UV) install --quiet --python $(BIN)/python --require-hashes -r requirements/run.txt
	$(UV) install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.serve: requirements/serve.txt pyproject.toml | $(BIN)/uv
	$(UV) install --quiet --python $(BIN)/python --require-hashes -r requirements/serve.txt
	$(UV) install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.run

$(VENV)/.test: requirements/test.txt pyproject.toml | $(BIN)/uv
	$(UV) install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements/test.txt
	$(UV) install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.run $(VENV)/.serve

$(VENV)/.docs: requirements/docs.txt $(VENV)/.test
	$(UV) install --quiet --python $(BIN)/python --require-hashes -r requirements/docs.txt
	@touch $@

$(VENV)/.bench: requirements/bench.txt $(VENV)/.test
	$(UV) install --quiet --python $(BIN)/python --require-hashes -r requirements/bench.txt
	@touch $@

# The wheel and the sdist, in dist/. Two builds of one commit give the same bytes.
dist: $(VENV)/.run
	rm -rf dist
	$(BIN)/python -m hatchling build

# The bundle for Claude Desktop, in dist/. It needs npm.
MCPB := npx --yes @anthropic-ai/mcpb@2.1.2
mcpb:
	mkdir -p dist
	$(MCPB) validate packages/mcpb/manifest.json
	$(MCPB) pack packages/mcpb dist/kensaku.mcpb

# The pinned files hold hashes and no addresses. Run after a change of pyproject.toml.
COMPILE := compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-package kensaku-search
TESTED := standard browser dense qdrant valkey postgres strands pydantic-ai langchain \
          openai-agents mcp claude google server signature slack telegram telemetry bulk
CONTAINER := server standard postgres valkey qdrant
lock: | $(BIN)/uv
	echo uv | $(UV) $(COMPILE) - -o requirements/uv.txt
	$(UV) $(COMPILE) pyproject.toml --group build --group test $(TESTED:%=--extra %) \
	  -o requirements/test.txt
	$(UV) $(COMPILE) pyproject.toml --group build --extra standard -c requirements/test.txt \
	  -o requirements/run.txt
	$(UV) $(COMPILE) pyproject.toml --group build --extra server --extra standard \
	  -c requirements/test.txt -o requirements/serve.txt
	$(UV) $(COMPILE) pyproject.toml $(CONTAINER:%=--extra %) -c requirements/test.txt \
	  -o requirements/container.txt
	$(UV) $(COMPILE) --group build -c requirements/test.txt -o requirements/build.txt
	$(UV) $(COMPILE) --group docs -c requirements/test.txt -o requirements/docs.txt
	$(UV) $(COMPILE) pyproject.toml --group bench -c requirements/test.txt -o requirements/bench.txt

clean:
	rm -rf .venv .venv-* .mutants site dist .pytest_cache .mypy_cache .ruff_cache
