# How tests are declared, in every build.
#
# The labels of a test say what it tests and when it runs:
#
#   unit, portable, sample        the library: with cmocka; by plain programs; with more kinds
#   door:NAME                     a door: command, redis, valkey, sqlite, postgres, duckdb, python, node, browser
#   example, docs, tree, fuzz     the examples, the pages, the source tree, the fuzz targets
#   slow                          not in make check
#   long                          only in make test-all
#   soak                          only in make soak
#   scaled                        does as much as it is told; make soak runs it for hours
#   threads                       what the thread sanitizer has to see
#   slow-asan, slow-msan          takes minutes under that sanitizer and adds little: only in make soak
#
# CMakePresets.json chooses tests by these labels, and tests/report.py prints the table of results.

set(PETAL_SOAK -1 CACHE STRING "Hours that the scaled tests run for in make soak")
set(PETAL_SLOWER 1 CACHE STRING "How much less the scaled tests do in this build")

# petal_test(NAME [PROPERTY VALUE...]... COMMAND...): a test, with properties such as LABELS and COST.
# PROCESSORS is for tests that keep several busy.
function(petal_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COST;PROCESSORS;WORKING_DIRECTORY;RESOURCE_LOCK"
    "LABELS;COMMAND;ENVIRONMENT;FIXTURES_SETUP;FIXTURES_REQUIRED")
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  foreach(property COST PROCESSORS WORKING_DIRECTORY RESOURCE_LOCK LABELS ENVIRONMENT
          FIXTURES_SETUP FIXTURES_REQUIRED)
    if(DEFINED arg_${property})
      set_property(TEST ${name} PROPERTY ${property} "${arg_${property}}")
    endif()
  endforeach()
endfunction()

# petal_scaled(NAME SMALL FULL HOUR LABELS... COMMAND...): a test that does as much as its last argument
# says: SMALL in each build, FULL as NAME_long in make test-all, HOUR times the hours in make soak.
function(petal_scaled name small full hour)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "COST" "LABELS;COMMAND")
  if(PETAL_SOAK GREATER_EQUAL 0)
    math(EXPR full "1 + ${hour} * ${PETAL_SOAK}")
    math(EXPR small "1 + ${full} / 10")
  endif()
  math(EXPR small "(${small} + ${PETAL_SLOWER} - 1) / ${PETAL_SLOWER}")
  petal_test(${name} LABELS ${arg_LABELS} scaled COST ${arg_COST} COMMAND ${arg_COMMAND} ${small})
  if(PETAL_SLOWER EQUAL 1)
    petal_test(${name}_long LABELS ${arg_LABELS} long scaled COST 100 COMMAND ${arg_COMMAND} ${full})
  endif()
endfunction()

# petal_lacks(NAME WHAT LABELS...): a test that this machine cannot run, because it has no WHAT.
function(petal_lacks name what)
  petal_test(${name} LABELS ${ARGN} COMMAND sh -c "echo 'skipped: no ${what}'; exit 77")
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
