# Every target works from a fresh checkout: what it needs is installed into $(VENV) first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install test lint types check demo bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(INSTALLED) ## editable install with the development tools into $(VENV)

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@

test: $(INSTALLED) ## run the tests (ARGS="tests/lang -x")
	$(BIN)/pytest $(ARGS)

lint: $(INSTALLED) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED) ## mypy, strict
	$(BIN)/mypy

check: lint types test ## all that must pass before a commit

demo: $(INSTALLED) ## verify, gate and generate on a bundled conversation
	$(BIN)/ledger-verify demo

bench: $(INSTALLED) ## the figures of the documentation (ARGS="...")
	$(BIN)/python -m benchmarks $(ARGS)

clean: ## remove what was built, installed or cached
	rm -rf $(VENV) build dist *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
