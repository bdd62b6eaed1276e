# Every command of the project; `make help` lists them. Nothing is needed but Node 20 or newer, npm, Go and make.

SHELL := bash
# Where its input is a socket, as over ssh, bash would read startup files, which need not be fit for `-u`.
.SHELLFLAGS := --norc -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Node 24 comes from npm: it goes first on PATH. npm itself runs with the machine's own.
MACHINE_PATH := $(PATH)
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
INSTALLED := node_modules/.package-lock.stamp

# Kept from the environment or the command line: KUBECONFIG, NODES=real|simulated|auto, ONLY=<names of tests>, FILES=<part of a test file's path>.
NODES ?= auto
export NODES
# Name of the cluster that demo, cluster-up and cluster-down are about.
CLUSTER ?= default
TOOLS := tsx tools/main.ts
# What a run learns of cases, durations, rights and rotation is written down, but not in CI.
RECORD := $(if $(CI),,--record)
RUN_TESTS := tsx test/run.ts $(if $(ONLY),--only '$(ONLY)') $(if $(FILES),--files '$(FILES)')

NAMESPACE := database-operator-system
# The pinned programs on PATH; where kubectl alone is needed, the machine's own will do.
WITH_TOOLS := export PATH="$$($(TOOLS) bin):$$PATH"
# The same without asking again, which would take as long as a preview may.
TOOLS_BIN := node_modules/.cache/tools-bin
WITH_KEPT_TOOLS := bin="$$(cat $(TOOLS_BIN))"; [ -e "$$bin/pulumi" ] || bin="$$($(TOOLS) bin)"; export PATH="$$bin:$$PATH"
# The operator, preview and state, compiled to JavaScript: they start in a tenth of the time.
COMPILED := dist/.sources
SOURCES := $(shell find operator agent components contract tools/compile -name '*.ts' -o -name '*.json')
NEED_KUBECTL := command -v kubectl >/dev/null || $(WITH_TOOLS)
# Their names, as the generated files have them.
CRDS := $(shell sed -n 's/^  name: //p' infra/crds/*.yaml)
# The field manager of `pulumi up`, so that either may take up what the other installed.
APPLY := kubectl apply --server-side --force-conflicts --field-manager database-operator-platform

# v1beta1 needs a webhook that the API server reaches: an operator in the cluster.
SERVE_V1_ONLY = if [ "$$(kubectl get crd databases.example.com --ignore-not-found -o 'jsonpath={.spec.conversion.strategy}')" = Webhook ]; then \
	  kubectl patch crd databases.example.com --type=merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'; fi; \
	$(APPLY) -f infra/crds

##@ First steps

.PHONY: help
help: ## Show this list.
	@if [ -t 1 ] && [ -z "$${NO_COLOR:-}" ]; then bold=$$'\e[1m' cyan=$$'\e[36m' plain=$$'\e[0m'; else bold= cyan= plain=; fi; \
	awk -v bold="$$bold" -v cyan="$$cyan" -v plain="$$plain" 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s%s%s\n", bold, substr($$0, 5), plain } \
	  /^[a-z][a-z0-9-]*:.*## / { printf "  %s%-14s%s %s\n", cyan, $$1, plain, $$2 }' $(firstword $(MAKEFILE_LIST))
	@printf '\nVariables: KUBECONFIG=<file>  NODES=real|simulated|auto  CLUSTER=<name>  ONLY=<names of tests, as a regular expression>  FILES=<part of a path>  ROTATION=all|none|<groups>  SHARD=<n>/<of>  TIMES=<number of runs>  SIZE=small|full, or 4Gi  CASES=<scenarios>  EDITS=<number>  EDITS_SEED=<number>  ENGINE=<engine>  FAULT=<fault>  TRIES=<number>  IMG=<image>  RELEASE=<url>\n'

.PHONY: demo
demo: $(INSTALLED) ## From nothing to SQL in a database that `kubectl apply` made, step by step.
	@$(TOOLS) demo --name $(CLUSTER)

##@ Tests

.PHONY: test
test: $(INSTALLED) ## Everything: check, test-unit, test-cluster, faults in slices, test-e2e; of the slow tail some groups.
	@$(RUN_TESTS) $(RECORD) check unit cluster faults e2e

.PHONY: test-unit
test-unit: $(INSTALLED) ## Unit tests and goldens: nothing but Node.
	@$(RUN_TESTS) unit

.PHONY: test-cluster
test-cluster: $(INSTALLED) ## Against a real API server, CLI and provider; nodes are simulated.
	@$(RUN_TESTS) cluster

.PHONY: test-faults
test-faults: $(INSTALLED) ## Everything that can die dies at every point; takes hours. SHARD=2/8: an eighth; FAULTS=slice: a slice.
	@FAULTS=$${FAULTS:-all} $(RUN_TESTS) $(RECORD) faults

.PHONY: test-e2e
test-e2e: $(INSTALLED) ## Stories with real SQL on real nodes.
	@$(RUN_TESTS) $(RECORD) e2e

EDITS ?= 200
.PHONY: edits
edits: $(INSTALLED) ## Random edits of Databases, each compared with its preview; NODES=real: of servers; EDITS=1000, EDITS_SEED=<number>, ENGINE=.
	@EDITS='$(EDITS)' ENGINE='$(ENGINE)' node --import tsx --test test/$(if $(filter real,$(NODES)),e2e,cluster)/edits.test.ts

TIMES ?= 10
.PHONY: stress
stress: $(INSTALLED) ## Run FILES=<part of a path> ten times while one core is kept busy: for each new or mended test; TIMES=, ONLY=.
	@[ -n "$(FILES)" ] || { echo "say which: FILES=<part of a path>, such as FILES=cluster/drift" >&2; exit 2; }
	@tsx test/stress.ts --files '$(FILES)' --times '$(TIMES)' $(if $(ONLY),--only '$(ONLY)')

SIZE ?= full
.PHONY: bench
bench: $(INSTALLED) ## Measure against the stock Automation API and plain requests, into docs/performance.md; SIZE=small: 20 Databases.
	@tsx measure/bench/main.ts --size $(SIZE)

TRIES ?= 5
.PHONY: availability
availability: $(INSTALLED) ## Measure what clients see when a primary dies, on a real node, into docs/availability.md; ENGINE=, FAULT=: a part.
	@tsx measure/availability/main.ts --tries '$(TRIES)' $(if $(ENGINE),--engine '$(ENGINE)') $(if $(FAULT),--fault '$(FAULT)')

.PHONY: backups
backups: $(INSTALLED) ## Measure backups and restores of SIZE=1Gi on a real node, beside the bare tools, into docs/backups.md; CASES=, ENGINE=: a part.
	@tsx measure/backups/main.ts $(if $(filter-out full,$(SIZE)),--size '$(SIZE)') $(if $(CASES),--cases '$(CASES)') $(if $(ENGINE),--engine '$(ENGINE)')

.PHONY: check
check: $(INSTALLED) ## Types, lint, format, spelling, generated files.
	@$(RUN_TESTS) check

##@ Development

.PHONY: generate
generate: $(INSTALLED) ## Write the CRDs, and the pages on the API, metrics, rights, reliability, security and backups, from what they are about.
	@npm run --silent generate

.PHONY: fix
fix: $(INSTALLED) ## Format, and correct what lint can correct.
	@eslint --fix . && prettier --write --log-level warn .

.PHONY: compile
compile: $(COMPILED) ## Compile the operator, preview and state into dist/; done by itself where one of them is started.

.PHONY: run
run: $(COMPILED) ## Run the operator here, against the cluster of the current kubeconfig.
	@set -e; $(WITH_TOOLS); \
	echo "operator for $$(kubectl config view --minify -o 'jsonpath={.clusters[0].cluster.server}'); stop it with Ctrl-C" >&2; \
	echo "no webhooks: v1 only, and the reconcile judges what the API server's own rules cannot" >&2; \
	exec node $$(cat dist/node-arguments) dist/operator.js

.PHONY: preview
preview: $(COMPILED) $(TOOLS_BIN) ## Show what applying FILE=<file> would change, and change nothing; DELETE=1: what deleting it would; ALL=1: what this version does to all.
	@# 1, that something would change, is no failure: make would end with a line that says so.
	@$(WITH_KEPT_TOOLS); \
	node dist/preview.js $(if $(DELETE),--delete) $(if $(REFRESH),--refresh) $(if $(ALL),--all $(if $(CATALOGUE),--catalogue '$(CATALOGUE)') $(if $(RELEASE_POLICY),--release-policy '$(RELEASE_POLICY)'),-- '$(FILE)') || { code=$$?; [ $$code = 1 ] || exit $$code; }

.PHONY: state
state: $(COMPILED) $(TOOLS_BIN) ## Copy the Pulumi state of NAME=<namespace>/<name> to stacks/database, for plain Pulumi.
	@$(WITH_KEPT_TOOLS); exec node dist/state.js -- '$(NAME)'

.PHONY: plugin
plugin: $(INSTALLED) ## Build the kubectl plugin into dist/plugin; RELEASE=<url>: also an executable for this machine, and krew's manifest.
	@$(TOOLS) plugin $(if $(RELEASE),--release '$(RELEASE)')

.PHONY: tools
tools: $(INSTALLED) ## Build the pinned programs into the cache and print their directory.
	@$(TOOLS) bin

.PHONY: images
images: $(INSTALLED) ## Build the images of the engines, write images/catalogue.json, and load them into this machine's clusters.
	@$(TOOLS) images

.PHONY: parameters
parameters: $(INSTALLED) ## Write the tables of PostgreSQL's parameters, one per major version, from what the images say.
	@$(TOOLS) parameters

##@ Clusters

.PHONY: cluster-up
cluster-up: $(INSTALLED) ## Start a Kubernetes cluster on this machine; prints its KUBECONFIG.
	@$(TOOLS) cluster up --name $(CLUSTER)

.PHONY: cluster-down
cluster-down: $(INSTALLED) ## End it, and remove everything that belongs to it.
	@$(TOOLS) cluster down --name $(CLUSTER)

.PHONY: install
install: $(INSTALLED) ## Install the custom resources, and the catalogue of `make images`, into the cluster of the current kubeconfig.
	@set -e; $(NEED_KUBECTL); \
	$(SERVE_V1_ONLY); \
	echo "served: v1 only; v1beta1 and the webhooks come with an operator in the cluster (pulumi up, with an image)"; \
	kubectl wait --for=condition=Established $(addprefix crd/,$(CRDS)) --timeout=60s >/dev/null; \
	kubectl create namespace $(NAMESPACE) --dry-run=client -o yaml | $(APPLY) -f -; \
	if [ -e images/catalogue.json ]; then \
	  kubectl create configmap database-operator-catalogue -n $(NAMESPACE) --from-file=catalogue.json=images/catalogue.json \
	    --dry-run=client -o yaml | $(APPLY) -f -; \
	else echo "no catalogue yet: run \`make images\`, then this again"; fi

.PHONY: uninstall
uninstall: $(INSTALLED) ## Remove the custom resources; refuses while there are Databases or companions.
	@set -e; $(NEED_KUBECTL); \
	installed="$$(kubectl get crd $(CRDS) --ignore-not-found -o name)"; \
	if [ -z "$$installed" ]; then echo "the custom resources are not installed"; exit 0; fi; \
	left=; \
	for crd in $$installed; do \
	  left="$$left$$(kubectl get "$${crd#*/}" -A --no-headers --ignore-not-found -o 'custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name')"$$'\n'; \
	done; \
	left="$$(sed '/^$$/d' <<<"$$left")"; \
	if [ -n "$$left" ]; then \
	  printf '%s\n' "refused: removing the custom resources would delete these; delete them first, companions before Databases:" "$$left" >&2; exit 1; \
	fi; \
	kubectl delete --ignore-not-found -f infra/crds; \
	echo "kept: namespace $(NAMESPACE), with the states, keys and passwords in it"

##@ In a cluster

BUNDLE := dist/install.yaml
NEED_IMG = [ -n "$(IMG)" ] || { echo "say which image: IMG=registry.example.com/database-operator:0.1.0" >&2; exit 2; }

.PHONY: docker-build
docker-build: $(INSTALLED) ## Build the operator's image as IMG=<name>; on Linux.
	@$(NEED_IMG); $(TOOLS) image build '$(IMG)'

.PHONY: docker-push
docker-push: $(INSTALLED) ## Push IMG=<name> to its registry.
	@$(NEED_IMG); $(TOOLS) image push '$(IMG)'

.PHONY: bundle
bundle: $(INSTALLED) ## Write the platform with the operator's image IMG=<name> as YAML; CATALOGUE=<file>, SET='replicas=1 …'.
	@$(NEED_IMG); mkdir -p $(dir $(BUNDLE)); \
	$(TOOLS) bundle --image '$(IMG)' $(if $(CATALOGUE),--catalogue '$(CATALOGUE)') $(addprefix --set ,$(SET)) >$(BUNDLE).draft; \
	mv $(BUNDLE).draft $(BUNDLE); echo "wrote $(BUNDLE)"

.PHONY: deploy
deploy: bundle ## Install all that and the operator IMG=<name> into the cluster of the current kubeconfig.
	@set -e; $(NEED_KUBECTL); $(APPLY) -f $(BUNDLE); \
	kubectl rollout status deployment/database-operator -n $(NAMESPACE) --timeout=300s

.PHONY: undeploy
undeploy: $(INSTALLED) ## Take the operator out of the cluster; databases go on, custom resources and state stay.
	@set -e; $(NEED_KUBECTL); \
	: the operator first, and whole: it needs its rights to end its runs; \
	kubectl delete deployment database-operator -n $(NAMESPACE) --cascade=foreground --ignore-not-found --timeout=180s; \
	$(TOOLS) bundle --image none --removable | kubectl delete --ignore-not-found -f -; \
	$(SERVE_V1_ONLY); \
	echo "kept: the custom resources, which serve v1 only now, the catalogue, and namespace $(NAMESPACE) with the states, keys and passwords in it"

$(COMPILED): $(INSTALLED) $(SOURCES) tsconfig.json
	@$(TOOLS) compile >/dev/null && touch $@

$(TOOLS_BIN): $(INSTALLED) $(wildcard tools/build/*.ts tools/modules/*/* resident/*)
	@mkdir -p $(@D)
	@bin="$$($(TOOLS) bin)"; echo "$$bin" >$@

$(INSTALLED): package.json package-lock.json
	@echo "installing npm packages …" >&2
	@# Scripts are left out: that of @pulumi/kubernetes would download a plugin, which comes from Go modules here.
	@PATH="$(MACHINE_PATH)" npm ci --ignore-scripts --loglevel error && PATH="$(MACHINE_PATH)" npm rebuild node --loglevel error >/dev/null
	@touch $@
