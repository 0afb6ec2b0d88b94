# MPI programs on eyot's messages, over MPI: the library of the real MPI is in the same process. Programs: tests/sim/mpi_face.cmake.
foreach(units 2 4)
  eyot_mpi_test(mpi_face.milc.n${units} PROGRAM mpi_face_milc UNITS ${units} ARGS --variant mpi --space 2 PASSES "milc: mpi: verified")
endforeach()
