# SPDX-License-Identifier: Apache-2.0
# Short names for what a user does: each target checks the variables, installs what is missing, builds, and runs.
# The work is in scripts/ and CMake; the variables are in scripts/variables.txt.
.DEFAULT_GOAL := usage
MAKEFLAGS += --no-print-directory
.NOTPARALLEL:

# Names given on make's command line, so that a mistyped one is noticed.
GIVEN := $(strip $(foreach name,$(.VARIABLES),$(if $(findstring command line,$(origin $(name))),$(filter-out MAKEFLAGS -%,$(name)))))

FULL_TARGET := $(if $(BACKEND),dla,cpu)

##@ Run a network
.PHONY: test_dla test_cpu test_full
test_dla: net_dla  ## one picture on the simulated accelerator
	@scripts/run_fovea test_dla
test_cpu: net_cpu  ## the same picture on the CPU
	@scripts/run_fovea test_cpu
test_full: net_$(FULL_TARGET)  ## all 100 pictures on the CPU, or on the accelerator with BACKEND=
	@scripts/run_fovea test_$(FULL_TARGET) --full

##@ Look inside
.PHONY: accuracy
accuracy: packages  ## accuracy of MODEL on the pictures in DATA: top-1, top-5, confusions, misses; BESIDE= another network
	@scripts/build fovea
	@[ -n "$$DATA" ] || $(MAKE) -s build/samples.bin
	@scripts/run_fovea accuracy
.PHONY: sensitivity
sensitivity: packages packages_report  ## the error of quantizing the float network MODEL, by form and by layer, on the pictures in DATA, calibrated on CALIBRATE
	@scripts/build fovea
	@scripts/run_fovea sensitivity
.PHONY: report build_model visu valgrind valgrind_full
report: packages packages_report  ## all cycles and bytes by cause: a page, a summary and the table in reports/<network>
	@scripts/build fovea device
	@scripts/run_fovea report
build_model: compiler  ## compile the network to C only; print its layers and where each runs
	@scripts/run_fovea build --layers
visu: compiler  ## draw the graph before and after fusion: output/visu/*.svg
	@scripts/run_fovea visu -o output/visu
	@ls output/visu/*.svg
valgrind: packages_valgrind net_cpu  ## heap over time by massif, of test_cpu and of the network in the lab's form
	@scripts/build fovea
	@scripts/run_massif
valgrind_full: packages_valgrind net_cpu  ## the same over 100 pictures
	@scripts/build fovea
	@scripts/run_massif --full

##@ Install
.PHONY: install deb
install: packages packages_report  ## programs, libraries, headers and models, into PREFIX
	@scripts/build installed
	@cmake --install "$(or $(BUILD),build/release)" --prefix "$$(realpath -m "$(or $(PREFIX),/usr/local)")" --strip >build/install.log
	@echo "installed in $(DESTDIR)$(or $(PREFIX),/usr/local); what: $(or $(BUILD),build/release)/install_manifest.txt"
deb: packages packages_report  ## the same as a Debian package, in build/
	@scripts/build installed
	@cpack --config "$(or $(BUILD),build/release)/CPackConfig.cmake" >build/deb.log 2>&1 || { tail build/deb.log >&2; exit 1; }
	@rm -rf build/_CPack_Packages && ls build/fovea_*.deb

##@ Work on Fovea
.PHONY: check check_full evidence bench waves lockstep lockstep_full networks prediction alexnet vgg16 synth area coverage mutants fuzz site lint format clean usage help
check: packages packages_python packages_report packages_browser packages_site packages_networks packages_cross packages_lint packages_synth packages_fuzz onnxruntime  ## build everything and run the tests that a change must pass
	@scripts/build all
	@scripts/run_check -LE full
check_full: packages packages_python packages_report packages_browser packages_site packages_networks packages_cross packages_lint packages_synth packages_fuzz onnxruntime  ## the longer tests, with 2,000 random networks and 5,000 layers: reports/check_full.md
	@scripts/build all full_tests
	@scripts/run_check_full
evidence: variables  ## renew the reports that are stale or did not pass, and reports/README.md; ONLY=none lists their state
	@scripts/run_evidence
bench: packages packages_python packages_networks  ## mappings priced a second, time to map VGG-8 and VGG-16, whole runs of foveac, networks on the CPU and accuracy beside ONNX Runtime, quantizing, pictures from Python beside the program; release build: reports/bench.md
	@scripts/run_bench
waves: packages  ## processor time of runs that dump waves: reports/waves.md
	@scripts/run_waves
ifeq ($(LAYER),)
lockstep: packages  ## SystemC model against RTL: networks and 500 random layers, or event by event LAYER= of MODEL
	@scripts/build lockstep_networks_test random_layers_test fovea_rtl_eyeriss_12x14
	@scripts/run_lockstep 500
else
lockstep: net_dla
	@scripts/build fovea
	@scripts/run_fovea lockstep --layer "$$LAYER"
endif
lockstep_full: packages  ## the same over more networks and 5,000 layers: reports/lockstep.md
	@scripts/build lockstep_networks_test random_layers_test fovea_rtl_eyeriss_12x14 fovea_rtl_test_64x64_bus32 fovea_rtl_test_4x4_bus8
	@scripts/run_lockstep 5000 --report
.PHONY: memory
memory: export BACKEND := $(or $(BACKEND),rtl)
memory: packages  ## VGG-8 and AlexNet with each memory, beside the lab's package and the Eyeriss chip: reports/memory.md and lab.md
	@scripts/build fovea test_dla net_alexnet-eyeriss_chip device
	@MACHINE=eyeriss_chip scripts/build device
	@MACHINE=eyeriss_12x14 scripts/build device
	@scripts/run_memory
networks: packages packages_networks onnxruntime  ## public networks on three machines, compared with their bounds: reports/networks.md; BACKEND=rtl for the RTL
	@BACKEND="$(or $(BACKEND),systemc)" scripts/run_networks
prediction: packages  ## cost model against RTL over 300 random layers and mappings: reports/prediction.md
	@scripts/build prediction_table fovea_rtl_eyeriss_6x8 fovea_rtl_eyeriss_12x14
	@scripts/run_prediction
alexnet: packages  ## AlexNet's convolutions on the RTL of eyeriss_chip and eyeriss_12x14 beside the Eyeriss chip: reports/alexnet.md
	@scripts/build fovea net_alexnet-eyeriss_chip net_alexnet-eyeriss_12x14 alexnet_test fovea_rtl_eyeriss_chip_checked fovea_rtl_eyeriss_12x14_checked
	@scripts/run_alexnet
vgg16: packages packages_networks onnxruntime  ## VGG-16's convolutions on eyeriss_chip with the chip's memory, and mappings with 1, 2 and 4 channels a PE: reports/vgg16.md
	@scripts/run_vgg16
synth: packages_synth  ## gates, memories and longest paths of both machines in 0.18 um: reports/synthesis.md; or of one MODULE of MACHINE
	@scripts/run_synth
area: packages_synth  ## fit the area model to syntheses: sim/spec/area.json, reports/area.md
	@scripts/fit_area
coverage: packages  ## lines and toggles of the RTL that its tests run, by module: reports/coverage.md; what is below 90 % fails
	@scripts/run_coverage
mutants: packages  ## 200 changes to the RTL, one at a time: which of its tests notice each, reports/mutants.md; SEED= draws others
	@scripts/run_mutants 200 reports/mutants.md
fuzz: packages packages_fuzz  ## SECONDS= of malformed files for each reader of files
	@scripts/run_fuzz
site: packages_site  ## these documents and tutorials as pages for a browser: build/site
	@scripts/build_site
lint: packages_lint packages  ## layout and static checks of all sources
	@scripts/lint
format: packages_lint  ## lay the sources out
	@scripts/lint --format
clean: ## remove build/ and output/
	@rm -rf build output
usage help: ## this text
	@scripts/usage Makefile
.DEFAULT:
	@scripts/usage Makefile $@

# What the targets above share.
.PHONY: variables packages packages_% packages_report onnxruntime compiler net_dla net_cpu
variables:
	@[ -x /usr/bin/python3 ] || scripts/install_packages
	@scripts/check_variables $(GIVEN)
packages: variables
	@scripts/install_packages
packages_%: variables
	@scripts/install_packages $*
packages_report: variables
	@scripts/install_packages report
	@scripts/install_npm vega
onnxruntime: variables
	@scripts/install_npm onnxruntime
compiler: packages
	@scripts/build fovea foveac
net_dla: packages
	@scripts/build test_dla device
	@$(MAKE) -s build/samples.bin
net_cpu: packages
	@scripts/build test_cpu
	@$(MAKE) -s build/samples.bin
build/samples.bin: $(wildcard models/samples/*.png)
	@scripts/build prepare
	@"$(or $(BUILD),build/release)/bin/prepare" dataset models/samples -o $@
