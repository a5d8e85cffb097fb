# SPDX-License-Identifier: Apache-2.0
# The tree that the programs find their files in (compiler/files/file_tree.h): in the build folder by links.

# fovea_tree_link(PATH FOLDER): the sources' FOLDER is PATH in the build folder.
function(fovea_tree_link path folder)
  get_filename_component(parent ${CMAKE_BINARY_DIR}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/${path} SYMBOLIC)
endfunction()

fovea_tree_link(share/fovea/machines sim/spec/machines)
fovea_tree_link(share/fovea/models models)
foreach(part spec common)
  fovea_tree_link(include/fovea/${part} sim/${part})
endforeach()
foreach(part hal dif runtime)
  fovea_tree_link(include/fovea/${part} driver/${part})
endforeach()
fovea_tree_link(share/fovea/checkout .)
