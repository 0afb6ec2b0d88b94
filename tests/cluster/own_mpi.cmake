# Programs that initialize MPI themselves, and what EYOT_PROGRESS may then be: one program for each MPI that was found.
#   eyot_own_mpi(name libs includes environment...)
function(eyot_own_mpi name libs includes)
  add_executable(own_mpi_${name} ${CMAKE_CURRENT_SOURCE_DIR}/own_mpi.c)
  target_include_directories(own_mpi_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_include_directories(own_mpi_${name} SYSTEM PRIVATE ${includes})
  target_link_libraries(own_mpi_${name} PRIVATE eyot ${libs})
  set_target_properties(own_mpi_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
  set(run $<TARGET_FILE:eyotrun> --fabric mpi --mpi ${name} -n 2 --node-size 1)
  foreach(case
      "none;pass;^ok$;;single;0"
      "none_multiple;pass;^ok$;;multiple;0"
      "thread;pass;^ok$;--progress=thread;multiple;4000"
      "thread_level;fail;EYOT_PROGRESS=thread needs MPI_THREAD_MULTIPLE, and the program has initialized MPI with less: ask for it in MPI_Init_thread;--progress=thread;single;0"
      "processes;fail;EYOT_PROGRESS takes processes out of MPI_COMM_WORLD.* leave MPI_Init to eyot_init, or set EYOT_PROGRESS=thread;--progress=1;multiple;0")
    list(GET case 0 test)
    list(GET case 1 must)
    list(GET case 2 regex)
    list(GET case 3 option)
    list(GET case 4 level)
    list(GET case 5 ms)
    add_test(NAME cluster.own_mpi.${name}.${test} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh ${must} "${regex}" ${run} ${option}
      $<TARGET_FILE:own_mpi_${name}> ${level} ${ms})
    set_tests_properties(cluster.own_mpi.${name}.${test} PROPERTIES TIMEOUT 60 LABELS cluster PROCESSORS 2 ENVIRONMENT "${ARGN}")
  endforeach()
endfunction()

if(TARGET eyot-fabric-mpi)
  eyot_own_mpi(mpich "${EYOT_MPI_LIBS}" "${EYOT_MPI_INCLUDES}")
endif()
if(TARGET eyot-fabric-openmpi) # docs/fabrics.md: what eyot cannot set any more once the program has called MPI_Init
  eyot_own_mpi(openmpi "${EYOT_OPENMPI_LIBS}" "${EYOT_OPENMPI_INCLUDES}" OMPI_MCA_pml=ucx OMPI_MCA_osc=ucx,sm OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any
    OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any OMPI_MCA_opal_common_ucx_progress_iterations=1)
endif()
