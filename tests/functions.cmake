# How tests are declared, in every build.
#
# The labels of a test say what it tests and when it runs:
#
#   unit                          the library, in programs that run on this machine only
#   portable                      the library, in plain programs that also run under emulators
#   sample                        the library with kinds that are not shipped
#   door:NAME                     one way to use petal: command, redis, valkey, sqlite, postgres, duckdb,
#                                 python, node, browser
#   example, docs, tree, fuzz     the examples, the pages, the source tree, the fuzz targets
#   target, registry              the targets of make help; what comes from package registries
#   slow                          not in make check
#   long                          only in make test-all
#   scaled                        its last argument says how much it does; make soak runs it for hours
#   threads                       also runs under the thread sanitizer
#   slow-asan, slow-msan          takes minutes under that sanitizer and finds little: with it, this test
#                                 runs only in make soak
#
# CMakePresets.json chooses tests by these labels, and tests/report.py prints the table of results.

set(PETAL_SOAK -1 CACHE STRING "Hours that each scaled test runs in make soak; -1: no soak")
set(PETAL_SLOWER 1 CACHE STRING "The scaled tests do this many times less in this build")

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

# petal_scaled(NAME SMALL FULL HOUR LABELS... COMMAND...): a test whose last argument says how much it
# does.  It does SMALL in every build, or less in a slow one.  NAME_long does FULL, in make test-all.
# make soak multiplies HOUR, which takes an hour at most, by its HOURS.
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
  petal_test(${name} LABELS ${ARGN} COMMAND sh -c "echo \"skipped: no $0\"; exit 77" "${what}")
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
