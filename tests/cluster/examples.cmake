# The example programs over MPI: mapped memory (one node) and virtual nodes of one and two units.
foreach(node_size 0 1 2)
  eyot_mpi_test(hello.node${node_size} PROGRAM ${CMAKE_BINARY_DIR}/examples/hello UNITS 3 NODE_SIZE ${node_size} PASSES "unit 2 of 3 .*greeted by unit 1")
  eyot_mpi_test(heat3d.node${node_size} PROGRAM ${CMAKE_BINARY_DIR}/examples/heat3d UNITS 4 NODE_SIZE ${node_size} ARGS --size 23,19,21 --steps 20 PASSES "heat3d: verified")
  eyot_mpi_test(heat3d.blocking.node${node_size} PROGRAM ${CMAKE_BINARY_DIR}/examples/heat3d UNITS 4 NODE_SIZE ${node_size}
    ARGS --size 23,19,21 --steps 20 --variant blocking --sync barrier PASSES "heat3d: verified")
  eyot_mpi_test(gups.node${node_size} PROGRAM ${CMAKE_BINARY_DIR}/examples/gups UNITS 3 NODE_SIZE ${node_size} PASSES "gups: verified: 0 of 1024")
endforeach()
foreach(units 1 2 8)
  eyot_mpi_test(heat3d.n${units} PROGRAM ${CMAKE_BINARY_DIR}/examples/heat3d UNITS ${units} ARGS --size 16 --steps 10 PASSES "heat3d: verified")
endforeach()
