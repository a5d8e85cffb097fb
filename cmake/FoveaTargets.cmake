# SPDX-License-Identifier: Apache-2.0
# fovea_library, fovea_test and fovea_bench: a library exposes only its own folder, under the folder's name; a test is one
# executable beside the code, and so is a benchmark.

# fovea_expose(TARGET FOLDER...): lets those who link to TARGET include "<folder>/<header>", and no other folder.
function(fovea_expose target)
  foreach(folder IN LISTS ARGN)
    get_filename_component(folder ${folder} ABSOLUTE)
    get_filename_component(part ${folder} NAME)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/parts/${target})
    file(CREATE_LINK ${folder} ${CMAKE_BINARY_DIR}/parts/${target}/${part} SYMBOLIC)
  endforeach()
  set(to PUBLIC)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    set(to INTERFACE)
  endif()
  target_include_directories(${target} ${to} $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/parts/${target}>)
endfunction()

# Warnings of overlaps and overflows in std::string that are not there (GCC bug 105651).
set(FOVEA_WARNINGS -Wall -Wextra -Wshadow -Werror $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)

# fovea_together(TARGET): the C++ sources of TARGET are compiled sixteen at a time, in a third of the time, since each would
# read the same headers. Names in unnamed namespaces of one target therefore differ, but in sources that have the property
# SKIP_UNITY_BUILD_INCLUSION. scripts/lint_tidy compiles each source alone, so that it includes what it uses.
function(fovea_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.c$")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# fovea_optimize(TARGET LEVEL): how much its C++ sources are optimized in place of -O3: with -O1 they are compiled in two
# thirds of the time, with -Og in half.
function(fovea_optimize target level)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${level}>)
endfunction()

# fovea_library(NAME SOURCES ... [FOLDERS ...] [LIBRARIES ...] [PRIVATE_LIBRARIES ...] [STANDARD 17] [FAST | BRIEF]):
# exposes FOLDERS, or the folder that it is in. FAST: much of a program's time is spent in it; BRIEF: next to none.
function(fovea_library name)
  cmake_parse_arguments(arg "FAST;BRIEF" "STANDARD" "SOURCES;FOLDERS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  if(NOT arg_FOLDERS)
    set(arg_FOLDERS .)
  endif()
  fovea_expose(${name} ${arg_FOLDERS})
  target_link_libraries(${name} PUBLIC ${arg_LIBRARIES} PRIVATE ${arg_PRIVATE_LIBRARIES})
  target_compile_options(${name} PRIVATE ${FOVEA_WARNINGS})
  fovea_together(${name})
  if(arg_BRIEF)
    fovea_optimize(${name} -Og)
  elseif(NOT arg_FAST)
    fovea_optimize(${name} -O1)
  endif()
  if(arg_STANDARD)
    set_target_properties(${name} PROPERTIES CXX_STANDARD ${arg_STANDARD})
  endif()
endfunction()

# fovea_test_options(TARGET): how tests are compiled, in C++20.
function(fovea_test_options target)
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gmock GTest::gtest_main)
  # A field of a command that a test does not name is 0.
  target_compile_options(${target} PRIVATE ${FOVEA_WARNINGS} -Wno-missing-field-initializers)
  fovea_optimize(${target} -Og)
endfunction()

# fovea_test_headers(): what nearly all tests include is read once for all of them, of this one.
function(fovea_test_headers)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_headers.cpp CONTENT "")
  add_executable(test_headers EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/test_headers.cpp)
  fovea_test_options(test_headers)
  target_precompile_headers(test_headers PRIVATE <algorithm> <filesystem> <fstream> <functional> <map> <numeric> <optional>
    <random> <set> <sstream> <string> <vector> <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
endfunction()

# fovea_test(NAME SOURCES ... [LIBRARIES ...] [STANDARD 17] [TIMEOUT seconds]): GoogleTest, run from the source folder.
function(fovea_test name)
  if(NOT FOVEA_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "STANDARD;TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  fovea_test_options(${name})
  fovea_together(${name})
  if(arg_STANDARD)
    set_target_properties(${name} PROPERTIES CXX_STANDARD ${arg_STANDARD})
  elseif(NOT arg_SOURCES MATCHES "\\.c(;|$)")
    target_precompile_headers(${name} REUSE_FROM test_headers)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(FOVEA_COVERAGE)
    math(EXPR arg_TIMEOUT "20 * ${arg_TIMEOUT}")  # counting takes its time
  endif()
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  # Files of its own build: several may be tested at once.
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/test_files)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} ENVIRONMENT TEST_TMPDIR=${CMAKE_BINARY_DIR}/test_files)
endfunction()

# fovea_path_macros(TARGET NAME=path ...): macros of a test's sources, strings: paths from the project's folder, where it
# runs, so that its objects are alike in every copy.
function(fovea_path_macros target)
  foreach(pair IN LISTS ARGN)
    string(REGEX MATCH "^([^=]+)=(.*)$" pair "${pair}")
    target_compile_definitions(${target} PRIVATE ${CMAKE_MATCH_1}="$<PATH:RELATIVE_PATH,${CMAKE_MATCH_2},${CMAKE_SOURCE_DIR}>")
  endforeach()
endfunction()

# What only steps of make check_full need.
add_custom_target(full_tests)

# fovea_full_part(TEST [NEEDS target...]): suites and instances named Full of the program of TEST are left to steps of
# scripts/check_full.txt, and NEED these.
function(fovea_full_part name)
  cmake_parse_arguments(arg "" "" "NEEDS" ${ARGN})
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT GTEST_FILTER=-*Full*)
  add_dependencies(full_tests ${name} ${arg_NEEDS})
endfunction()

# fovea_bench(NAME SOURCES ... [LIBRARIES ...]): Google Benchmark, one executable beside the code; run from the source
# folder by scripts/run_bench. Built with the tests, so that it is known to build.
function(fovea_bench name)
  if(NOT FOVEA_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} benchmark::benchmark)
  target_compile_options(${name} PRIVATE ${FOVEA_WARNINGS} -Wno-missing-field-initializers)
endfunction()
