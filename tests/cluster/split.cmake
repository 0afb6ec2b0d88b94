# Split-phase barriers whose members wait for each other between notify and wait: with shared memory, and with one unit a node.
foreach(node_size 0 1)
  foreach(units 2 4)
    eyot_mpi_test(split.n${units}.node${node_size} PROGRAM split UNITS ${units} NODE_SIZE ${node_size} ARGS mcs 3 PASSES "^ok$")
  endforeach()
endforeach()
