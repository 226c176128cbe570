# The tests of the Python package.  tests/CMakeLists.txt includes this file.
#
# The target petal_wheel makes the wheel and tries it in an environment of its own.  The tests use another
# one, in which it is installed.  They need Python 3.11 with its headers, pip, setuptools and wheel.

set(python /usr/bin/python3)
set(package ${PROJECT_SOURCE_DIR}/bindings/python)
execute_process(COMMAND ${python} -c "import setuptools, wheel, pip, venv, ensurepip, sys, sysconfig, os, pytest, hypothesis, numpy
assert sys.version_info >= (3, 11) and os.path.exists(sysconfig.get_path('include') + '/Python.h')"
  WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} # hypothesis writes files
  RESULT_VARIABLE missing ERROR_VARIABLE reason OUTPUT_QUIET)
if(missing)
  string(REGEX REPLACE ".*\n(.+)\n$" "\\1" reason "${reason}")
  petal_lacks(python "software for the Python package: ${reason}" door:python)
  add_custom_target(petal_wheel)
  return()
endif()

set(out ${CMAKE_CURRENT_BINARY_DIR}/python)
file(GLOB_RECURSE python_files CONFIGURE_DEPENDS ${package}/*.py ${package}/*.c ${package}/*.h
  ${package}/*.pyi ${package}/*.toml ${package}/*.in)
add_custom_command(OUTPUT ${out}/done
  COMMAND ${CMAKE_COMMAND} -E env XXHASH=${XXHASH_HEADER} ${package}/make.sh ${out} ${python}
  COMMAND ${CMAKE_COMMAND} -E touch ${out}/done
  DEPENDS ${sources} ${public_headers} ${python_files})
add_custom_target(petal_wheel DEPENDS ${out}/done)

if(TARGET petal_redis)
  set(module_environment "PETAL_MODULE=$<TARGET_FILE:petal_redis>")
endif()
set(environment "PETAL=$<TARGET_FILE:petal>" "PETAL_LIBRARY=$<TARGET_FILE:petal_shared>"
  "PETAL_GOLDEN=${golden}" ${module_environment} PYTHONDONTWRITEBYTECODE=1
  "HYPOTHESIS_STORAGE_DIRECTORY=${out}/hypothesis")
petal_test(python LABELS door:python slow COST 50 ENVIRONMENT ${environment} COMMAND
  ${out}/venv/bin/python -m pytest -q -rs -p no:cacheprovider -m "not pypi and not long" ${package}/tests)
petal_test(python_long LABELS door:python long COST 50 ENVIRONMENT ${environment} COMMAND
  ${package}/long_test.sh ${out})
petal_test(python_newest LABELS door:python registry long ENVIRONMENT ${environment} COMMAND
  ${package}/newest_test.sh ${out}/dist ${out}/newest)
