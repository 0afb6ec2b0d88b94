# Operation sets over MPI: within a node, and between nodes.
foreach(node_size 0 1)
  eyot_mpi_test(sets.node${node_size} PROGRAM sets UNITS 3 NODE_SIZE ${node_size} OPTIONS --log silent PASSES "^ok$")
endforeach()
eyot_mpi_test(sets.progress PROGRAM sets UNITS 2 NODE_SIZE 1 OPTIONS --log silent --progress 1 PASSES "^ok$")
