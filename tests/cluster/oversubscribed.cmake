# Units that share processors, on whatever machine: exchanges by counting, and waiting asleep. In jobs of several nodes the teams of one node count, the others do not.
set(EYOT_TEST_BIN ${CMAKE_BINARY_DIR}/tests/bin) # where eyot_test_program (tests/sim) puts programs
eyot_test_program(oversubscribed oversubscribed.c)
target_include_directories(oversubscribed PRIVATE ${CMAKE_SOURCE_DIR}/tests)
foreach(units 4 8)
  eyot_mpi_test(oversubscribed.n${units} PROGRAM oversubscribed UNITS ${units} ARGS 400 PASSES "^ok$" ENV EYOTI_MPI_OVERSUBSCRIBED=1 TIMEOUT 60)
endforeach()
eyot_mpi_test(oversubscribed.n4.roomy PROGRAM oversubscribed UNITS 4 ARGS 100 PASSES "^ok$" ENV EYOTI_MPI_OVERSUBSCRIBED=0)
eyot_mpi_test(oversubscribed.n5.node4 PROGRAM oversubscribed UNITS 5 NODE_SIZE 4 ARGS 60 PASSES "^ok$" ENV EYOTI_MPI_OVERSUBSCRIBED=1)
eyot_mpi_test(oversubscribed.conformance PROGRAM conformance UNITS 3 ARGS --rounds 5 ENV EYOTI_MPI_OVERSUBSCRIBED=1)

# Units that share one processor although the job has enough of them.
if(TARGET eyot-fabric-mpi)
  add_test(NAME mpi.moves COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/moves.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/oversubscribed)
  set_tests_properties(mpi.moves PROPERTIES TIMEOUT 60 LABELS cluster PROCESSORS 2)
  # The end of MPI where it uses TCP within a machine.
  add_test(NAME mpi.quiet COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/quiet.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/oversubscribed 1)
  set_tests_properties(mpi.quiet PROPERTIES TIMEOUT 60 LABELS cluster PROCESSORS 2 SKIP_RETURN_CODE 77)
endif()

# Units that have a processor for themselves, and units that give time slices away.
eyot_test_program(alone alone.c)
target_include_directories(alone PRIVATE ${CMAKE_SOURCE_DIR}/tests)
if(TARGET eyot-fabric-mpi)
  add_test(NAME mpi.alone COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/alone.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/alone)
  set_tests_properties(mpi.alone PROPERTIES TIMEOUT 60 LABELS cluster PROCESSORS 2 SKIP_RETURN_CODE 77)
endif()

# Units that sleep until a wakeup, and no other event, ends their sleep: one that is lost stops the run, until the TIMEOUT.
eyot_test_program(woken woken.c)
target_include_directories(woken PRIVATE ${CMAKE_SOURCE_DIR}/tests)
set(woken_ENV "EYOTI_MPI_OVERSUBSCRIBED=1;EYOTI_MPI_WAIT_IDLE=sleep")
eyot_mpi_test(woken.calls PROGRAM woken UNITS 4 ARGS 300 signal counter barrier broadcast post array PASSES "^ok$" ENV "${woken_ENV}" TIMEOUT 60)
# Waits of collectives look around after 10 ms, so a lost wakeup of theirs shows in the number of sleeps that time has ended.
if(TARGET eyot-fabric-mpi)
  add_test(NAME mpi.woken.again COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/woken_again.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/woken)
  set_tests_properties(mpi.woken.again PROPERTIES TIMEOUT 120 LABELS cluster PROCESSORS 2)
endif()
eyot_mpi_test(woken.locks PROGRAM woken UNITS 4 ARGS 300 mcs hier rw ticket PASSES "^ok$" ENV "${woken_ENV}" TIMEOUT 60)
eyot_mpi_test(woken.inline PROGRAM woken UNITS 4 ARGS 1000 inline put PASSES "^ok$" ENV "${woken_ENV}" TIMEOUT 60)
eyot_mpi_test(woken.conformance PROGRAM conformance UNITS 3 ARGS --rounds 20 ENV ${woken_ENV} TIMEOUT 60)
# Between nodes: a processor of its own or not, a signal does not wait for another call of its sender, whose progress process serves the atomics of others.
eyot_mpi_test(woken.queued PROGRAM woken UNITS 4 NODE_SIZE 2 OPTIONS --progress 1 --atomics owner ARGS 50 queued PASSES "^ok$" TIMEOUT 60)

# What eyot does at start and end so that waiting processes give way leaves the program's signals and threads alone.
eyot_test_program(start_signal start_signal.c)
target_include_directories(start_signal PRIVATE ${CMAKE_SOURCE_DIR}/tests)
foreach(handler default own)
  eyot_mpi_test(start_signal.${handler} PROGRAM start_signal UNITS 4 NODE_SIZE 2 ARGS ${handler} PASSES "^ok$" ENV EYOTI_MPI_OVERSUBSCRIBED=1)
endforeach()
