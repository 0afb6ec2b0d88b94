# Barriers over MPI: with shared memory, and with the messages of one unit a node and two.
foreach(node_size 0 1 2)
  foreach(units 2 4)
    foreach(teams all halves thirds nodes)
      eyot_mpi_test(barrier.${teams}.n${units}.node${node_size} PROGRAM barrier UNITS ${units} NODE_SIZE ${node_size} ARGS ${teams} 20 ENV EYOT_LOG=silent PASSES "^ok$")
    endforeach()
  endforeach()
endforeach()
