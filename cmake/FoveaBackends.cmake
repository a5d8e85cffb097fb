# SPDX-License-Identifier: Apache-2.0
# The rows of sim/common/backends.def as FOVEA_BACKENDS, their names, and what concerns the libraries of all of them.

get_filename_component(table ${CMAKE_CURRENT_LIST_DIR}/../sim/common/backends.def ABSOLUTE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
file(STRINGS ${table} rows REGEX "^FOVEA_BACKEND\\(")
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^FOVEA_BACKEND\\(([a-z0-9_]+), *(machine|common)_library,")
    message(FATAL_ERROR "${table}: not a name and machine_library or common_library: ${row}")
  endif()
  list(APPEND FOVEA_BACKENDS ${CMAKE_MATCH_1})
  set(FOVEA_${CMAKE_MATCH_1}_LIBRARY ${CMAKE_MATCH_2})
endforeach()

# fovea_backend_library(TARGET SOURCE...): a library that open_backend() loads; of its symbols only those marked show.
function(fovea_backend_library target)
  add_library(${target} SHARED ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../sim/common/backend_version.c ${ARGN})
  target_link_libraries(${target} PRIVATE hal)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 17 CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/fovea)
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
endfunction()

# fovea_needs_backends(TARGET MACHINE... [VARIANT _checked|_vcd|_fst]): TARGET loads every backend for these machines
# when it runs; where a machine has a library of its own, in this variant, if there is one.
function(fovea_needs_backends target)
  cmake_parse_arguments(arg "" "VARIANT" "" ${ARGN})
  foreach(backend IN LISTS FOVEA_BACKENDS)
    if(FOVEA_${backend}_LIBRARY STREQUAL common)
      add_dependencies(${target} fovea_${backend})
      continue()
    endif()
    foreach(machine IN LISTS arg_UNPARSED_ARGUMENTS)
      if(NOT arg_VARIANT OR TARGET fovea_${backend}_${machine}${arg_VARIANT})
        add_dependencies(${target} fovea_${backend}_${machine}${arg_VARIANT})
      endif()
    endforeach()
  endforeach()
endfunction()
