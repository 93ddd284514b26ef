# `make demo` and `make test` need nothing set up before: they make .venv, build the core and run.

PYTHON ?= python3
TORCH_INDEX ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -q --disable-pip-version-check
CORE := $(shell find csrc -type f) CMakeLists.txt
SANITIZED := build/sanitize
DEMO := build/demo

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help venv build demo test check bench sanitize clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "Variables: PYTHON=python3.12 names the interpreter, TORCH_INDEX=<url> one more index for torch."

venv: $(VENV)/.dependencies ## make .venv with the pinned dependencies

build: $(VENV)/.built ## build the core; again when its sources changed

demo: build ## train on all edges and on a twentieth, beside PyG, on a generated graph
	@rm -rf $(DEMO)
	@$(BIN)/fastgat compare long-tail --keep 0.05 --pyg --seeds 3 --epochs 30 --learning-rate 0.01 --out $(DEMO)

test: build ## run the tests, doctests included
	@sh scripts/test.sh $(BIN)/python

check: build ## format, lint and types, then the tests: what CI runs
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(MAKE) --no-print-directory test

bench: build ## run every benchmark, with the peers it needs
	@$(PIP) install -c constraints.txt networkit pyamg
	@$(BIN)/python -m experiments benchmarks --again

sanitize: build ## run the tests on a core built with AddressSanitizer and UBSan
	@PYTHON=$(BIN)/python sh scripts/sanitize.sh $(SANITIZED)

clean: ## remove .venv, builds and caches
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps, so that an interrupted step is run again.
$(VENV)/.created:
	@sh scripts/preflight.sh $(PYTHON)
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.dependencies: constraints.txt pyproject.toml | $(VENV)/.created
	@echo "Installing the pinned dependencies (some minutes the first time) ..."
	@$(PIP) install -c constraints.txt cmake nanobind ninja scikit-build-core
	@$(PIP) install -c constraints.txt $(addprefix --extra-index-url ,$(TORCH_INDEX)) torch torch-geometric
	@touch $@

$(VENV)/.built: $(VENV)/.dependencies $(CORE)
	@sh scripts/preflight.sh $(BIN)/python
	@echo "Building the core ..."
	@$(PIP) install --no-build-isolation -c constraints.txt -e '.[dev]'
	@touch $@
