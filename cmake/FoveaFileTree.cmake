# SPDX-License-Identifier: Apache-2.0
# The tree that the programs find their files in (compiler/files/file_tree.h): links in the build folder, copies where
# Fovea is installed. And the package. `installed` builds what of it is built.

# fovea_tree(PATH FOLDER PATTERN...): PATH of the tree is the sources' FOLDER, and of that what the patterns match.
function(fovea_tree path folder)
  get_filename_component(parent ${CMAKE_BINARY_DIR}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/${path} SYMBOLIC)
  foreach(pattern IN LISTS ARGN)
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/${pattern})
    list(FILTER files EXCLUDE REGEX "_(test|fake)_")
    get_filename_component(subfolder ${pattern} DIRECTORY)
    install(FILES ${files} DESTINATION ${path}/${subfolder})
  endforeach()
endfunction()

fovea_tree(share/fovea/machines sim/spec/machines *.json)
fovea_tree(share/fovea/models models *.onnx *.json MODEL_CARD.md samples/*.png)
fovea_tree(share/fovea/report scripts/report *.py charts/*.py *.j2 *.css *.js)
install(FILES sim/spec/dla.json DESTINATION share/fovea/report)
set(charts build/vega/node_modules)  # Which make packages_report installs.
install(FILES ${charts}/vega/build/vega.min.js ${charts}/vega-lite/build/vega-lite.min.js
  ${charts}/vega-interpreter/build/vega-interpreter.min.js DESTINATION share/fovea/report/vega OPTIONAL)
fovea_tree(share/fovea/checkout .)  # of a build folder only
foreach(part sim/spec sim/common sim/backends driver/hal driver/dif driver/runtime)
  get_filename_component(name ${part} NAME)
  fovea_tree(include/fovea/${name} ${part} *.h)
endforeach()

# The project that builds a machine's library.
set(device share/fovea/device)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${device})
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/sim/rtl/device/CMakeLists.txt ${CMAKE_BINARY_DIR}/${device}/CMakeLists.txt SYMBOLIC)
install(FILES sim/rtl/device/CMakeLists.txt DESTINATION ${device})
fovea_tree(${device}/cmake cmake FoveaBackends.cmake FoveaHardening.cmake FoveaTargets.cmake)
fovea_tree(${device}/sim/common sim/common backends.def backend_version.c)
fovea_tree(${device}/sim/rtl sim/rtl
  FoveaRtl.cmake dla.f src/*.sv include/*.svh lint/*.vlt shared_code.vlt verilated_backend.cpp verilated_device.cpp verilated_device.h wave_dump.h
  wave_groups.h fst_file.h coverage_count.h)

# What is built. Of machines' libraries the first one, which is the default; the others are built where they are asked for.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
install(TARGETS fovea foveac EXPORT fovea RUNTIME DESTINATION bin)
list(GET FOVEA_MACHINES 0 default_machine)
get_filename_component(default_machine ${default_machine} NAME_WE)
add_custom_target(installed DEPENDS fovea foveac fovea_device fovea_runtime fovea_backends)
foreach(backend IN LISTS FOVEA_BACKENDS)
  set(library fovea_${backend})
  if(FOVEA_${backend}_LIBRARY STREQUAL machine)
    set(library fovea_${backend}_${default_machine})
  endif()
  add_dependencies(installed ${library})
  install(TARGETS ${library} LIBRARY DESTINATION lib/fovea)
endforeach()
install(TARGETS fovea_device ARCHIVE DESTINATION lib/fovea)
install(FILES ${CMAKE_BINARY_DIR}/lib/fovea/device_links.txt DESTINATION lib/fovea)

# For programs of others: find_package(fovea), fovea::runtime and fovea::backends.
set_target_properties(fovea_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(fovea_backends PROPERTIES EXPORT_NAME backends)
install(TARGETS fovea_runtime fovea_backends EXPORT fovea LIBRARY DESTINATION lib ARCHIVE DESTINATION lib
  INCLUDES DESTINATION include/fovea include/fovea/runtime)
install(EXPORT fovea NAMESPACE fovea:: FILE foveaConfig.cmake DESTINATION lib/cmake/fovea)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/foveaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/foveaConfigVersion.cmake DESTINATION lib/cmake/fovea)
file(WRITE ${CMAKE_BINARY_DIR}/fovea.pc "prefix=\${pcfiledir}/../..
Name: fovea
Description: ${PROJECT_DESCRIPTION}
Version: ${PROJECT_VERSION}
Cflags: -I\${prefix}/include/fovea -I\${prefix}/include/fovea/runtime
Libs: -L\${prefix}/lib -lfovea_runtime -lfovea_backends
")
install(FILES ${CMAKE_BINARY_DIR}/fovea.pc DESTINATION lib/pkgconfig)

# What is read, in the folders of the sources: messages name docs/compiler.md, and pages link to each other.
set(doc share/doc/fovea)
install(FILES README.md SECURITY.md DESTINATION ${doc})
install(DIRECTORY docs exercises DESTINATION ${doc} FILES_MATCHING
  REGEX "\\.(md|svg|png|ipynb|patch|fovea|json)$" REGEX "/exercises/.*\\.py$" REGEX "/(test|__pycache__)$" EXCLUDE)
install(DIRECTORY testbench/install/example DESTINATION ${doc}/testbench/install)

# The package: make deb.
install(FILES cmake/debian/copyright DESTINATION ${doc})
install(FILES cmake/debian/lintian-overrides DESTINATION share/lintian/overrides RENAME fovea)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fovea)
set(CPACK_PACKAGE_CONTACT "Fovea <fovea@example.org>")
set(CPACK_PACKAGE_FILE_NAME fovea)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Compiles a quantized ONNX network for an Eyeriss-style accelerator, runs it on
a model of that accelerator, in SystemC or verilated from its SystemVerilog,
and says where every cycle and every DRAM byte of every layer went.")
# What Debian wants to read of a version; the history is git's.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${CMAKE_BINARY_DIR}/changelog "fovea (${PROJECT_VERSION}) unstable; urgency=medium

  * Fovea ${PROJECT_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND gzip -9nf ${CMAKE_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${CMAKE_BINARY_DIR}/changelog.gz DESTINATION share/doc/fovea)
# Emitted C is compiled where it runs; a machine's RTL where it is asked for.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "gcc | c-compiler, libc6-dev | libc-dev")
if(TARGET _fovea)
  add_dependencies(installed _fovea)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", ${FOVEA_PYTHON_DEPENDS}")
endif()
# Machines' RTL and its waves; import fovea and its tables; fovea visu; fovea report.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "verilator, g++, cmake, make, ninja-build, zlib1g-dev, python3, python3-numpy, python3-pandas, graphviz, python3-matplotlib, python3-jinja2")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gtkwave, python3-pil, python3-onnx, python3-sklearn, python3-yaml, python3-deap, python3-distributed, jupyter-notebook")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_SOURCE_DIR}/build)
set(CPACK_OUTPUT_CONFIG_FILE ${CMAKE_BINARY_DIR}/CPackConfig.cmake)
include(CPack)
