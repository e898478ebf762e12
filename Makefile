# Two commands: `make demo` and `make test`. Both set up what they need with pip and venv (uv where it is installed).
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready
EXTRAS ?= dev
UV     := $(shell command -v uv 2>/dev/null)
JOBS   ?= 2

.PHONY: setup demo test check lint types floors bench golden schema docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "python3 (3.11 or newer) is needed: apt-get install -y python3 python3-venv" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "python 3.11 or newer is needed; this is $$($(PYTHON) -V)" >&2; exit 2; }
ifeq ($(UV),)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "the venv module is missing: apt-get install -y python3-venv" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) (once)" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
else
	@uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	@echo "setting up $(VENV) with uv (once)" >&2
	@uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[$(EXTRAS)]'
endif
	@touch $@

demo: setup
	@$(BIN)/python examples/demo.py $(BIN)/ibgen

test: setup
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(ARGS)

check: lint types floors test

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@if command -v shellcheck >/dev/null; then shellcheck .ci/run; else echo "skipped: shellcheck is not installed"; fi

types: setup
	@$(BIN)/mypy

floors: setup
	@$(BIN)/lint-imports

bench: setup
	@$(BIN)/python tests/bench/run.py

golden: setup
	@$(BIN)/python -m pytest -q tests/test_examples.py tests/cli tests/render --update-golden

schema: setup
	@$(BIN)/ibgen schema cluster > schemas/cluster.schema.json

docs: setup
	@$(BIN)/python docs/generate.py
	@$(BIN)/python docs/console.py README.md docs/tutorial.md docs/tour.md

clean:
	rm -rf $(VENV) out build dist
