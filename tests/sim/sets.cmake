# Operation sets.
eyot_test_program(sets sets.c)
foreach(order strict rdma chaos)
  eyot_sim_test(sets.${order} PROGRAM sets UNITS 4 SEEDS 5 OPTIONS --order ${order} --units-per-node 2 ENV EYOT_ERRORS=return EYOT_LOG=silent)
endforeach()
eyot_sim_test(sets.races PROGRAM sets UNITS 3 OPTIONS --races ENV EYOT_ERRORS=return EYOT_LOG=silent PASSES "^ok$")
eyot_sim_test(sets.wrong PROGRAM sets ARGS wrong UNITS 3 OPTIONS --races ENV EYOT_ERRORS=return EYOT_LOG=silent FAILS "[1-9][0-9]* races? found")
