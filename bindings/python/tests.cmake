# The tests of the Python package.  tests/CMakeLists.txt includes this file.
#
# python_wheel builds the wheel and tries it; the other tests use the environment in which it is
# installed.  They need Python 3.11 with its headers, pip, setuptools and wheel.

set(python /usr/bin/python3)
set(package ${PROJECT_SOURCE_DIR}/bindings/python)
execute_process(COMMAND ${python} -c "import setuptools, wheel, pip, venv, ensurepip, sys, sysconfig, os, pytest, hypothesis, numpy
assert sys.version_info >= (3, 11) and os.path.exists(sysconfig.get_path('include') + '/Python.h')"
  RESULT_VARIABLE missing ERROR_VARIABLE reason OUTPUT_QUIET)
if(missing)
  string(REGEX REPLACE ".*\n(.+)\n$" "\\1" reason "${reason}")
  message(STATUS "petal: the Python package is not tested: ${reason}")
  return()
endif()

set(out ${CMAKE_CURRENT_BINARY_DIR}/python)
add_test(NAME python_wheel COMMAND ${package}/make.sh ${out} ${python})
set_tests_properties(python_wheel PROPERTIES FIXTURES_SETUP python ENVIRONMENT "XXHASH=${XXHASH_HEADER}")

if(TARGET petal_redis)
  set(module_environment "PETAL_MODULE=$<TARGET_FILE:petal_redis>;")
endif()
function(petal_python_test name)
  add_test(NAME ${name} COMMAND ${out}/venv/bin/python -m pytest -q -p no:cacheprovider ${ARGN})
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED python ENVIRONMENT "PETAL=$<TARGET_FILE:petal>;\
PETAL_LIBRARY=$<TARGET_FILE:petal_shared>;PETAL_GOLDEN=${golden};\
${module_environment}PYTHONDONTWRITEBYTECODE=1;HYPOTHESIS_STORAGE_DIRECTORY=${out}/hypothesis")
endfunction()
petal_python_test(python ${package}/tests)
set_tests_properties(python python_wheel PROPERTIES LABELS python)
