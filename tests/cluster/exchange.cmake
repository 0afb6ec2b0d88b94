# Fused exchanges over MPI: on one node, where pointers pass, and across virtual nodes, where messages are packed.
foreach(node_size 0 1 2)
  eyot_mpi_test(exchange.model_4_node${node_size} PROGRAM exchange_model UNITS 4 NODE_SIZE ${node_size} ARGS 4 5 PASSES "^ok$")
endforeach()
foreach(node_size 0 2)
  eyot_mpi_test(exchange.in_place_4_node${node_size} PROGRAM check_exchange UNITS 4 NODE_SIZE ${node_size} ARGS in_place rounds=20)
endforeach()
eyot_mpi_test(exchange.stuck PROGRAM exchange_wrong UNITS 2 OPTIONS --time-limit 5 ARGS stuck ENV EYOT_LOG=silent EYOT_ERRORS=return
  FAILS "unit 1: an exchange: members called a collective with different arguments")
