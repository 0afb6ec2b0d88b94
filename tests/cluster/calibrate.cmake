# eyot-calibrate over MPI, and its file in the simulator.
if(TARGET eyot-fabric-mpi AND TARGET eyot-fabric-sim)
  add_test(NAME cluster.calibrate COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/calibrate.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(cluster.calibrate PROPERTIES TIMEOUT 300 LABELS cluster PROCESSORS 2)
endif()
# A machine file over MPI: the choice of collectives' algorithms.
if(TARGET eyot-fabric-mpi AND TARGET check_coll)
  add_test(NAME cluster.machine COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/machine.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(cluster.machine PROPERTIES TIMEOUT 240 LABELS cluster PROCESSORS 2)
endif()
