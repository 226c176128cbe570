# The cmocka programs: each *_test.c is one, and one CTest.  CMakeLists.txt includes this file, and
# windows/tests.cmake does so for Windows.  They are linked with CMOCKA.
#
# The list at the end says what a program needs besides its own file and the library.  It is the
# only such list, so that a new test is built in the same way on every system.

set(left_out "^$")
if(APPLE) # its linker lacks --wrap
  set(left_out "/(calls|secrets|parquet)_test.c$")
elseif(WIN32) # these replace system calls of POSIX or its signals, or test the module for Redis
  set(left_out "/((calls|live|progress|secrets|source)_test|redis/[a-z_]*).c$")
endif()
file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS *_test.c)
list(FILTER unit_tests EXCLUDE REGEX "${left_out}")
foreach(source ${unit_tests})
  get_filename_component(name ${source} NAME_WE)
  petal_program(${name} ${source} ${CMOCKA})
  petal_test(${name} LABELS unit COMMAND ${name})
endforeach()

# petal_needs(NAME [SOURCES FILE...] [FOLDER FOLDER] [DEFINE NAME=VALUE...] [WRAP FUNCTION...]
#     [LIBRARIES LIBRARY...]): nothing happens if this program is left out.
function(petal_needs name)
  if(NOT TARGET ${name})
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 its "" "FOLDER" "SOURCES;DEFINE;WRAP;LIBRARIES")
  foreach(source ${its_SOURCES})
    target_sources(${name} PRIVATE ${its_FOLDER}/${source})
  endforeach()
  target_include_directories(${name} PRIVATE ${its_FOLDER})
  target_compile_definitions(${name} PRIVATE ${its_DEFINE})
  foreach(call ${its_WRAP})
    target_link_options(${name} PRIVATE -Wl,--wrap=${call})
  endforeach()
  target_link_libraries(${name} PRIVATE ${its_LIBRARIES})
endfunction()

find_package(Threads REQUIRED)
set(command ${PROJECT_SOURCE_DIR}/cli)
set(module ${PROJECT_SOURCE_DIR}/modules/redis)
petal_needs(shared_test LIBRARIES Threads::Threads)
petal_needs(overwritten_test LIBRARIES Threads::Threads)
# the files that other programs wrote
petal_needs(exchange_files_test DEFINE PETAL_EXCHANGE="${CMAKE_CURRENT_SOURCE_DIR}/exchange")
# these replace system calls; sample/ replaces the same ones
set(wrapped_calls open close fstat stat fchmod read write fsync rename unlink mmap munmap
  realpath getrandom)
petal_needs(calls_test WRAP ${wrapped_calls})
petal_needs(secrets_test WRAP open fchown)
# these read files with the command's own code; parquet_test also replaces realloc()
petal_needs(rdb_test FOLDER ${command} SOURCES rdb/input.c rdb/scan.c rdb/values.c
  DEFINE PETAL_SOURCES="${PROJECT_SOURCE_DIR}")
petal_needs(parquet_test FOLDER ${command} SOURCES parquet/footer.c parquet/thrift.c
  DEFINE GOLDEN="${CMAKE_CURRENT_SOURCE_DIR}/parquet/golden" WRAP realloc)
# these replace the server
petal_needs(loads_test FOLDER ${module} SOURCES available.c chunks.c filter.c foreign.c held.c loads.c
  memory.c parts.c reply.c run.c server.c settings.c)
petal_needs(held_test FOLDER ${module} SOURCES available.c held.c memory.c server.c
  LIBRARIES Threads::Threads)
