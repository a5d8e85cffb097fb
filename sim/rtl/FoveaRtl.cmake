# SPDX-License-Identifier: Apache-2.0
# fovea_rtl_library: one machine, verilated, as a shared library that sim/common's open_backend("rtl") loads. Used here and
# by device/, the project that builds a machine's library where Fovea is installed.

# Cached for testbench/rtl, which verilates units on their own. Another folder of such files makes other libraries and
# benches: scripts/run_mutants builds a changed copy.
set(FOVEA_RTL_DIR ${CMAKE_CURRENT_LIST_DIR} CACHE PATH "Folder of dla.f and of the RTL that it lists")
set(FOVEA_RTL_POWER_UP fast CACHE STRING "What registers hold before a reset: fast for zeros, unique for random bits")
file(GLOB waivers CONFIGURE_DEPENDS ${FOVEA_RTL_DIR}/lint/*.vlt)
file(GLOB headers CONFIGURE_DEPENDS ${FOVEA_RTL_DIR}/include/*.svh)
set(FOVEA_RTL_WAIVERS ${waivers} CACHE INTERNAL "")
set(FOVEA_RTL_HEADERS ${headers} CACHE INTERNAL "")

find_program(VERILATOR verilator REQUIRED)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE root
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(VERILATOR_ROOT ${root} CACHE INTERNAL "")
find_package(ZLIB)  # for waves in FST

# Fields of a machine file and the parameters of dla_top that take them, in the order of struct dla_machine.
set(FOVEA_MACHINE_PARAMETERS
  rows:Rows cols:Cols ifmap_spad_bytes:IfmapSpadBytes filter_spad_bytes:FilterSpadBytes
  max_pe_filters:MaxPeFilters glb_bytes:GlbBytes glb_bank_bytes:GlbBankBytes bus_bytes:BusBytes
  psum_lanes:PsumLanes ifmap_bytes_per_cycle:IfmapBytesPerCycle filter_bytes_per_cycle:FilterBytesPerCycle
  max_pass_filters:MaxPassFilters)

# fovea_machine_file(MACHINE RESULT): the file of a machine, which is a name in sim/spec/machines or a path.
function(fovea_machine_file machine result)
  set(file ${machine})
  if(NOT machine MATCHES "\\.json$")
    set(file ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../spec/machines/${machine}.json)
  endif()
  get_filename_component(file ${file} ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
  set(${result} ${file} PARENT_SCOPE)
endfunction()

# fovea_machine_name(MACHINE RESULT): its name; nothing where its file is gone or is no JSON with one.
function(fovea_machine_name machine result)
  fovea_machine_file(${machine} file)
  set(name "")
  if(EXISTS ${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} json)
    string(JSON name ERROR_VARIABLE error GET "${json}" name)
    if(error OR NOT name MATCHES "^[A-Za-z0-9_-]+$")
      set(name "")
    endif()
  endif()
  set(${result} "${name}" PARENT_SCOPE)
endfunction()

# fovea_read_machine(MACHINE): sets machine_name, machine_generics (-GRows=6 ...) and machine_numbers (6,8,...) in the caller.
function(fovea_read_machine machine)
  fovea_machine_file(${machine} file)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "FOVEA_MACHINES: there is no machine file ${file}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} json)
  string(JSON name GET "${json}" name)
  if(NOT name MATCHES "^[A-Za-z0-9_-]+$")
    message(FATAL_ERROR "${file}: \"name\" must be letters, digits, _ and -")
  endif()
  foreach(pair IN LISTS FOVEA_MACHINE_PARAMETERS)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 field)
    list(GET pair 1 parameter)
    string(JSON value GET "${json}" ${field})
    if(NOT value MATCHES "^[0-9]+$")
      message(FATAL_ERROR "${file}: \"${field}\" must be a whole number")
    endif()
    list(APPEND generics -G${parameter}=${value})
    list(APPEND numbers ${value})
  endforeach()
  list(JOIN numbers "," numbers)
  set(machine_name ${name} PARENT_SCOPE)
  set(machine_generics ${generics} PARENT_SCOPE)
  set(machine_numbers ${numbers} PARENT_SCOPE)
endfunction()

# fovea_read_file_list(FILE): sets rtl_sources to the files it names, relative to its folder; "//" starts a comment.
function(fovea_read_file_list list_file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_file})
  get_filename_component(folder ${list_file} DIRECTORY)
  file(STRINGS ${list_file} lines REGEX "\\.sv[ \t]*(//.*)?$")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "[ \t]*//.*$" "" line "${line}")
    string(STRIP "${line}" line)
    if(line)
      list(APPEND sources ${folder}/${line})
    endif()
  endforeach()
  set(rtl_sources ${sources} PARENT_SCOPE)
endfunction()

# fovea_verilated_runtime(): what every verilated module needs: Verilator's own sources, and what keeps counts. Whoever links
# to it says what a failed assertion does: vl_stop().
function(fovea_verilated_runtime)
  add_library(verilated_runtime STATIC ${VERILATOR_ROOT}/include/verilated.cpp
                                       ${VERILATOR_ROOT}/include/verilated_threads.cpp)
  target_include_directories(verilated_runtime SYSTEM PUBLIC ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
  target_compile_definitions(verilated_runtime PUBLIC VL_USER_STOP)
  target_compile_options(verilated_runtime PRIVATE -fno-gnu-unique)
  set_target_properties(verilated_runtime PROPERTIES CXX_STANDARD 17 CXX_VISIBILITY_PRESET hidden)
  fovea_expose(verilated_runtime ${FOVEA_RTL_DIR})
  if(FOVEA_COVERAGE)
    target_sources(verilated_runtime PRIVATE ${VERILATOR_ROOT}/include/verilated_cov.cpp
                                             ${FOVEA_RTL_DIR}/coverage_count.cpp)
    target_compile_definitions(verilated_runtime PUBLIC FOVEA_COVERAGE)
  endif()
endfunction()

# Tests that run the RTL, for make coverage.
add_custom_target(rtl_tests)

# fovea_runs_rtl(TEST...): these tests run the RTL, and make coverage counts what of it.
function(fovea_runs_rtl)
  add_dependencies(rtl_tests ${ARGN})
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS rtl)
endfunction()

# fovea_verilate(DIRECTORY folder PREFIX name TOP module SOURCES ... ARGS ... [UNCOUNTED])
# One custom command: Verilator writes C++ and builds it into <folder>/<prefix>__ALL.a. With assertions, which only tests
# have, it is compiled in two thirds of the time, and runs as fast.
# Sources are named from the project's folder: names are in what it writes, which is then alike in every copy.
# Warnings are for the lint tests. What Verilator writes reads no file, and its stacks are not checked: that would take a
# tenth more time. With FOVEA_COVERAGE it counts its lines and toggles, unless UNCOUNTED.
function(fovea_verilate)
  cmake_parse_arguments(arg "UNCOUNTED" "DIRECTORY;PREFIX;TOP" "SOURCES;ARGS" ${ARGN})
  string(JOIN " " launcher ${CMAKE_CXX_COMPILER_LAUNCHER})
  set(fast -O2)
  set(slow -Og)
  if("--assert" IN_LIST arg_ARGS)
    set(fast -O1)
  endif()
  if(FOVEA_COVERAGE AND NOT arg_UNCOUNTED)
    list(APPEND arg_ARGS --coverage-line --coverage-toggle)
    set(slow -O0)
  endif()
  set(sources)
  foreach(file IN LISTS arg_SOURCES)
    file(RELATIVE_PATH file ${CMAKE_SOURCE_DIR} ${file})
    list(APPEND sources ${file})
  endforeach()
  add_custom_command(
    OUTPUT ${arg_DIRECTORY}/${arg_PREFIX}__ALL.a
    BYPRODUCTS ${arg_DIRECTORY}/${arg_PREFIX}.h ${arg_DIRECTORY}/${arg_PREFIX}___024root.h
    COMMAND ${CMAKE_COMMAND} -E env "OBJCACHE=${launcher}" CXX=${CMAKE_CXX_COMPILER}
            ${VERILATOR} --cc --build -j 2 -Wno-lint -Wno-style -O3 --x-assign fast --x-initial ${FOVEA_RTL_POWER_UP} --threads 1
            --prefix ${arg_PREFIX} --top-module ${arg_TOP} --Mdir ${arg_DIRECTORY}
            -CFLAGS -fPIC -CFLAGS -fvisibility=hidden -CFLAGS -fno-gnu-unique
            -MAKEFLAGS "-s OPT_FAST=${fast} OPT_SLOW=${slow} OPT_GLOBAL=-O2"
            ${arg_ARGS} -I${FOVEA_RTL_DIR}/include -I${FOVEA_RTL_DIR}/src
            ${FOVEA_RTL_WAIVERS} ${sources}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    DEPENDS ${arg_SOURCES} ${FOVEA_RTL_WAIVERS} ${FOVEA_RTL_HEADERS}
    COMMENT "Verilating ${arg_TOP} in ${arg_DIRECTORY}"
    VERBATIM)
endfunction()

# fovea_rtl_library(MACHINE [VARIANT _checked|_vcd|_fst|_lowered] [ALL]): target fovea_rtl_<machine><variant>. A _lowered
# library is the machine's plain one, from the lowered RTL, in a folder of its own: <build folder>/lowered.
function(fovea_rtl_library machine)
  cmake_parse_arguments(arg "ALL" "VARIANT" "" ${ARGN})
  fovea_read_machine(${machine})
  set(target fovea_rtl_${machine_name}${arg_VARIANT})
  set(verilated ${machine_name}${arg_VARIANT})
  set(args_ )
  set(args_checked --assert)
  set(args_vcd --trace --trace-structs)
  set(args_fst --trace-fst --trace-structs)
  set(waves_vcd ${VERILATOR_ROOT}/include/verilated_vcd_c.cpp)
  set(waves_fst ${VERILATOR_ROOT}/include/verilated_fst_c.cpp)
  if(FOVEA_COVERAGE AND verilated STREQUAL machine_name)
    # One verilated machine, with its assertions, is both libraries: it takes long to build.
    set(verilated ${machine_name}_checked)
    set(args_ ${args_checked})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${verilated})
  if(arg_VARIANT STREQUAL _fst AND NOT ZLIB_FOUND)
    message(FATAL_ERROR "waves in FST need zlib's headers: install zlib1g-dev, or take waves in VCD")
  endif()
  string(REGEX MATCH "^[0-9]+,[0-9]+" pes ${machine_numbers})
  string(REPLACE "," "*" pes ${pes})
  math(EXPR pes ${pes})
  if(pes GREATER 1024)
    # Each PE's own code would take hours to compile; what sets its inputs is long as well.
    list(APPEND machine_generics ${FOVEA_RTL_DIR}/shared_code.vlt -MAKEFLAGS "OPT_FAST=-O1 OPT_SLOW=-O0")
  endif()
  if(FOVEA_COVERAGE)
    # A PE is counted in its own bench: in the array its copies would make most of all points, and run slowly.
    list(APPEND machine_generics ${FOVEA_RTL_DIR}/uncounted.vlt)
  endif()

  if(arg_VARIANT STREQUAL _lowered)
    set(rtl_sources ${FOVEA_LOWERED_RTL})
  endif()
  if(NOT TARGET ${verilated}_verilated)
    fovea_verilate(DIRECTORY ${folder} PREFIX Vdla TOP dla_top SOURCES ${rtl_sources}
                   ARGS ${machine_generics} ${args${arg_VARIANT}})
    add_custom_target(${verilated}_verilated DEPENDS ${folder}/Vdla__ALL.a)
  endif()
  set(wrapper ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  fovea_backend_library(${target} ${wrapper}/verilated_backend.cpp ${wrapper}/verilated_device.cpp ${waves${arg_VARIANT}})
  add_dependencies(${target} ${verilated}_verilated)
  set(variant ${arg_VARIANT})
  if(arg_VARIANT STREQUAL _lowered)
    set(variant "")
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME fovea_rtl_${machine_name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lowered)
  endif()
  if(NOT arg_ALL)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
  target_include_directories(${target} SYSTEM PRIVATE ${folder})
  target_compile_definitions(${target} PRIVATE
    FOVEA_RTL_GEOMETRY=${machine_numbers} FOVEA_RTL_VARIANT="${variant}"
    $<$<STREQUAL:${verilated},${machine_name}_checked>:FOVEA_RTL_ASSERTIONS>
    $<$<STREQUAL:${arg_VARIANT},_vcd>:VM_TRACE=1;VM_TRACE_VCD=1>
    $<$<STREQUAL:${arg_VARIANT},_fst>:VM_TRACE=1;VM_TRACE_FST=1>)
  target_compile_options(${target} PRIVATE -O3 $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
  target_link_libraries(${target} PRIVATE ${folder}/Vdla__ALL.a verilated_runtime rtl_waves
                        $<$<STREQUAL:${arg_VARIANT},_fst>:ZLIB::ZLIB>)
endfunction()
