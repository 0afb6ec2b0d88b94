# The programs of tests/sim/api.cmake over MPI: one node, and every unit on a node of its own.
foreach(node_size 0 1)
  foreach(program api_tour api_coll api_fuzz)
    eyot_mpi_test(${program}_2_node${node_size} PROGRAM ${program} UNITS 2 NODE_SIZE ${node_size} PASSES "^ok$")
  endforeach()
  eyot_mpi_test(api_tour_4_node${node_size} PROGRAM api_tour UNITS 4 NODE_SIZE ${node_size} PASSES "^ok$")
endforeach()
eyot_mpi_test(api_coll_4_node2 PROGRAM api_coll UNITS 4 NODE_SIZE 2 PASSES "^ok$" TIMEOUT 240)
eyot_mpi_test(api_fuzz_4_node2 PROGRAM api_fuzz UNITS 4 NODE_SIZE 2 ARGS 9 10 PASSES "^ok$")
