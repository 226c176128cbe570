# The tests on Windows, beside the plain programs: the cmocka programs, with the stand-in for
# cmocka in this folder; the DLL; and the command.  ../CMakeLists.txt includes this file after its
# own tests.

include_directories(windows) # for its cmocka.h
set(CMOCKA -static pthread)
set(CMAKE_C_EXTENSIONS ON) # else mingw-w64 declares none of POSIX
include(cmocka.cmake)
set_tests_properties(options_test PROPERTIES ENVIRONMENT PETAL_COMMA_LOCALE=German_Germany)

# Beside the DLL, where Windows looks for it.
add_executable(with_dll install/program.c)
target_link_libraries(with_dll PRIVATE petal_shared petal_flags)
set_target_properties(with_dll PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
petal_test(dll LABELS portable COMMAND with_dll)
set_tests_properties(dll PROPERTIES PASS_REGULAR_EXPRESSION "^1 0")

if(TARGET petal)
  set(here ${CMAKE_CURRENT_SOURCE_DIR})
  set(environment "PETAL=${here}/windows/petal.sh" "PETAL_EXE=$<TARGET_FILE:petal>"
    "PETAL_SKIPPED=${here}/windows/skipped")
  petal_test(command LABELS door:command ENVIRONMENT ${environment} COMMAND
    ${here}/windows/command_test.sh ${here}/windows/petal.sh)
  # Some of the transcripts; all of them would take minutes.
  find_program(BATS bats REQUIRED)
  foreach(name change check merge missing)
    petal_test(cli_${name} LABELS door:command ENVIRONMENT ${environment} COST 20 COMMAND
      ${BATS} ${here}/cli/${name}.bats)
  endforeach()
endif()

# One server of Wine for all tests, those of ../CMakeLists.txt among them.
get_property(all DIRECTORY PROPERTY TESTS)
set_property(TEST ${all} APPEND PROPERTY FIXTURES_REQUIRED wine)
petal_test(wine_begin LABELS portable FIXTURES_SETUP wine COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} --begin)
petal_test(wine_end LABELS portable COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} --end)
set_tests_properties(wine_end PROPERTIES FIXTURES_CLEANUP wine)
