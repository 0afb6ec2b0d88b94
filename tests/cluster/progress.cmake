# The progress engine (EYOT_PROGRESS): units without it, with progress processes, with a thread. On a small machine all of this is crowded, so the suites are short.
set(EYOT_TEST_BIN ${CMAKE_BINARY_DIR}/tests/bin) # where eyot_test_program (tests/sim) puts programs
eyot_test_program(progress progress.c)
target_include_directories(progress PRIVATE ${CMAKE_SOURCE_DIR}/tests)
eyot_test_program(progress_moves progress_moves.c)
target_include_directories(progress_moves PRIVATE ${CMAKE_SOURCE_DIR}/tests)
eyot_test_program(progress_private progress_private.c)
target_include_directories(progress_private PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(progress_private PRIVATE ${CMAKE_DL_LIBS})
eyot_test_program(progress_woken progress_woken.c)
target_include_directories(progress_woken PRIVATE ${CMAKE_SOURCE_DIR}/tests)

# Every transfer that can be is handed over (1 byte), or those from the default on.
foreach(node_size 0 1 2)
  eyot_mpi_test(progress.conformance.nodes${node_size} PROGRAM conformance UNITS 4 NODE_SIZE ${node_size} OPTIONS --progress 1 ARGS --rounds 5)
  eyot_mpi_test(progress.moves.nodes${node_size} PROGRAM progress_moves UNITS 3 NODE_SIZE ${node_size} OPTIONS --progress 1 ARGS 4)
endforeach()
eyot_mpi_test(progress.conformance.all PROGRAM conformance UNITS 3 NODE_SIZE 2 OPTIONS --progress 2 --progress-bytes 1 --progress-private-bytes 1 ARGS --rounds 5)
# A progress process learns of a new segment from one unit, and of the first puts to it from others.
eyot_mpi_test(progress.conformance.new_segments PROGRAM conformance UNITS 7 OPTIONS --progress 1 --progress-bytes 1 --progress-private-bytes 1 ARGS --rounds 20 seg_is_used_at_once)
eyot_mpi_test(progress.conformance.thread PROGRAM conformance UNITS 4 NODE_SIZE 2 OPTIONS --progress thread ARGS --rounds 5)
# While the unit makes a request its thread is outside MPI, which Open MPI needs (openmpi.cmake).
if(TARGET eyot-fabric-mpi)
  eyot_mpi_calls_program(requests_mpi requests_mpi.c "${EYOT_MPI_INCLUDES}" "${EYOT_MPI_LIBS}")
  eyot_mpi_test(progress.requests.thread PROGRAM requests_mpi UNITS 2 NODE_SIZE 1 OPTIONS --progress thread PASSES "^ok$" ENV EYOTI_MPI_LOSES_REQUESTS=1)
endif()
eyot_mpi_test(progress.moves.all PROGRAM progress_moves UNITS 4 NODE_SIZE 2 OPTIONS --progress 2 --progress-bytes 1 --progress-private-bytes 1 ARGS 2 ENV EYOTI_MPI_CHUNK_BYTES=1000)

# The target computes: without the engine whoever has an operation under way to it waits for it.
eyot_mpi_test(progress.target.none PROGRAM progress UNITS 2 NODE_SIZE 1 ARGS target stalled 600)
eyot_mpi_test(progress.target.process PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 ARGS target served 1500)
eyot_mpi_test(progress.target.thread PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress thread ARGS target served 1500)
# The origin computes, and nobody is inside MPI.
eyot_mpi_test(progress.origin.none PROGRAM progress UNITS 2 NODE_SIZE 1 ARGS origin stalled 600)
eyot_mpi_test(progress.origin.process PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 ARGS origin served 1500)
eyot_mpi_test(progress.origin.node PROGRAM progress UNITS 2 OPTIONS --progress 1 ARGS origin served 1500)
eyot_mpi_test(progress.signal.none PROGRAM progress UNITS 2 NODE_SIZE 1 ARGS signal stalled 600)
eyot_mpi_test(progress.signal.process PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 ARGS signal served 1500)
eyot_mpi_test(progress.signal.node PROGRAM progress UNITS 2 OPTIONS --progress 2 ARGS signal served 1500)
eyot_mpi_test(progress.origin.private PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 --log info ARGS private served 1500)
eyot_mpi_test(progress.origin.private.off PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 --progress-private off ARGS private stalled 600)
eyot_mpi_test(progress.origin.thread PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress thread ARGS private served 1500)

# Progress processes that sleep, and are woken. A wake-up that is lost stops the run, until the TIMEOUT.
foreach(servers 1 2)
  eyot_mpi_test(progress.woken.k${servers} PROGRAM progress_woken UNITS 3 OPTIONS --progress ${servers} --progress-bytes 1 ARGS 30000 PASSES "^ok$" ENV EYOTI_MPI_SERVER_IDLE=sleep TIMEOUT 60)
endforeach()
eyot_mpi_test(progress.woken.apart PROGRAM progress_woken UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 --progress-bytes 1 ARGS 200 PASSES "^ok$" ENV EYOTI_MPI_SERVER_IDLE=sleep TIMEOUT 60)

# What is handed over, and what is not: long transfers only.
eyot_mpi_test(progress.threshold.reached PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 --stats --progress-bytes 4M ARGS origin served 1500
  PASSES "by progress processes +1 +4194304$")
eyot_mpi_test(progress.threshold.missed PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 --stats --progress-bytes 4194305 ARGS origin stalled 600
  PASSES "by progress processes +0 +0$")

# Private buffers. What each of 9 pairs has handed over: of 15 sizes those that reach the threshold (10, and 7 with the default), from heap and stack, there and back; two
# times 200 at a time, if 20,000 bytes reach it; one with signal.
foreach(node_size 0 1 2)
  eyot_mpi_test(progress.private.nodes${node_size} PROGRAM progress_private UNITS 3 NODE_SIZE ${node_size} OPTIONS --progress 1 --progress-private-bytes 16K --stats --log info ARGS moves
    PASSES "  of private buffers +3969 ")
endforeach()
eyot_mpi_test(progress.private.all PROGRAM progress_private UNITS 3 NODE_SIZE 2 OPTIONS --progress 2 --progress-bytes 1 --progress-private-bytes 1 --stats --log info ARGS moves
  PASSES "  of private buffers +4149 " ENV EYOTI_MPI_CHUNK_BYTES=30000)
eyot_mpi_test(progress.private.partial PROGRAM progress_private UNITS 3 NODE_SIZE 2 OPTIONS --progress 1 --progress-private-bytes 16K --stats --log info ARGS partial
  PASSES "  of private buffers +3969 ")
eyot_mpi_test(progress.private.default PROGRAM progress_private UNITS 3 NODE_SIZE 2 OPTIONS --progress 1 --stats --log info ARGS moves PASSES "  of private buffers +261 ")
eyot_mpi_test(progress.private.yama PROGRAM progress_private UNITS 3 OPTIONS --progress 1 --progress-private-bytes 16K --stats --log info ARGS yama
  PASSES "  of private buffers +3969 ")
eyot_mpi_test(progress.private.off PROGRAM progress_private UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 --progress-private off --stats ARGS moves
  PASSES "  of private buffers +0 +0$")
foreach(mode refused refused_write)
  eyot_mpi_test(progress.private.${mode} PROGRAM progress_private UNITS 2 OPTIONS --progress 1 --stats ARGS ${mode}
    PASSES "  not of private buffers of +2 of 2 units: the system does not let")
endforeach()
eyot_mpi_test(progress.private.told PROGRAM progress_private UNITS 2 OPTIONS --progress 1 --log info ARGS refused
  PASSES "private memory of 2 of 2 units of this node .Operation not permitted.")
foreach(node_size 0 1 2)
  eyot_mpi_test(progress.private.fault.nodes${node_size} PROGRAM progress_private UNITS 3 NODE_SIZE ${node_size} OPTIONS --progress 2 --progress-private-bytes 16K --log info ARGS fault
    PASSES "non-blocking get from unit 0 could not write to the caller's buffer: Bad address")
endforeach()

# Where the system does not let a process access another's memory there is nothing to test.
foreach(test private.nodes0 private.nodes1 private.nodes2 private.all private.partial private.default private.yama private.fault.nodes0 private.fault.nodes1 private.fault.nodes2
    origin.private)
  if(TEST mpi.progress.${test})
    set_tests_properties(mpi.progress.${test} PROPERTIES SKIP_REGULAR_EXPRESSION "private memory of [0-9]+ of [0-9]+ units of this node")
  endif()
endforeach()

add_test(NAME mpi.progress.start COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/progress_start.sh ${CMAKE_BINARY_DIR}/bin ${CMAKE_BINARY_DIR}/tests/bin ${EYOT_MPIEXEC})
set_tests_properties(mpi.progress.start PROPERTIES TIMEOUT 120 LABELS cluster PROCESSORS 2)

# A progress process or a progress thread that crashes says which it is, and ends the job.
eyot_test_program(progress_crash progress_crash.c)
if(NOT EYOT_SANITIZE) # which catches faults itself
  eyot_mpi_test(progress.crash.process PROGRAM progress_crash UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 ARGS 11 FAILS "^eyot: .progress process 0 of node [01]. has crashed with SIGSEGV")
  eyot_mpi_test(progress.crash.thread PROGRAM progress_crash UNITS 2 NODE_SIZE 1 OPTIONS --progress thread ARGS 11 FAILS "^eyot: .unit 0. has crashed in its progress thread with SIGSEGV")
endif()
