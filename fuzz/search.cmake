# petal_fuzz_test(NAME RUNS CORPUS...): a test that replays the corpus and searches on, with a program of
# this name.
#
# The number of runs and the seed are fixed, so that the result does not depend on the machine.  RUNS take
# about 5 seconds on a quiet one; PETAL_FUZZ_RUNS multiplies them.  Inputs that a search finds stay in the
# build folder until the next one.  Only an endless loop reaches the limit of 300 seconds for one input.
set(PETAL_FUZZ_RUNS 1 CACHE STRING "How many times 5 seconds of runs each fuzz target searches")
function(petal_fuzz_test name runs)
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}-found)
  math(EXPR runs "${runs} * ${PETAL_FUZZ_RUNS}")
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/fuzz/search.sh ${found} $<TARGET_FILE:${name}>
    -runs=${runs} -seed=1 -reload=0 -max_len=65536 -timeout=300 -rss_limit_mb=1024 -malloc_limit_mb=64
    -print_final_stats=1 ${found} ${ARGN})
endfunction()
