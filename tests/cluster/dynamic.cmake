# The program of tests/sim/dynamic.cmake over MPI: one node, and every unit on a node of its own.
foreach(node_size 0 1)
  foreach(kind validate notify)
    foreach(units 2 4)
      eyot_mpi_test(dynamic_${kind}_${units}_node${node_size} PROGRAM dynamic UNITS ${units} NODE_SIZE ${node_size}
        ARGS model ${kind} 2 15 ${units} PASSES "^ok$" ENV EYOT_LOG=silent)
    endforeach()
  endforeach()
  eyot_mpi_test(dynamic_price_node${node_size} PROGRAM dynamic UNITS 2 NODE_SIZE ${node_size} ARGS price PASSES "^ok$")
endforeach()
