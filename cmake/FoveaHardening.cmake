# SPDX-License-Identifier: Apache-2.0
# How all programs and libraries are hardened; SECURITY.md says what for. Used here and by sim/rtl/device, the project that
# builds a machine's library where Fovea is installed.
include(CheckPIESupported)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(stack -fstack-protector-strong)
set(buffers -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
set(tables -Wl,-z,relro -Wl,-z,now)

add_compile_options(${stack})
if(CMAKE_BUILD_TYPE STREQUAL Release)
  add_compile_options(${buffers})  # They need an optimizer, and sanitizers look at buffers themselves.
endif()
add_link_options(${tables})

# What fovea compiles a network's code with, whatever this build is.
set(FOVEA_HARDENED_NETWORK ${stack} ${buffers} ${tables})
