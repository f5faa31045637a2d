# The same steps as CI and bootstrap.py, by name. `make check` is what every change passes.
PYTHON := .venv/bin/python

.PHONY: setup check test bench docs

setup:
	python3 bootstrap.py test --version

check: setup
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	.venv/bin/lint-imports

test: setup
	$(PYTHON) -m pytest

bench: setup
	for each in bench/[a-z]*.py; do PYTHONPATH=. $(PYTHON) "$$each" || exit 1; done

docs: setup
	$(PYTHON) -m docs.generate
