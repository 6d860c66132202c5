# make serve   build the site and open it on http://127.0.0.1:8000/
# make test    everything a change has to pass
# Each target does only what is missing; a second run is quick.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PY := .venv/bin/python
PORT ?= 8000
PAGE_LANG ?= en
export NO_MKDOCS_2_WARNING := 1
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install build check serve preview test lint format bench accuracy lock clean

help: ## what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 12

# --- environments -------------------------------------------------------------------------------

.venv/.ready: requirements.txt pyproject.toml scripts/require.sh
	@python="$$(scripts/require.sh python)"; \
	if ! $(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  echo "making .venv with $$($$python --version)"; rm -rf .venv; "$$python" -m venv .venv; fi
	@$(PY) -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.txt
	@$(PY) -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation \
	  --config-settings editable_mode=compat --editable .
	@touch $@

node_modules/.ready: package.json package-lock.json scripts/require.sh
	@scripts/require.sh node
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

install: .venv/.ready node_modules/.ready ## virtual environment and npm packages, exact versions

# --- the site -----------------------------------------------------------------------------------

check: .venv/.ready ## check the knowledge base; every finding with file, line and fix (FIX=1 applies the safe ones)
	@$(PY) -m knowledge check $(if $(FIX),--fix)

build: install ## check the knowledge, then build the three languages into site/
	@$(PY) -m knowledge check
	@$(PY) -m macros.site build

serve: build ## build, then serve site/ on 127.0.0.1 (PORT=8000)
	@$(PY) -m macros.site serve --port $(PORT)

preview: install ## one language, rebuilt on every edit (PAGE_LANG=en); never published
	@$(PY) -m macros.site preview --lang $(PAGE_LANG) --port $(PORT)

# --- quality ------------------------------------------------------------------------------------

lint: .venv/.ready
	@$(PY) -m ruff format --check --quiet . || { echo "run: make format"; exit 1; }
	@$(PY) -m ruff check --quiet .

test: build lint ## lint, build, and all tests (a browser is installed on Debian if none is there)
	@CHROMIUM="$$(scripts/ensure_chromium.sh)"; export CHROMIUM; \
	$(PY) -m pytest -n 2 --dist loadfile --ignore tests/site && $(PY) -m pytest tests/site

bench: build ## speed of check, decide, render, browser and build, against the limits of the design
	@CHROMIUM="$$(scripts/ensure_chromium.sh)" $(PY) scripts/bench.py

accuracy: install ## error of the memory and speed estimates on public measurements, held out
	@$(PY) -m knowledge.accuracy

format: .venv/.ready ## put code and knowledge files into their one form
	@$(PY) -m ruff format --quiet .
	@$(PY) -m ruff check --fix --quiet .
	@$(PY) -m knowledge format

lock: ## renew requirements.txt from requirements.in (needs uv) and package-lock.json
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" requirements.in -o requirements.txt
	npm install --package-lock-only

clean: ## remove everything make made
	rm -rf .venv node_modules build site .cache .pytest_cache .ruff_cache .hypothesis *.egg-info
