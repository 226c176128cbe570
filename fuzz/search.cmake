# petal_fuzz_test(NAME RUNS CORPUS...): a test that replays the corpus and searches on, with a program of
# this name.
#
# The number of runs and the seed are fixed, so that the result does not depend on the machine.  RUNS take
# about 10 seconds on a quiet one.  make soak searches for hours instead, each time with another seed, which
# is in the output of the test.  Inputs that a search finds stay in the build folder until the next one.
# Only an endless loop reaches the limit of 300 seconds for one input.
function(petal_fuzz_test name runs)
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}-found)
  set(length -runs=${runs} -seed=1)
  if(PETAL_SOAK GREATER 0)
    math(EXPR seconds "3600 * ${PETAL_SOAK}")
    set(length -max_total_time=${seconds})
  endif()
  petal_test(${name} LABELS fuzz scaled COST 50 COMMAND ${PROJECT_SOURCE_DIR}/fuzz/search.sh ${found} $<TARGET_FILE:${name}>
    ${length} -reload=0 -max_len=65536 -timeout=300 -rss_limit_mb=1024 -malloc_limit_mb=64
    -print_final_stats=1 ${found} ${ARGN})
endfunction()
