# MPI programs on eyot's messages (include/eyot-mpi) in the simulator; tests/cluster/mpi_face.cmake runs the same files over MPI.
# The programs of bench/ that call MPI, not a line changed.
foreach(app fft2d fft3d minimd lulesh_halo milc)
  if(app MATCHES fft AND NOT TARGET PkgConfig::EYOT_FFTW)
    continue()
  endif()
  file(GLOB app_parts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/${app}/*.c)
  list(FILTER app_parts EXCLUDE REGEX "_variants\\.c$")
  eyot_test_program(mpi_face_${app} ${CMAKE_SOURCE_DIR}/bench/${app}_mpi.c ${app_parts})
  target_link_libraries(mpi_face_${app} PRIVATE eyot-mpi)
  if(app MATCHES fft)
    target_link_libraries(mpi_face_${app} PRIVATE PkgConfig::EYOT_FFTW)
  endif()
endforeach()
foreach(units 4 16)
  eyot_sim_test(mpi_face.milc.n${units} PROGRAM mpi_face_milc UNITS ${units} SEEDS 3 OPTIONS --order rdma --units-per-node 2 ARGS --variant mpi)
endforeach()
eyot_sim_test(mpi_face.milc.n1024 PROGRAM mpi_face_milc UNITS 1024 ARGS --variant mpi --space 2 --time 2 --iterations 3 PASSES "milc: mpi: verified")

# Programs of tests/mpi_face, written from MPI's text.
foreach(name messages coll bad)
  eyot_test_program(mpi_face_${name} ${CMAKE_SOURCE_DIR}/tests/mpi_face/${name}.c)
  target_link_libraries(mpi_face_${name} PRIVATE eyot-mpi)
endforeach()
