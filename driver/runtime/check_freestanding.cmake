# SPDX-License-Identifier: Apache-2.0
# Links the freestanding objects into one and fails if it needs any function but those that a compiler may call.
# Without OBJECTS, RESULT is linked already.
#   cmake -DLINKER=ld -DNM=nm -DOBJECTS="a.o;b.o" -DRESULT=driver.o -P check_freestanding.cmake
set(allowed memcpy memmove memset memcmp)
if(OBJECTS)
  execute_process(COMMAND ${LINKER} -r ${OBJECTS} -o ${RESULT} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${NM} --undefined-only --format=just-symbols ${RESULT}
                OUTPUT_VARIABLE symbols OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" symbols "${symbols}")
list(REMOVE_ITEM symbols ${allowed} _GLOBAL_OFFSET_TABLE_)
if(symbols)
  message(FATAL_ERROR "the freestanding driver needs: ${symbols}")
endif()
message(STATUS "the freestanding driver needs nothing but ${allowed}")
