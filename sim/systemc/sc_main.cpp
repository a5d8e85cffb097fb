// SPDX-License-Identifier: Apache-2.0
/// \file
/// The entry that the SystemC kernel's library names: never called, for a backend is started by who opens it.
#include <systemc>

extern "C" __attribute__((visibility("default"))) int sc_main(int, char*[]) { return 0; }
