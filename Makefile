# Two commands do everything: `make demo` and `make test`. Both build the environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
DOCUMENTED := $(VENV)/.docs

# Imports are compiled once and kept, also where the surroundings say otherwise: each of the many
# processes of the suite would compile anew what it imports, for a tenth of the whole time.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test test-random lint mutants chaos tables docs serve-docs release-check bench audit \
	lock clean

demo: $(CORE)
	$(BIN)/panda compare --dataset mutag --backbone gcn

# Three workers for two cores, since some tests wait for other processes.
# Without its cache for each thread glibc fills small pieces of memory, too: see tests/conftest.py.
PYTEST := GLIBC_TUNABLES=glibc.malloc.tcache_count=0 \
	$(BIN)/pytest -q -n 3 --dist loadfile --no-loadscope-reorder --durations=10

# Prints which branches are not taken, module by module; without that, call pytest.
test: $(READY)
	$(PYTEST) --cov --cov-report=term:skip-covered

# The same tests, those marked thorough, and more random examples, in another order every time; the
# seed that is printed repeats one.
test-random: $(READY)
	$(PYTEST) -p randomly -m "not faults" --hypothesis-profile thorough

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

# The site, in docs/_build/html: warnings are errors, tutorials are run, links are checked.
SITE := docs/_build/html
MATHJAX := docs/_static/mathjax/tex-svg.js
MATHJAX_SHA256 := d4295dc33744836935c1399feece5159577b34c5c8ffb9f1c6324cd82e03a882

docs: $(DOCUMENTED) $(MATHJAX)
	$(BIN)/python docs/build.py

serve-docs:
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(SITE) 8000

# Formulas are drawn by one file of MathJax, 2.1 MB, which is fetched here and not kept in the
# repository, where every version of it would stay for ever.
$(MATHJAX):
	mkdir -p $(@D)
	cd $(@D) && npm pack --silent mathjax@3.2.2
	tar -xzf $(@D)/mathjax-3.2.2.tgz -C $(@D) --strip-components=2 package/es5/tex-svg.js
	rm $(@D)/mathjax-3.2.2.tgz
	echo "$(MATHJAX_SHA256)  $@" | sha256sum --check --quiet
	touch $@

# Builds sdist and wheel, checks them, and runs the demo from the wheel in a new environment.
release-check: $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[release]"
	$(BIN)/python docs/check_release.py

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

# Pages are tested in Chromium, which is installed where that can be done.
$(READY): $(CORE)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[dev]"
	command -v chromium || test "$$(id -u)" != 0 || { apt-get update --quiet && apt-get install --yes --no-install-recommends chromium; } || true
	touch $(READY)

$(DOCUMENTED): $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[dev,docs]"
	touch $(DOCUMENTED)

clean:
	rm -rf $(VENV)
