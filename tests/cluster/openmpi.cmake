# The mpi fabric on Open MPI: the whole conformance suite, and some of the programs that the other files here run over MPICH. Skipped, with the reason, where eyot
# was built without it. Rounds of the stress and litmus loops are cut down where units share processors between nodes.
set(openmpi_module ${CMAKE_BINARY_DIR}/lib/eyot/eyot-fabric-openmpi.so)
function(eyot_openmpi_test test)
  eyot_test_arguments(eyot_openmpi_test "" "PROGRAM;UNITS;NODE_SIZE;FAILS;PASSES" "ARGS;OPTIONS")
  if(NOT IS_ABSOLUTE "${A_PROGRAM}")
    set(A_PROGRAM ${CMAKE_BINARY_DIR}/tests/bin/${A_PROGRAM})
  endif()
  set(must pass "${A_PASSES}")
  if(A_FAILS)
    set(must fail "${A_FAILS}")
  endif()
  add_test(NAME cluster.openmpi.${test} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cluster/openmpi_only.sh ${openmpi_module}
    sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh ${must} $<TARGET_FILE:eyotrun> --fabric mpi --mpi openmpi -n ${A_UNITS} --node-size ${A_NODE_SIZE} ${A_OPTIONS}
    ${A_PROGRAM} ${A_ARGS})
  set_tests_properties(cluster.openmpi.${test} PROPERTIES TIMEOUT 120 LABELS cluster PROCESSORS 2 SKIP_RETURN_CODE 77)
endfunction()

# The last case of the suite.
set(suite PROGRAM conformance PASSES "^ok every_unit_reaches_every_other")
eyot_openmpi_test(conformance.n2.node ${suite} UNITS 2 NODE_SIZE 0)
eyot_openmpi_test(conformance.n2.nodes1 ${suite} UNITS 2 NODE_SIZE 1 ARGS --rounds 50)
eyot_openmpi_test(conformance.n4.node ${suite} UNITS 4 NODE_SIZE 0)
eyot_openmpi_test(conformance.n4.nodes2 ${suite} UNITS 4 NODE_SIZE 2 ARGS --rounds 20)
eyot_openmpi_test(conformance.n4.nodes1 ${suite} UNITS 4 NODE_SIZE 1 ARGS --rounds 10)

# Attached memory, which goes by messages here (attach_message.c).
foreach(node_size 0 1)
  foreach(kind validate notify)
    foreach(units 2 4)
      eyot_openmpi_test(dynamic_${kind}_${units}_node${node_size} PROGRAM dynamic UNITS ${units} NODE_SIZE ${node_size} ARGS model ${kind} 2 15 ${units} PASSES "^ok$")
    endforeach()
  endforeach()
  eyot_openmpi_test(dynamic_price_node${node_size} PROGRAM dynamic UNITS 2 NODE_SIZE ${node_size} ARGS price PASSES "^ok$")
endforeach()

# The progress engine: see progress.cmake.
foreach(node_size 0 1 2)
  eyot_openmpi_test(progress.conformance.nodes${node_size} ${suite} UNITS 4 NODE_SIZE ${node_size} OPTIONS --progress 1 ARGS --rounds 5)
  eyot_openmpi_test(progress.moves.nodes${node_size} PROGRAM progress_moves UNITS 3 NODE_SIZE ${node_size} OPTIONS --progress 1 ARGS 4 PASSES "^ok$")
endforeach()
eyot_openmpi_test(progress.conformance.all ${suite} UNITS 3 NODE_SIZE 2 OPTIONS --progress 2 --progress-bytes 1 --progress-private-bytes 1 ARGS --rounds 5)
eyot_openmpi_test(progress.conformance.thread ${suite} UNITS 4 NODE_SIZE 2 OPTIONS --progress thread ARGS --rounds 5)
foreach(node_size 0 1)
  eyot_openmpi_test(progress.private.nodes${node_size} PROGRAM progress_private UNITS 3 NODE_SIZE ${node_size} OPTIONS --progress 1 --progress-private-bytes 16K --stats --log info ARGS moves
    PASSES "  of private buffers +3969 ")
  eyot_openmpi_test(progress.private.fault.nodes${node_size} PROGRAM progress_private UNITS 2 NODE_SIZE ${node_size} OPTIONS --progress 1 --progress-private-bytes 16K --log info ARGS fault PASSES "^ok$")
  set_tests_properties(cluster.openmpi.progress.private.nodes${node_size} cluster.openmpi.progress.private.fault.nodes${node_size} PROPERTIES
    SKIP_REGULAR_EXPRESSION "private memory of [0-9]+ of [0-9]+ units of this node") # where the system does not allow it
endforeach()
# A longer computation than there: an operation takes Open MPI more messages, each of which waits for a processor on a loaded machine.
foreach(what target origin)
  eyot_openmpi_test(progress.${what}.process PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 ARGS ${what} served 6000 PASSES "^ok$")
endforeach()
if(TARGET eyot-fabric-openmpi)
  eyot_mpi_calls_program(requests_openmpi requests_mpi.c "${EYOT_OPENMPI_INCLUDES}" "${EYOT_OPENMPI_LIBS}")
endif()
eyot_openmpi_test(progress.requests.thread PROGRAM requests_openmpi UNITS 2 NODE_SIZE 1 OPTIONS --progress thread PASSES "^ok$")
eyot_openmpi_test(progress.target.thread PROGRAM progress UNITS 2 NODE_SIZE 1 OPTIONS --progress thread ARGS target served 6000 PASSES "^ok$")

foreach(node_size 0 1)
  eyot_openmpi_test(api_tour.node${node_size} PROGRAM api_tour UNITS 2 NODE_SIZE ${node_size} PASSES "^ok$")
  eyot_openmpi_test(notify.node${node_size} PROGRAM notify UNITS 2 NODE_SIZE ${node_size} PASSES "^ok$")
endforeach()
# Program data, puts at local completion, and teams by their members.
foreach(node_size 0 1)
  eyot_openmpi_test(data.node${node_size} PROGRAM data UNITS 3 NODE_SIZE ${node_size} OPTIONS --log silent PASSES "^ok$")
  eyot_openmpi_test(put_local.node${node_size} PROGRAM put_local UNITS 3 NODE_SIZE ${node_size} OPTIONS --log silent PASSES "^ok$")
  eyot_openmpi_test(team_members.node${node_size} PROGRAM team_members UNITS 4 NODE_SIZE ${node_size} ARGS random 5 PASSES "^ok$")
endforeach()
# Threads of a unit.
foreach(node_size 0 1)
  eyot_openmpi_test(threads.serialized.node${node_size} PROGRAM threads_serialized UNITS 2 NODE_SIZE ${node_size} PASSES "^ok$")
  eyot_openmpi_test(threads.conformance.node${node_size} PROGRAM conformance UNITS 3 NODE_SIZE ${node_size} OPTIONS --threads serialized
    ARGS thread_completes_requests_of_another thread_flushes_what_another_has_posted thread_waits_in_place_of_another PASSES "^ok thread_waits_in_place_of_another")
  eyot_openmpi_test(threads.multiple.node${node_size} PROGRAM threads_multiple UNITS 2 NODE_SIZE ${node_size} PASSES "^ok$")
endforeach()
eyot_openmpi_test(data.progress PROGRAM data UNITS 2 NODE_SIZE 1 OPTIONS --log silent --progress 1 PASSES "^ok$")
eyot_openmpi_test(api_coll.node2 PROGRAM api_coll UNITS 4 NODE_SIZE 2 PASSES "^ok$")
foreach(kind mcs hier rw)
  eyot_openmpi_test(sync_lock.${kind} PROGRAM sync_lock UNITS 2 NODE_SIZE 1
    ARGS ${kind} rounds=100 locks=3 nest=20 tries=10 timed=20 timeout=100000 node=3 group=2 readers_max=2 writers_max=2 PASSES "^ok$")
endforeach()
eyot_openmpi_test(sync_lock.attached PROGRAM sync_lock UNITS 2 NODE_SIZE 1 ARGS mcs rounds=100 think=0 attached=1 PASSES "^ok$")
foreach(node_size 0 1 2)
  eyot_openmpi_test(gups.node${node_size} PROGRAM ${CMAKE_BINARY_DIR}/examples/gups UNITS 3 NODE_SIZE ${node_size}
    ARGS --log2-table 8 --updates 300 PASSES "gups: verified: 0 of 256")
  eyot_openmpi_test(heat3d.node${node_size} PROGRAM ${CMAKE_BINARY_DIR}/examples/heat3d UNITS 4 NODE_SIZE ${node_size} ARGS --size 23,19,21 --steps 20
    PASSES "heat3d: verified")
endforeach()
# Progress processes, and what other nodes change is changed by them.
foreach(node_size 1 2)
  eyot_openmpi_test(atomics.node${node_size} PROGRAM atomics_mix UNITS 4 NODE_SIZE ${node_size} OPTIONS --progress 1 ARGS 1 all PASSES "^ok$")
endforeach()
eyot_openmpi_test(trap PROGRAM engine_fail UNITS 2 NODE_SIZE 1 ARGS trap
  FAILS "unit 1. aborts the run with code 7: the test wants it; its last operation was eyot_barrier, in phase before")
if(NOT EYOT_SANITIZE) # which catches faults itself
  eyot_openmpi_test(segv PROGRAM engine_fail UNITS 2 NODE_SIZE 0 ARGS segv FAILS "unit 1. has crashed with SIGSEGV .*its last operation was eyot_barrier")
endif()

add_test(NAME cluster.openmpi.start COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/openmpi_only.sh ${openmpi_module}
  sh ${CMAKE_CURRENT_LIST_DIR}/openmpi_start.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/include "${EYOT_OPENMPICC}" "${EYOT_OPENMPIEXEC}" "${EYOT_MPIEXEC}")
set_tests_properties(cluster.openmpi.start PROPERTIES TIMEOUT 120 LABELS cluster PROCESSORS 2 SKIP_RETURN_CODE 77)
