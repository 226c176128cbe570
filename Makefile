# petal: the usual commands.  Most targets install what they need (tools/need.sh) and then call CMake.
#
#   make                 build the library, the command and the modules
#   make demo            build, and see the command at work
#   make test            test every feature of petal once, in less than ten minutes
#   make test-all        test the rest: sanitizers, emulators, fuzzing, long runs; half an hour
#   make install         install what make has built; PREFIX=/usr/local
#   make uninstall       remove what make install has installed
#   make help            show this list
#
# Packages and pages:
#   make python          build the Python package and try it: build/python/dist/
#   make js              build the package for JavaScript: build/js/petal-filter-VERSION.tgz
#   make lab             build the lab, a page to learn and plan with: build/lab/petal-lab.html
#   make redis-demo      see a filter in a server
#   make deb             build Debian packages: build/deb/
#   make dist            write the source of the last commit: build/petal-VERSION.tar.gz
#   make amalgamation    write the library as two files: build/amalgamation/petal.c and petal.h
#   make site            build the documentation as a web site: build/site/index.html
#   make charts          draw the charts of the documentation: docs/images/
#
# For those who change petal:
#   make check           lint, build, and run most tests, in two minutes; LABELS=unit: only those tests
#   make format          format the source files
#   make lint            check the format of all files, and run the linters
#   make tidy            look for mistakes with clang-tidy
#   make test-busy       run make test while other programs keep the machine busy; LABELS=unit: only those
#   make soak            run the scaled tests for longer, in several builds; each fuzz target for HOURS=1
#   make coverage        show which lines and branches the tests reach; LABELS=unit: only by those tests
#   make mutants         break the library in small ways, and check that the tests notice; SAMPLE=20 tries 20
#   make windows         build for Windows, and run the tests under Wine
#   make deb-test        install the Debian packages in a new system and use them; needs root.
#                        QUICK=1 skips the build from source
#   make clean           remove build/
#
# Benchmarks; QUICK=1 only shows that they work:
#   make bench           compare the library with others, in ten minutes; PEERS='a.so b.so' adds
#                        plug-ins (bench/peer.h)
#   make bench-goals     measure the goals for speed, in five minutes; PEERS=... as above
#   make bench-command   compare the command with wc -l, and its start-up time with grep's
#   make bench-logs      compare the command with grep and jq on a log
#   make bench-redis     compare the module with the server's own sets, and measure pauses
#   make bench-sql       compare joins and scans in SQL with and without filters
#   make bench-python    compare the Python package with a set and with other packages
#   make bench-js        compare the package for JavaScript with others, in Node and Chromium

PREFIX ?= /usr/local
HOURS  ?= 1
LABELS ?=
# Options of CMake for the build `default`, such as -DPETAL_SQL=OFF; the Python that make python uses
CMAKE_OPTIONS ?=
PYTHON ?= /usr/bin/python3
CHARTS ?= docs/images
QUICK_OPTION := $(if $(QUICK),--quick)
DIST   := petal-$(shell sed -n 's/^\#define PETAL_VERSION_[MP][A-Z]* *\([0-9]*\).*/\1/p' include/petal.h | paste -s -d . -)

# Debian's packages.  COMMAND=PACKAGE: only if the command is missing.
NEED := gcc g++ libc6-dev make cmake libxxhash-dev zlib1g-dev libzstd-dev libsqlite3-dev \
  libhiredis-dev libpcre2-dev libsimdjson-dev python3
NEED_NODE   := node=nodejs npm=npm
NEED_SITE   := mkdocs mkdocs-material
NEED_LINT   := clang-format-14 shellcheck black flake8 $(NEED_NODE)
NEED_PYTHON := gcc libc6-dev libxxhash-dev python3 python3-dev python3-pip python3-venv python3-setuptools \
  python3-wheel
NEED_LAB    := make cmake libxxhash-dev clang lld wasi-libc binaryen $(NEED_NODE)
NEED_TESTS  := $(NEED) libcmocka-dev pkg-config locales python3-xxhash bats zstd \
  bsdutils minisign sqlite3 unicode-data wamerican groff-base mandoc zsh fish redis-server \
  python3-redis python3-pytest $(NEED_SITE)
NEED_CHECK  := $(NEED_TESTS) $(NEED_LINT)
NEED_TEST   := $(NEED_TESTS) $(NEED_LAB) $(NEED_PYTHON) chromium=chromium python3-hypothesis python3-numpy \
  python3-tqdm python3-pandas python3-scrapy python3-django python3-flask python3-fastapi python3-httpx
NEED_WINDOWS := make cmake libxxhash-dev gcc-mingw-w64-x86-64-win32 wine wine64 bats python3
NEED_DEB    := $(NEED) build-essential debhelper lintian
NEED_BENCH  := $(NEED) libbloom-dev jq redis-server sqlite3
NEED_ALL    := $(NEED_TEST) $(NEED_LINT) $(NEED_WINDOWS) $(NEED_DEB) $(NEED_BENCH) libclang-rt-14-dev llvm clang-tidy-14 \
  valgrind qemu-user gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-aarch64-linux-gnu \
  libc6-dev-arm64-cross gcc-i686-linux-gnu libc6-dev-i386-cross musl-tools debootstrap gcovr python3-dbg

all:
	@tools/need.sh $(NEED)
	@cmake --preset default $(CMAKE_OPTIONS) && cmake --build --preset default -j $$(tools/processors.sh) -- --no-print-directory
demo: all
	@examples/demo.sh build/default
help:
	@sed -n '/^#   make/,/^[^#]/s/^# \{0,3\}//p' Makefile

# ---- Tests ----

# npm's packages, a folder for each part that needs some, and servers that are not in Debian 12 itself
npm-redis:
	@tools/need-npm.sh tests/redis build/npm
npm-lint:
	@tools/need-npm.sh tools/lint build/npm-lint
npm-lab:
	@tools/need-npm.sh bindings/js/test build/npm-js
	@tools/need-npm.sh web build/npm-lab
npm-sql:
	@tools/need-npm.sh tests/sql build/npm-sql
need-check:
	@tools/need.sh $(NEED_CHECK)
	@$(MAKE) --no-print-directory npm-redis npm-lint
need-test:
	@tools/need.sh $(NEED_TEST)
	@tools/need-postgres.sh
	@tools/need-valkey.sh build/valkey
	@tools/need-npm.sh tests/parquet build/npm-parquet
	@$(MAKE) --no-print-directory npm-redis npm-lab npm-sql
need-all:
	@tools/need.sh $(NEED_ALL)
	@$(MAKE) --no-print-directory need-test npm-lint

check: $(if $(LABELS),need-test) need-check
	@tests/run.sh check $(LABELS:%='%')
test: need-test
	@tests/run.sh test
test-all: need-all
	@tests/run.sh test-all
test-busy: need-test
	@tests/run.sh busy $(LABELS:%='%')
soak: need-all
	@tests/run.sh soak $(HOURS)
coverage: need-check
	@tools/need.sh gcovr
	@tests/run.sh coverage $(LABELS:%='%')
mutants: need-check
	@tests/mutants/run.py $(if $(SAMPLE),--sample $(SAMPLE))
windows:
	@tools/need.sh $(NEED_WINDOWS)
	@tests/run.sh windows
lint:
	@tools/need.sh $(NEED_LINT)
	@$(MAKE) --no-print-directory npm-lint
	@tools/lint.sh check
tidy:
	@tools/need.sh $(NEED) clang-tidy-14
	@tools/lint.sh tidy
format:
	@tools/need.sh $(NEED_LINT)
	@$(MAKE) --no-print-directory npm-lint
	@tools/lint.sh format

# ---- Packages and pages ----

python:
	@tools/need.sh $(NEED_PYTHON)
	@bindings/python/make.sh build/python $(PYTHON)
js lab:
	@tools/need.sh $(NEED_LAB)
	@$(MAKE) --no-print-directory npm-lab
	@cmake --preset js && cmake --build --preset js -j $$(tools/processors.sh) -- --no-print-directory
	@npm pack --silent --pack-destination build/js ./build/js/package
	@echo 'build/lab/petal-lab.html: open this page in a browser, or run build/default/cli/petal lab --web'
redis-demo: NEED += redis-server
redis-demo: all
	@examples/redis-demo.sh build/default
site:
	@tools/need.sh $(NEED_SITE)
	@mkdocs build --strict --quiet
	@echo build/site/index.html
charts: all
	@bench/charts.py build/default/cli/petal $(CHARTS)
dist:
	@mkdir -p build
	@git -c tar.umask=0002 archive --prefix=$(DIST)/ -o build/$(DIST).tar.gz HEAD
	@echo build/$(DIST).tar.gz
amalgamation:
	@tools/need.sh python3
	@tools/amalgamate.py build/amalgamation
	@ls build/amalgamation/petal.[ch]
deb: dist
	@tools/need.sh $(NEED_DEB)
	@tools/deb.sh build/$(DIST).tar.gz build/deb
deb-test: deb
	@tools/need.sh debootstrap
	@tests/install/chroot.sh $(if $(QUICK),--short) build/$(DIST).tar.gz build/deb
# These two install no packages and build nothing: they may run as root.
install:
	@[ -f build/default/libpetal.a ] || { echo 'petal: nothing to install yet: run make first' >&2; exit 1; }
	@cmake --install build/default --prefix "$(PREFIX)"
uninstall:
	@tools/uninstall.sh build/default/install_manifest.txt
clean:
	@rm -rf build

# ---- Benchmarks ----

bench: NEED := $(NEED_BENCH)
bench: all
	@build/default/bench/bench $(QUICK_OPTION) $(PEERS:%=--peer %) --json build/bench.json
	@bench/report.py --svg build/bench build/bench.json >build/bench.md
	@echo 'tables: build/bench.md, all charts: build/bench/'
	@echo 'a chart to show: build/bench/summary-light.svg, or summary-dark.svg'
bench-goals: NEED := $(NEED_BENCH)
bench-goals: all
	@bench/goals.py $(QUICK_OPTION) --build build/default $(PEERS:%=--peer %)
bench-logs: NEED := $(NEED_BENCH)
bench-logs: all
	@bench/logs.py $(QUICK_OPTION) build/default
bench-command: NEED := $(NEED_BENCH)
bench-command: all
	@bench/command.py $(QUICK_OPTION) build/default
bench-redis: NEED := $(NEED_BENCH)
bench-redis: all
	@bench/redis.py $(QUICK_OPTION) build/default
	@bench/pauses.py $(QUICK_OPTION) build/default
bench-sql:
	@tools/need.sh $(NEED_BENCH) $(NEED_NODE)
	@tools/need-postgres.sh
	@$(MAKE) --no-print-directory npm-sql all
	@/usr/bin/python3 bench/sql.py $(QUICK_OPTION) build/default
bench-python: NEED_PYTHON += python3-numpy
bench-python: all python
	@PETAL_LIBRARY=build/default/libpetal.so build/python/venv/bin/python bench/python.py $(QUICK_OPTION)
bench-js: js
	@tools/need.sh chromium=chromium
	@npm_config_ignore_scripts=true tools/need-npm.sh bindings/js/bench build/npm-js-bench
	@node bindings/js/bench/bench.mjs $(QUICK_OPTION) build/js/package build/npm-js-bench/node_modules:build/npm-js/node_modules

.PHONY: all demo help npm-redis npm-lint npm-lab npm-sql need-check need-test need-all check test test-all test-busy soak \
  coverage mutants windows lint tidy format python js lab redis-demo site charts dist amalgamation deb deb-test \
  install uninstall clean bench bench-goals bench-logs bench-command bench-redis bench-sql bench-python bench-js
