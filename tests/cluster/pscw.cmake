# The program of tests/sim/pscw.cmake over MPI: one node, and every unit on a node of its own.
foreach(node_size 0 1)
  foreach(units 2 4)
    eyot_mpi_test(pscw.ring.n${units}.node${node_size} PROGRAM pscw UNITS ${units} NODE_SIZE ${node_size} ARGS ring=1 ahead=4 epochs=40 PASSES "^ok$")
    eyot_mpi_test(pscw.random.n${units}.node${node_size} PROGRAM pscw UNITS ${units} NODE_SIZE ${node_size} ARGS ring=0 degree=3 ahead=3 epochs=40 PASSES "^ok$")
    eyot_mpi_test(pscw.changing.n${units}.node${node_size} PROGRAM pscw UNITS ${units} NODE_SIZE ${node_size}
      ARGS ring=0 degree=3 ahead=3 redraw=1 changing=1 epochs=20 PASSES "^ok$")
  endforeach()
endforeach()
