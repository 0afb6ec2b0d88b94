# tests/sim/api_*.c and the examples over MPI: the files that the simulator ran.
foreach(name api_tour api_coll api_fuzz)
  eyot_mpi_test(${name}.n2 PROGRAM ${name} UNITS 2)
  eyot_mpi_test(${name}.n4 PROGRAM ${name} UNITS 4)
  eyot_mpi_test(${name}.n3.nodes1 PROGRAM ${name} UNITS 3 NODE_SIZE 1)
  eyot_mpi_test(${name}.n4.nodes2 PROGRAM ${name} UNITS 4 NODE_SIZE 2)
endforeach()
