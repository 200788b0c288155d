# On a machine with Python 3 and make, each target sets up a virtual environment and runs.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test bench notebooks

demo: .venv/demo
	$(BIN)/python -m pyterrier_unjudged demo

test: .venv/test
	$(BIN)/ruff check .
	$(BIN)/pytest -n 2

bench: .venv/test
	$(BIN)/python -m benchmarks

# The stamp of an extra is older than setup.py when its requirements may have changed.
.venv/%: setup.py
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[$*]'
	touch $@
