# Each target says what it does; `make` alone lists them.
GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unreleased)
LDFLAGS := -s -w -X github.com/pgfettle/pgfettle/internal/show/cli.Version=$(VERSION)

# tests read English; a person's locale may choose another language (docs/languages.md)
test check: export LC_MESSAGES := C

# what is started first, as it ends last
LONGEST := ./test/servers ./test/system ./test/experiments ./test/hostile ./test/creating ./test/packages
# pure packages, which start nothing: what the kernel's values are is nothing to them
PURE     := pgfettle/(internal/(base|fact|judge|gen)|docs)(/|$$)
# needs a pool of huge pages to the page
ALONE    := ^TestHugePagesOfThePlanStartTheServer$$

.PHONY: releases help build dist demo docs pictures links check test score soak promises bench bench-plans plans lab-pagetables fuzz generate verify facts new-check new-knob new-page clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/pgfettle, one static binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/pgfettle ./cmd/pgfettle

dist: ## make the packages in dist/: static binaries for linux amd64 and arm64 as tar.gz, deb and rpm, with SHA256SUMS
	VERSION='$(VERSION)' LDFLAGS='$(LDFLAGS)' GO='$(GO)' DIST='$(or $(DIST),dist)' tools/dist.sh

demo: build ## do all set-up and run the main job on a throwaway instance and this host
	./bin/pgfettle demo

docs: ## build the documentation site in .site/ (Sphinx, in a virtual environment of its own; needs python3)
	tools/docs.sh

links: ## follow the address of every source (needs the web)
	$(GO) run ./internal/gen/links

pictures: ## take the pictures of README.md again (needs chromium)
	mkdir -p docs/pictures
	cd test/web && PGFETTLE_PICTURES=take $(GO) test -count=1 -run TestPicturesAreCurrent .

check: ## in a minute, before each commit: vet, the pure storeys, the program in scripts, the house and its documents
	$(GO) vet ./...
	$(GO) run ./test/progress -vet=off -timeout 20m ./internal/base/... ./internal/fact/... ./internal/judge/... ./internal/show/... ./internal/gen/... ./cmd/... ./test/scripts ./test/house ./test/docs ./test/tier ./test/progress

# The first are the servers that are fetched once: not within the time of the tests that
# run them. Then the longest first, with all the others but the pure ones and those in a
# browser: these compute, and use the CPUs while the tests of the kernel wait. No server may
# start while those of the kernel run: it would take of the huge pages that they make for
# theirs. They run one after the other, so what is beside them is nice to them. The last one
# is alone. Four at once on two processors, as most wait for servers and sleepers; within
# ./test/servers six of what waits (the majors of one test).
# Analysed is all in one go, before. All is compiled as the released program is, and so
# once; the program that tests run is built once for all of them. Nothing debugs them, and
# without tables for that a hundred of them link in half the time. What is linked while the
# tests of the kernel run is nice to them, too.
test: export CGO_ENABLED := 0
test: export GOFLAGS := $(GOFLAGS) -trimpath '-ldflags=-s -w'
test: ## do all set-up and run every tier of tests; PGFETTLE_REQUIRE=servers,… fails instead of skipping
	$(GO) vet ./...
	cd tools && $(GO) vet ./...
	cd test/web && $(GO) vet ./...
	dir=$$(mktemp -d /tmp/pgf-XXXXXX) && trap 'umount -l "$$dir/t" 2>/dev/null; rm -rf "$$dir"' EXIT && \
	trap 'exit 130' INT TERM HUP && chmod 755 "$$dir" && export PGFETTLE_TEST_TMPDIR="$$(tools/tmpdir.sh "$$dir")" && \
	$(GO) build -o "$$dir/pgfettle" ./cmd/pgfettle && PGFETTLE_TEST_BINARY="$$dir/pgfettle" \
	$(GO) run ./test/progress -vet=off -timeout 20m ./test/live \
	  --then -vet=off -p 4 -parallel 6 -timeout 60m -skip '$(ALONE)' $(LONGEST) \
	    $$($(GO) list ./... | grep -vE '/test/(kernel|servers|system|experiments|hostile|creating|packages)$$|$(PURE)') \
	  --then -vet=off -timeout 60m ./test/kernel \
	  --beside -toolexec 'nice -n 10' -exec 'nice -n 10' -vet=off -p 2 -timeout 60m $$($(GO) list ./... | grep -E '$(PURE)') \
	  --beside -C test/web -toolexec 'nice -n 10' -exec 'nice -n 10' -vet=off -timeout 20m ./... \
	  --then -vet=off -timeout 30m -run '$(ALONE)' ./test/servers

soak: ## kill applies and moves of pg_wal, and start random plans with new seeds for SOAK (default 10m), then run on all versions what make test runs on three, and kill 1,000 creates and start 300 random instances; the first failure ends it and tells its seed
	$(GO) test -count=1 -timeout 0 -failfast -v -run '^(TestKilledAtAnyPoint|TestMoveWALKilled|TestRandomPlansStart)$$' ./test/servers -soak $(or $(SOAK),10m)
	PGFETTLE_TEST_MAJORS=all $(GO) test -count=1 -timeout 30m -failfast -v -run '^Test(RedactedEvidenceFindsTheSame|MetricsAgree|ReportOfAServer)$$' ./test/servers
	PGFETTLE_TEST_MAJORS=all PGFETTLE_CREATE_KILLS=1000 PGFETTLE_CREATE_COMBINATIONS=300 $(GO) test -count=1 -timeout 0 -failfast -v ./test/creating

score: ## read the corpus of real inputs and print recall and precision of each reader; V=-v tells each miss, UPDATE=-update writes docs/readers.md, KIND=oom reads that kind alone, CORPUS=dir reads another corpus
	$(GO) run ./test/readers/score $(if $(CORPUS),-corpus $(CORPUS)) $(V) $(UPDATE) $(KIND)

# all that are drawn over random hosts
PROMISES := ^Test(Fits|Legal|Settled|SameInSameOut|Monotone|Coherent|Explained|Modest|Obedient|Durable|Survives|Capped|Floored|Ordered|MonotoneWorkMem|OneWorkMem|ChosenValuesStay|DesktopKeepsItsMemory|WAL.*|SmallHosts.*|OutsideIsSettled|Neighbours|SeveralInstances|.*Anywhere|PlannedConnectionsAreNotFound)$$

promises: ## hold the planner's promises over HOSTS (default 10000) random hosts each, drawn from SEED (default 1); for an hour or two
	$(GO) test -count=1 -timeout 0 -v -run '$(PROMISES)' ./internal/judge/plan -rapid.checks=$(or $(HOSTS),10000) -rapid.seed=$(or $(SEED),1)

bench: build ## print the benchmarks: census, collection, and the whole process against psql
	$(GO) test -run '^$$' -bench . -benchmem ./internal/...
	$(GO) test -run '^$$' -bench . -benchtime 10x ./test/servers

bench-plans: build ## measure plans against the defaults and five calculators, for a day on a quiet machine, and write docs/benchmarks.md; see tools/bench-plans.sh
	GO='$(GO)' tools/bench-plans.sh

plans: ## ask the calculators again, with pg-configurator from PyPI, and write docs/plans.md: plans of 20 hosts beside theirs
	GO='$(GO)' tools/plans.sh
	$(GO) test ./test/docs -run TestPagesAreCurrent -update

lab-pagetables: ## reproduce the page tables of the articles at full size: 4 GB, 100 backends, 12 GB of memory; PGFETTLE_TEST_KERNEL=disposable
	PGFETTLE_LAB=full PGFETTLE_REQUIRE=kernel $(GO) test -count=1 -timeout 60m -v -run '^TestPageTableLab$$' ./test/kernel

fuzz: ## fuzz every reader for FUZZTIME (default 20s) each
	@FUZZTIME=$${FUZZTIME:-20s}; grep -rlE '^func Fuzz' --include='*_test.go' internal | while read -r f; do \
	  for n in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]+)\(.*/\1/p' $$f); do \
	    echo "$$(dirname $$f) $$n"; $(GO) test -run '^$$' -fuzz "^$$n$$" -fuzztime $$FUZZTIME ./$$(dirname $$f) || exit 1; \
	  done; done

generate: ## rewrite what is generated: registries, docs/checks.md, docs/knobs.md, docs/pages.md, docs/coverage.md, docs/languages.md, docs/metrics.md, docs/plans.md, schema/snapshot.schema.json, schema/result.schema.json, schema/top.schema.json
	$(GO) generate ./...
	$(GO) test ./test/docs -run TestPagesAreCurrent -update
	$(GO) test ./internal/fact/snapshot -run TestSchemaIsCurrent -update
	$(GO) test ./internal/show/goldens -run TestResultSchema -update
	$(GO) test ./internal/show/top -run TestTopSchema -update

verify: generate ## fail when a generated file was not current
	git diff --exit-code

facts: ## read the parameter facts from real servers (fetched where none are given in PGFETTLE_TEST_PG)
	cd tools && $(GO) run ./genparams -o ../internal/fact/pg/params/params.tsv

releases: ## read the latest minor releases from the registry of the servers and from Debian's suites (needs the network and apt)
	cd tools && $(GO) run ./genreleases -o ../internal/fact/pg/releases/releases.tsv

new-check: ## write the stubs of a check: make new-check ID=memory/my_check
	@test -n "$(ID)" || { echo 'say make new-check ID=memory/my_check'; exit 2; }
	$(GO) run ./internal/gen/stub check $(ID)
	$(GO) generate ./internal/judge/checks

new-knob: ## write the stubs of a knob: make new-knob ADDR=io/pg:my_setting
	@test -n "$(ADDR)" || { echo 'say make new-knob ADDR=io/pg:my_setting'; exit 2; }
	$(GO) run ./internal/gen/stub knob $(ADDR)
	$(GO) generate ./internal/judge/rules

new-page: ## write the stub of a page: make new-page ID=my-page
	@test -n "$(ID)" || { echo 'say make new-page ID=my-page'; exit 2; }
	$(GO) run ./internal/gen/stub page $(ID)

clean: ## remove what was built
	rm -rf bin dist
