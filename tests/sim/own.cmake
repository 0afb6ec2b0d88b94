# Messages that pass buffers: random ones of all combinations with sends and receives, mistakes, and small programs under eyotcheck.
eyot_test_program(own own.c)

foreach(order strict rdma chaos)
  foreach(units 2 7)
    eyot_sim_test(own.${order}.n${units} PROGRAM own UNITS ${units} SEEDS 5 OPTIONS --order ${order} --units-per-node 3 ARGS 3)
  endforeach()
endforeach()
eyot_sim_test(own.alone PROGRAM own UNITS 1 ARGS 3 PASSES "^ok$")
eyot_sim_test(own.n64 PROGRAM own UNITS 64 OPTIONS --order chaos --units-per-node 7 ARGS 2 3 PASSES "^ok$")
eyot_sim_test(own.simgrid PROGRAM own UNITS 4 OPTIONS --engine simgrid ARGS 2 PASSES "^ok$")
# Nothing is kept in pools; every give waits for its take.
eyot_sim_test(own.no_pool PROGRAM own UNITS 5 SEEDS 5 OPTIONS --order chaos --units-per-node 3 --own-pool 0 ARGS 3 4)
eyot_sim_test(own.wrong.n3 PROGRAM own UNITS 3 ARGS wrong PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(own.wrong.nodes PROGRAM own UNITS 3 OPTIONS --units-per-node 1 ARGS wrong PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(own.left PROGRAM own UNITS 1 ARGS left PASSES "owns 1 buffers that it has neither freed nor given away")
