# Everything here makes its own environment first: a machine needs Python and make, nothing else.

PYTHON := .venv/bin/python
# Settings want an address; what only reads code never connects to it.
NO_DATABASE := DATABASE_URL=postgresql://unused@127.0.0.1/unused
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help env peers up login import test check golden golden-versions corpus bench redteam mutation screenshots messages lock

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-24s %s\n", $$1, $$2 }'

.venv/.runtime: requirements.lock .python-version
	@sh deploy/environment.sh runtime

.venv/.dev: requirements-dev.lock .python-version
	@sh deploy/environment.sh dev

env: .venv/.dev ## The environment .venv with all tools
	@$(PYTHON) -m contextapp.config.local.messages

.venv-peers/.peers: requirements-peers.lock .python-version
	@sh deploy/environment.sh peers

peers: .venv-peers/.peers ## What `make bench` compares with, in an environment of its own: .venv-peers

up: .venv/.runtime ## Database, web server and worker; prints address and login link; Ctrl-C stops
	@$(PYTHON) -m contextapp.config.local.up

login: .venv/.runtime ## One more one-time login link
	@$(PYTHON) -m contextapp.config.local.login $(ARGS)

import: .venv/.runtime ## Transcripts in: all of ~/.claude/projects, or ARGS="PATH... --since 7d --last 20"
	@$(PYTHON) manage.py import $(ARGS)

test: .venv/.dev ## All tests; ARGS="tests/engine -k budget" for some
	@$(PYTHON) -m pytest $(ARGS)

check: .venv/.dev ## Under a minute, before every commit: lint, imports, types, conventions, engine
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(NO_DATABASE) .venv/bin/lint-imports --no-logo
	@$(NO_DATABASE) $(PYTHON) -m mypy
	@$(PYTHON) -m pytest -q $(wildcard tests/conventions tests/engine tests/evidence tests/importers)

golden: .venv/.dev ## Write the golden requests and ledgers anew; review the difference
	@$(NO_DATABASE) $(PYTHON) -m tests.golden.regenerate $(ARGS)

golden-versions: .venv/.dev ## The golden cases under Python 3.12 and 3.13, each in an environment of its own
	@for version in 3.12 3.13; do sh deploy/environment.sh version $$version; done
	@$(PYTHON) -m pytest -q tests/golden/test_versions.py

corpus: .venv/.dev ## The tests that read the recorded transcripts in ../shared/data, every model call built under five windows
	@ENGINE_CORPUS=all $(PYTHON) -m pytest -m corpus $(ARGS)

bench: .venv/.dev ## Every benchmark; figures in tests/benchmarks/results/latest.json; ARGS=--quick
	@$(PYTHON) -m tests.benchmarks $(ARGS)

redteam: .venv/.dev ## How many attacks on the memory are stopped, and how many plain lines with them
	@$(NO_DATABASE) $(PYTHON) -m tests.benchmarks.redteam $(ARGS)

mutation: .venv/.dev ## Mutate the engine's budget, builder, ledger and instructions; how many mutants the tests kill
	@$(NO_DATABASE) ENGINE_EXAMPLES=15 $(PYTHON) -m mutmut run $(ARGS)
	@$(PYTHON) -m tests.mutation

screenshots: .venv/.dev ## Every page in both themes and languages
	@$(PYTHON) -m tests.screenshots $(ARGS)

messages: .venv/.dev ## Compile the translation catalogues
	@$(PYTHON) -m contextapp.config.local.messages

lock: ## Choose versions anew and write both locks with their hashes
	@sh deploy/lock.sh $(ARGS)
