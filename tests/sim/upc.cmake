# The UPC interface (tests/upc) in the simulator and under eyotcheck; tests/cluster/upc.cmake runs the library's program over MPI.
foreach(name library litmus)
  eyot_test_program(upc_${name} ${CMAKE_SOURCE_DIR}/tests/upc/${name}.c)
  target_link_libraries(upc_${name} PRIVATE eyot-upc)
endforeach()
eyot_sim_test(upc.library.n1 PROGRAM upc_library UNITS 1)
eyot_sim_test(upc.library.n3 PROGRAM upc_library UNITS 3 SEEDS 5 OPTIONS --order rdma)
eyot_sim_test(upc.library.n8 PROGRAM upc_library UNITS 8 SEEDS 3 OPTIONS --order chaos --units-per-node 2)
eyot_sim_test(upc.library.n64 PROGRAM upc_library UNITS 64)
