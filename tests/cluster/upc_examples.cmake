# The UPC programs (examples/upc) over MPI: within a node, and with one or two threads a node.
foreach(where "2 0" "4 0" "4 2" "3 1")
  separate_arguments(where)
  list(GET where 0 n)
  list(GET where 1 node_size)
  set(name n${n}.node${node_size})
  set(at UNITS ${n} NODE_SIZE ${node_size})
  eyot_mpi_test(upc.example.cpi.${name} PROGRAM ${CMAKE_BINARY_DIR}/examples/upc/cpi ${at} PASSES "cpi: verified")
endforeach()
