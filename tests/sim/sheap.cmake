# The shared heap: objects that units of a node pass, change and free, mistakes, and what is left.
eyot_test_program(sheap sheap.c)

foreach(units 1 2 7)
  eyot_sim_test(sheap.n${units} PROGRAM sheap UNITS ${units} SEEDS 5 OPTIONS --order chaos --units-per-node 3 ARGS 3)
endforeach()
eyot_sim_test(sheap.small PROGRAM sheap UNITS 3 OPTIONS --heap-size 16M --heap-max 16M ARGS 20 2 PASSES "^ok$")
eyot_sim_test(sheap.wrong PROGRAM sheap UNITS 3 ARGS wrong PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(sheap.wrong.nodes PROGRAM sheap UNITS 3 OPTIONS --units-per-node 1 ARGS wrong PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(sheap.left PROGRAM sheap UNITS 1 ARGS left PASSES "1 allocations of eyot_sheap_alloc were not freed")
# malloc and new in the shared heap, and a pointer of another node that is followed.
if(NOT EYOT_SANITIZE)
  add_test(NAME sim.shared_malloc COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/shared_malloc.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/tests $<$<BOOL:${EYOT_FABRIC_MPI}>:mpi>)
  set_tests_properties(sim.shared_malloc PROPERTIES TIMEOUT 240 LABELS sim PROCESSORS 2)
endif()

eyot_test_program(check_sheap check_sheap.c)
set(program $<TARGET_FILE:check_sheap>)
foreach(what give both large cycle)
  eyot_check_passes(sheap.${what}.random 3 random 300 ${program} ${what} rounds=6)
  eyot_check_passes(sheap.${what}.pct 3 pct 300 ${program} ${what} rounds=6)
endforeach()
eyot_check_passes(sheap.twice.random 3 random 300 ${program} twice)
if(NOT EYOT_SANITIZE) # which has no tests of eyotcheck
  set_tests_properties(sim.check.sheap.twice.random PROPERTIES ENVIRONMENT "EYOT_ERRORS=return;EYOT_LOG=silent")
endif()
