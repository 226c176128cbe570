# petal: the short way in.  Each target installs what it needs (tools/need.sh) and calls CMake.
#
#   make demo        build, and see the command at work
#   make test        run every test: sanitizers, emulators, fuzzing, servers; about 25 minutes
#   make check       run most tests of one build, in two minutes
#   make install     install what make has built; PREFIX=/usr/local
#   make uninstall   remove what make install has installed
#   make site        build the documentation as a web site: build/site/index.html
#   make charts      draw the charts of the documentation: docs/images/
#   make dist        write the source of the last commit: build/petal-VERSION.tar.gz
#   make amalgamation   write the library as two files: build/amalgamation/petal.c and petal.h
#   make python      build the Python package and try it: build/python/dist/
#   make deb         build Debian packages: build/deb/
#   make deb-test    install and use them in a new Debian system; needs root and the network
#   make lab         build the lab, a page to learn and plan with: build/lab/petal-lab.html
#   make js          build the package for JavaScript, and try it in Node and Chromium: build/js/
#   make windows     build for Windows, and run the tests under Wine
#   make bench       compare the library with others, in ten minutes; bench-quick: in one.
#                    PEERS='a.so b.so' adds plug-ins (bench/peer.h)
#   make bench-goals     measure the goals for speed, in five minutes; PEERS=... as above
#   make bench-command   compare the command with wc -l, and its start with that of grep
#   make bench-logs      compare the command with grep and jq on a log
#   make bench-redis     compare the module with the server's own sets, and measure pauses
#   make bench-sql       compare joins and scans in SQLite, PostgreSQL and DuckDB with and without filters
#   make bench-python    compare the Python package with a set and with other packages
#   make bench-js        compare the package for JavaScript with others, in Node and Chromium
#   make redis-demo  see a filter in a server
#   make soak        run the tests for HOURS=1 or longer
#   make coverage    show which lines and branches the tests reach
#   make mutants     break the library in small ways, and check that the tests notice
#   make format      format the C files
#   make clean

PREFIX ?= /usr/local
HOURS  ?= 1
DIST   := petal-$(shell sed -n 's/^\#define PETAL_VERSION_[MP][A-Z]* *\([0-9]*\).*/\1/p' include/petal.h | paste -s -d . -)
NEED   := gcc g++ libc6-dev make cmake libxxhash-dev zlib1g-dev libzstd-dev libsqlite3-dev \
  libhiredis-dev libpcre2-dev libsimdjson-dev python3
NEED_SITE  := mkdocs mkdocs-material
NEED_CHECK := $(NEED) libcmocka-dev pkg-config locales python3-xxhash bats zstd \
  bsdutils minisign sqlite3 unicode-data wamerican groff-base mandoc zsh fish redis-server \
  python3-redis python3-pytest node=nodejs npm=npm $(NEED_SITE)
NEED_PYTHON := gcc libc6-dev libxxhash-dev python3 python3-dev python3-pip python3-venv python3-setuptools \
  python3-wheel
NEED_WINDOWS := make cmake libxxhash-dev gcc-mingw-w64-x86-64-win32 wine wine64 \
  bats python3
NEED_LAB   := make cmake libxxhash-dev clang lld wasi-libc binaryen node=nodejs npm=npm
NEED_JS    := $(NEED_LAB) chromium
NEED_TEST  := $(NEED_CHECK) $(NEED_JS) clang libclang-rt-14-dev llvm clang-format valgrind qemu-user \
  gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
  gcc-i686-linux-gnu libc6-dev-i386-cross lld wasi-libc musl-tools $(NEED_PYTHON) \
  python3-hypothesis python3-numpy python3-tqdm python3-pandas python3-scrapy python3-django python3-flask \
  python3-fastapi python3-httpx
NEED_DEB   := $(NEED) build-essential debhelper lintian
NEED_BENCH := g++ libbloom-dev python3

all:
	@tools/need.sh $(NEED)
	@cmake --preset default && cmake --build build/default -j $$(tools/processors.sh) -- --no-print-directory
demo: all
	@examples/demo.sh build/default
check:
	@tools/need.sh $(NEED_CHECK)
	@tools/need-npm.sh tests/redis build/npm
	@tests/run.sh check
test:
	@tools/need.sh $(NEED_TEST)
	@tools/need-npm.sh tests/redis build/npm
	@tools/need-npm.sh tests/parquet build/npm-parquet
	@tools/need-npm.sh bindings/js/test build/npm-js
	@tools/need-npm.sh web build/npm-lab
	@tools/need-valkey.sh build/valkey
	@tools/need-npm.sh tests/sql build/npm-sql
	@tools/need-postgres.sh
	@tests/run.sh test
bench: NEED += $(NEED_BENCH)
bench: all
	@build/default/bench/bench $(PEERS:%=--peer %) --json build/bench.json
	@bench/report.py --svg build/bench build/bench.json >build/bench.md
	@echo 'tables: build/bench.md, all charts: build/bench/'
	@echo 'a chart to show: build/bench/summary-light.svg, or summary-dark.svg'
bench-quick: NEED += $(NEED_BENCH)
bench-quick: all
	@build/default/bench/bench --quick $(PEERS:%=--peer %) --json build/bench.json
	@bench/report.py --svg build/bench build/bench.json >build/bench.md
	@echo 'a chart to show: build/bench/summary-light.svg, or summary-dark.svg'
bench-goals: NEED += $(NEED_BENCH)
bench-goals: all
	@bench/goals.py --build build/default $(PEERS:%=--peer %)
bench-logs: NEED += jq
bench-logs: all
	@bench/logs.py build/default
bench-command: NEED += $(NEED_BENCH)
bench-command: all
	@bench/command.py build/default
bench-redis: NEED += redis-server python3
bench-redis: all
	@bench/redis.py build/default
	@bench/pauses.py build/default
bench-sql: NEED += sqlite3 python3 node=nodejs npm=npm
bench-sql:
	@tools/need-npm.sh tests/sql build/npm-sql
	@tools/need-postgres.sh
	@$(MAKE) --no-print-directory all
	@bench/sql.py build/default
bench-python: NEED_PYTHON += python3-numpy
bench-python: all python
	@PETAL_LIBRARY=build/default/libpetal.so build/python/venv/bin/python bench/python.py
redis-demo: NEED += redis-server
redis-demo: all
	@examples/redis-demo.sh build/default
site:
	@tools/need.sh $(NEED_SITE)
	@mkdocs build --strict --quiet
	@echo build/site/index.html
charts: all
	@bench/charts.py build/default/cli/petal docs/images
soak:
	@tools/need.sh $(NEED_TEST)
	@tools/need-npm.sh tests/redis build/npm
	@tools/need-npm.sh tests/parquet build/npm-parquet
	@tools/need-npm.sh bindings/js/test build/npm-js
	@tools/need-npm.sh web build/npm-lab
	@tools/need-valkey.sh build/valkey
	@tools/need-npm.sh tests/sql build/npm-sql
	@tools/need-postgres.sh
	@tests/run.sh soak $(HOURS)
coverage:
	@tools/need.sh $(NEED_CHECK) gcovr
	@tools/need-npm.sh tests/redis build/npm
	@tests/run.sh coverage
mutants:
	@tools/need.sh $(NEED_CHECK)
	@tests/mutants/run.py
lab:
	@tools/need.sh $(NEED_LAB)
	@tools/need-npm.sh bindings/js/test build/npm-js
	@tools/need-npm.sh web build/npm-lab
	@tests/run.sh lab
js:
	@tools/need.sh $(NEED_JS)
	@tools/need-npm.sh bindings/js/test build/npm-js
	@tools/need-npm.sh web build/npm-lab
	@tests/run.sh js
bench-js: js
	@npm_config_ignore_scripts=true tools/need-npm.sh bindings/js/bench build/npm-js-bench
	@node bindings/js/bench/bench.mjs build/js/package build/npm-js-bench/node_modules:build/npm-js/node_modules
windows:
	@tools/need.sh $(NEED_WINDOWS)
	@tests/run.sh windows
# These two install no packages and build nothing: they may run as root.
install:
	@[ -f build/default/libpetal.a ] || { echo 'petal: nothing to install yet: run make first' >&2; exit 1; }
	@cmake --install build/default --prefix $(PREFIX)
uninstall:
	@tools/uninstall.sh build/default/install_manifest.txt
dist:
	@mkdir -p build
	@git -c tar.umask=0002 archive --prefix=$(DIST)/ -o build/$(DIST).tar.gz HEAD
	@echo build/$(DIST).tar.gz
amalgamation:
	@tools/need.sh python3
	@tools/amalgamate.py build/amalgamation
	@ls build/amalgamation/petal.[ch]
python:
	@tools/need.sh $(NEED_PYTHON)
	@bindings/python/make.sh build/python
deb: dist
	@tools/need.sh $(NEED_DEB)
	@tools/deb.sh build/$(DIST).tar.gz build/deb
deb-test: deb
	@tools/need.sh debootstrap
	@tests/install/chroot.sh build/$(DIST).tar.gz build/deb
format:
	@clang-format -i $$(git ls-files -co --exclude-standard '*.c')
clean:
	@rm -rf build
.PHONY: all demo check test bench bench-quick bench-goals bench-command bench-logs bench-redis bench-sql redis-demo site charts soak coverage mutants windows install uninstall dist amalgamation deb deb-test format clean python bench-python bench-js js lab
