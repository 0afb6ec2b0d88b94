# Puts that return at local completion: within a node, between nodes, and with progress processes.
foreach(node_size 0 1)
  eyot_mpi_test(put_local.node${node_size} PROGRAM put_local UNITS 3 NODE_SIZE ${node_size} OPTIONS --log silent PASSES "^ok$")
endforeach()
eyot_mpi_test(put_local.progress PROGRAM put_local UNITS 2 NODE_SIZE 1 OPTIONS --log silent --progress 1 PASSES "^ok$")
