# eyot-calibrate over MPI, and its file in the simulator.
if(TARGET eyot-fabric-mpi AND TARGET eyot-fabric-sim)
  add_test(NAME cluster.calibrate COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/calibrate.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(cluster.calibrate PROPERTIES TIMEOUT 300 LABELS cluster PROCESSORS 2)
endif()
