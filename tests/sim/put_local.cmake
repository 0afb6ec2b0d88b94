# Puts that return at local completion.
eyot_test_program(put_local put_local.c)
foreach(order strict rdma chaos)
  eyot_sim_test(put_local.${order} PROGRAM put_local UNITS 4 SEEDS 5 OPTIONS --order ${order} --units-per-node 2 ENV EYOT_ERRORS=return EYOT_LOG=silent)
endforeach()
eyot_sim_test(put_local.races PROGRAM put_local UNITS 3 OPTIONS --races ENV EYOT_ERRORS=return EYOT_LOG=silent PASSES "^ok$")
