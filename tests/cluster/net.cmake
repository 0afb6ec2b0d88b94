# Several hosts on one machine: namespaces joined by a bridge, MPICH's Hydra and TCP between them (net/machine.sh), and Slurm with two nodes (slurm/batch.sh).
#   eyot_net_test(test PROGRAM name HOSTS h PER_HOST k [OPTIONS ...] [ARGS ...] PASSES regex [TIMEOUT s] [FULL])     FULL: ./dev campaigns and ./dev soak alone run it
function(eyot_net_test test)
  eyot_test_arguments(eyot_net_test "FULL" "PROGRAM;HOSTS;PER_HOST;PASSES;TIMEOUT" "OPTIONS;ARGS")
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  if(NOT IS_ABSOLUTE "${A_PROGRAM}")
    set(A_PROGRAM ${CMAKE_BINARY_DIR}/tests/bin/${A_PROGRAM})
  endif()
  math(EXPR units "${A_HOSTS} * ${A_PER_HOST}")
  add_test(NAME cluster.net.${test}.${A_HOSTS}x${A_PER_HOST} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh ${A_HOSTS}
    sh ${CMAKE_CURRENT_SOURCE_DIR}/net/run.sh $<TARGET_FILE:eyotrun> ${units} ${A_PER_HOST} "${A_PASSES}" ${A_OPTIONS} ${A_PROGRAM} ${A_ARGS})
  set(label cluster)
  if(A_FULL)
    set(label full)
  endif()
  set_tests_properties(cluster.net.${test}.${A_HOSTS}x${A_PER_HOST} PROPERTIES TIMEOUT ${A_TIMEOUT} LABELS ${label} PROCESSORS 2 SKIP_RETURN_CODE 77)
endfunction()

include(${CMAKE_SOURCE_DIR}/tests/support/lock_kinds.cmake)
set(shapes 2x2 4x1)
foreach(shape IN LISTS shapes)
  string(REPLACE "x" ";" shape ${shape})
  list(GET shape 0 hosts)
  list(GET shape 1 per_host)
  set(where HOSTS ${hosts} PER_HOST ${per_host})
  set(full) # one unit a host: the suite, and the lock that needs the most levels
  if(per_host EQUAL 1)
    set(full FULL)
  endif()
  eyot_net_test(conformance PROGRAM conformance ${where} ARGS --rounds 20 PASSES "^ok every_unit_reaches_every_other$" TIMEOUT 240)
  foreach(kind IN LISTS LOCK_KINDS)
    set(shared)
    if(LOCK_SHARED IN_LIST lock_has_${kind})
      set(shared shared=60 whole=30)
    endif()
    set(full_lock ${full})
    if(kind STREQUAL hier)
      set(full_lock)
    endif()
    eyot_net_test(sync_lock.${kind} PROGRAM sync_lock ${where} ${full_lock}
      ARGS ${kind} rounds=20 locks=2 nest=10 tries=5 timed=10 timeout=100000 node=3 group=2 readers_max=2 writers_max=2 ${shared} PASSES "^ok$")
  endforeach()
  eyot_net_test(sync_team PROGRAM sync_team ${where} ${full} ARGS rounds=20 PASSES "^ok$")
  eyot_net_test(gups PROGRAM ${CMAKE_BINARY_DIR}/examples/gups ${where} ${full} PASSES "gups: verified: 0 of 1024")
  eyot_net_test(heat3d PROGRAM ${CMAKE_BINARY_DIR}/examples/heat3d ${where} ${full} ARGS --size 23,19,21 --steps 20 PASSES "heat3d: verified")
endforeach()
# Progress processes beside the units of each host, that is, 2 + 1 and 1 + 1 processes; see progress.cmake.
set(engine OPTIONS --progress 1)
eyot_net_test(progress.conformance PROGRAM conformance HOSTS 2 PER_HOST 2 ${engine} ARGS --rounds 2 PASSES "^ok every_unit_reaches_every_other$")
eyot_net_test(progress.moves PROGRAM progress_moves HOSTS 2 PER_HOST 2 ${engine} ARGS 1 PASSES "^ok$")
eyot_net_test(progress.target.none PROGRAM progress HOSTS 2 PER_HOST 1 ARGS target stalled 600 PASSES "^ok$")
eyot_net_test(progress.target.process PROGRAM progress HOSTS 2 PER_HOST 1 ${engine} ARGS target served 1500 PASSES "^ok$")
eyot_net_test(progress.target.thread PROGRAM progress HOSTS 2 PER_HOST 1 OPTIONS --progress thread ARGS target served 1500 PASSES "^ok$")
eyot_net_test(progress.origin.process PROGRAM progress HOSTS 2 PER_HOST 1 ${engine} ARGS origin served 1500 PASSES "^ok$")
eyot_net_test(progress.heat3d PROGRAM ${CMAKE_BINARY_DIR}/examples/heat3d HOSTS 2 PER_HOST 2 ${engine} ARGS --size 23,19,21 --steps 20 PASSES "heat3d: verified")
# A short program, time and again: src/fabric_real/launch/quiet.c.
add_test(NAME cluster.net.ends COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh 4
  sh ${CMAKE_CURRENT_SOURCE_DIR}/net/ends.sh $<TARGET_FILE:eyotrun> ${CMAKE_BINARY_DIR}/examples/hello)
add_test(NAME cluster.net.hosts COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh 2 sh ${CMAKE_CURRENT_SOURCE_DIR}/net/hosts.sh ${CMAKE_BINARY_DIR})
add_test(NAME cluster.net.calibrate COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh 2 sh ${CMAKE_CURRENT_SOURCE_DIR}/net/calibrate.sh ${CMAKE_BINARY_DIR})
add_test(NAME cluster.net.supervised COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh 2
  sh ${CMAKE_CURRENT_SOURCE_DIR}/net/supervised.sh ${CMAKE_BINARY_DIR})
add_test(NAME cluster.net.gone COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/gone.sh)
add_test(NAME cluster.net.docs COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh 2
  sh ${CMAKE_SOURCE_DIR}/tests/docs/run_snippets.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/docs/cluster.md)
add_test(NAME cluster.slurm.jobs COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh 0
  sh ${CMAKE_CURRENT_SOURCE_DIR}/slurm/batch.sh ${CMAKE_CURRENT_SOURCE_DIR}/slurm/jobs.sh ${CMAKE_BINARY_DIR})
add_test(NAME cluster.slurm.progress COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh 0
  sh ${CMAKE_CURRENT_SOURCE_DIR}/slurm/batch.sh ${CMAKE_CURRENT_SOURCE_DIR}/slurm/progress.sh ${CMAKE_BINARY_DIR})
add_test(NAME cluster.slurm.docs COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh 0
  sh ${CMAKE_CURRENT_SOURCE_DIR}/slurm/batch.sh ${CMAKE_SOURCE_DIR}/tests/docs/run_snippets.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/docs/cluster-slurm.md)
set_tests_properties(cluster.net.ends cluster.net.hosts cluster.net.calibrate cluster.net.supervised cluster.net.gone cluster.net.docs cluster.slurm.jobs cluster.slurm.progress cluster.slurm.docs
  PROPERTIES TIMEOUT 120 LABELS cluster PROCESSORS 2 SKIP_RETURN_CODE 77)
if(TARGET eyot-fabric-openmpi)
  add_test(NAME cluster.slurm.openmpi COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/net/machine.sh 0
    sh ${CMAKE_CURRENT_SOURCE_DIR}/slurm/batch.sh ${CMAKE_CURRENT_SOURCE_DIR}/slurm/openmpi.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(cluster.slurm.openmpi PROPERTIES TIMEOUT 120 LABELS cluster PROCESSORS 2 SKIP_RETURN_CODE 77)
endif()
