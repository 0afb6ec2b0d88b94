# The programs that compare ways of communication, over MPI: on one node, and across virtual nodes.
set(apps ${CMAKE_BINARY_DIR}/examples)
foreach(row "2 0" "2 1" "4 2" "8 4")
  separate_arguments(row)
  list(GET row 0 units)
  list(GET row 1 node_size)
  if(TARGET fft2d)
    eyot_mpi_test(fft2d.n${units}.node${node_size} PROGRAM ${apps}/fft2d UNITS ${units} NODE_SIZE ${node_size} ARGS --elements 4096 --steps 5
      PASSES "fft2d: rma: verified")
    eyot_mpi_test(fft3d.n${units}.node${node_size} PROGRAM ${apps}/fft3d UNITS ${units} NODE_SIZE ${node_size} PASSES "fft3d: rma: verified: .* NAS FT")
  endif()
  eyot_mpi_test(minimd.n${units}.node${node_size} PROGRAM ${apps}/minimd UNITS ${units} NODE_SIZE ${node_size} ARGS --atoms 500 --steps 21
    PASSES "minimd: rma: verified")
  eyot_mpi_test(milc.n${units}.node${node_size} PROGRAM ${apps}/milc UNITS ${units} NODE_SIZE ${node_size} ARGS --iterations 10 PASSES "milc: rma: verified")
endforeach()
foreach(node_size 0 4)
  eyot_mpi_test(lulesh_halo.n8.node${node_size} PROGRAM ${apps}/lulesh_halo UNITS 8 NODE_SIZE ${node_size} ARGS --elements 4 --steps 10
    PASSES "lulesh_halo: rma: verified")
endforeach()
# With MPI's own messages among the ways. More than two units would wait for processors: MPI's waits do not give way.
foreach(app fft2d fft3d minimd milc)
  if(TARGET bench_${app})
    eyot_mpi_test(${app}.mpi PROGRAM ${CMAKE_BINARY_DIR}/bench/bench_${app} UNITS 2 PASSES "${app}: mpi_again: verified")
  endif()
endforeach()
if(TARGET bench_lulesh_halo) # a cube of units
  eyot_mpi_test(lulesh_halo.mpi PROGRAM ${CMAKE_BINARY_DIR}/bench/bench_lulesh_halo UNITS 8 ARGS --elements 2 --steps 2 PASSES "lulesh_halo: mpi_again: verified")
endif()
