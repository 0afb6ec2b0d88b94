# Fused exchanges: random programs against what each element must be, and small programs under each strategy of eyotcheck.
eyot_test_program(exchange_model exchange_model.c)
eyot_test_program(check_exchange check_exchange.c)

foreach(order strict rdma chaos)
  foreach(units 3 16)
    eyot_sim_test(exchange.model.${order}.n${units} PROGRAM exchange_model UNITS ${units} SEEDS 10 OPTIONS --order ${order} --units-per-node 3 ARGS 2 1)
  endforeach()
endforeach()
eyot_sim_test(exchange.model.n64 PROGRAM exchange_model UNITS 64 SEEDS 2 OPTIONS --order chaos --units-per-node 7 ARGS 1 2)
eyot_sim_test(exchange.model.alone PROGRAM exchange_model UNITS 1 ARGS 4 3)
eyot_sim_test(exchange.model.simgrid PROGRAM exchange_model UNITS 4 OPTIONS --engine simgrid ARGS 1 4)
