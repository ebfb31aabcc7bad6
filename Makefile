# Two commands do everything: `make demo` and `make test`. Both build the environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready

.PHONY: demo test test-random coverage lint mutants chaos tables bench audit lock clean

demo: $(CORE)
	$(BIN)/panda compare --dataset mutag --backbone gcn

# Where kernels are tested, glibc fills fresh memory with a large number, so that one that reads before
# it writes fails. The other tests run without, because that makes the reading of datasets slow.
KERNELS := tests/centrality tests/diagnostics tests/graph tests/nn tests/rewiring
FILLED := MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0
PYTEST := $(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder

test: $(READY)
	$(FILLED) $(PYTEST) $(KERNELS)
	$(PYTEST) tests $(KERNELS:%=--ignore=%)

# The same tests in another order every time; the seed that is printed repeats one.
test-random: $(READY)
	$(PYTEST) -p randomly

# The same tests, with the branches they take; on Python 3.11 the tracer costs 1.6 times the time.
coverage: $(READY)
	$(BIN)/pytest -q -n 2 --dist loadfile --cov --cov-report=term:skip-covered

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.mirror

# Puts errors into the code, one by one, and counts those that no test notices: under an hour.
mutants: $(READY)
	$(BIN)/python -m tests.mutants

# The tests that start clusters and processes; then drivers, workers and raylets are killed two
# hundred times and the disk is filled.
chaos: $(READY)
	$(BIN)/pytest -q -m faults
	$(BIN)/python -m tests.chaos

tables: $(READY)
	$(BIN)/python docs/update_tables.py

bench: $(READY)
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

# For images and clusters: the pins with the hashes of their files for this system.
lock: $(READY)
	$(BIN)/python docs/lock.py

audit: $(READY)
	$(BIN)/python docs/audit.py

# What the package itself needs; then what tests, plots and other executors need.
$(CORE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	touch $(CORE)

$(READY): $(CORE)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $(READY)

clean:
	rm -rf $(VENV)
