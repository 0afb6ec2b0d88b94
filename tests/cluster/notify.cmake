# Notified access over MPI: one node (signals by the CPU) and virtual nodes of one unit (by MPI).
set(ring ${CMAKE_BINARY_DIR}/examples/ring)
foreach(node_size 0 1)
  foreach(units 2 4)
    eyot_mpi_test(notify.n${units}.node${node_size} PROGRAM notify UNITS ${units} NODE_SIZE ${node_size} PASSES "^ok$")
    foreach(by put get)
      eyot_mpi_test(ring.${by}.n${units}.node${node_size} PROGRAM ${ring} UNITS ${units} NODE_SIZE ${node_size} ARGS --by ${by}
        PASSES "ring: verified")
    endforeach()
  endforeach()
  eyot_mpi_test(ring.windows.node${node_size} PROGRAM ${ring} UNITS 3 NODE_SIZE ${node_size} ARGS --items 41 --slots 12 --window 4 PASSES "ring: verified")
  eyot_mpi_test(ring.fan.node${node_size} PROGRAM ${ring} UNITS 4 NODE_SIZE ${node_size} ARGS --shape fan --by get --window 2 PASSES "ring: verified")
endforeach()
eyot_mpi_test(notify.node2 PROGRAM notify UNITS 4 NODE_SIZE 2 PASSES "^ok$")
