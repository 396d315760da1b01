# Needs only Python 3.11 or newer and the Python package index. Everything is installed into .venv by itself.
#   make demo        referee the sample match and say where its report is
#   make test        the tests          make lint      ruff and pyright
#   make test-train  the tests that need torch and the simulator
#   make footage     score the referee on real clips, where ../shared/footage has them
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
WORKERS ?= 2
# PyAV, NumPy and the inference engine would each start a thread per core and get in each other's way
export OMP_NUM_THREADS ?= 2

.PHONY: demo test test-train footage lint clean

demo: .venv/.runtime
	$(BIN)/poedinok analyze sample_videos/sample_match.mp4 --profile sample_videos/sample_match.profile.toml \
	    --calls sample_videos/sample_match.srt --out out/demo
	@echo "open out/demo/report.html in a browser"

test: .venv/.dev
	$(BIN)/python -m pytest -n $(WORKERS) -m "not train" $(ARGS)

test-train: .venv/.train
	$(BIN)/python -m pytest -m train $(ARGS)

footage: .venv/.runtime
	$(BIN)/python -m tests.bench.footage $(ARGS)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

clean:
	rm -rf .venv out build *.egg-info .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and none was found; name one with: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make virtual environments (on Debian: apt-get install python3-venv)"; exit 1; }
	$(PYTHON) -m venv .venv

# One stamp for each set of packages; a newer pyproject.toml installs again.
.venv/.runtime: pyproject.toml | .venv/bin/python
	@echo "installing into .venv, about 1.2 GB: a minute or more..."
	$(PIP) install -e .
	@touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(PIP) install -e '.[dev]'
	@touch .venv/.runtime $@

# pooltool 0.6.0 asks for a panda3d that was never released and works with the released one
.venv/.train: .venv/.dev
	$(PIP) install -e '.[dev,train,simulate]'
	$(PIP) install --no-deps pooltool-billiards==0.6.0
	@touch $@
