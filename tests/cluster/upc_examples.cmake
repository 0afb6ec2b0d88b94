# The UPC programs (examples/upc) over MPI: within a node, and with one or two threads a node.
foreach(where "2 0" "4 0" "4 2" "3 1")
  separate_arguments(where)
  list(GET where 0 n)
  list(GET where 1 node_size)
  set(name n${n}.node${node_size})
  set(at UNITS ${n} NODE_SIZE ${node_size})
  eyot_mpi_test(upc.example.cpi.${name} PROGRAM ${CMAKE_BINARY_DIR}/examples/upc/cpi ${at} PASSES "cpi: verified")
  eyot_mpi_test(upc.example.stream.${name} PROGRAM ${CMAKE_BINARY_DIR}/examples/upc/stream ${at} ARGS --elements 100000 PASSES "stream: verified")
  eyot_mpi_test(upc.example.gups.${name} PROGRAM ${CMAKE_BINARY_DIR}/examples/upc/gups ${at} ARGS -m 16 --updates 30000 PASSES "gups: verified")
  eyot_mpi_test(upc.example.stencil.${name} PROGRAM ${CMAKE_BINARY_DIR}/examples/upc/stencil ${at} ARGS --rows 60 --columns 40 --steps 8
    PASSES "stencil: verified")
  eyot_mpi_test(upc.example.collectives.${name} PROGRAM ${CMAKE_BINARY_DIR}/examples/upc/collectives ${at} ARGS --elements 20 --bytes 3000
    PASSES "collectives: verified 216 calls")
  if(TARGET upc_example_mixed)
    eyot_mpi_test(upc.example.mixed.${name} PROGRAM ${CMAKE_BINARY_DIR}/examples/upc/mixed ${at} PASSES "mixed: verified")
  endif()
endforeach()
