# Split-phase barriers whose members wait for each other between notify and wait.
eyot_test_program(split split.c)

include(${CMAKE_SOURCE_DIR}/tests/support/lock_kinds.cmake)
lock_kinds_without(split_kinds LOCK_MEMBERS)
foreach(order strict rdma chaos)
  foreach(lock IN LISTS split_kinds)
    eyot_sim_test(split.${lock}.${order}.n4 PROGRAM split SEEDS 100 OPTIONS --order ${order} ARGS ${lock})
    eyot_sim_test(split.${lock}.${order}.n64 PROGRAM split UNITS 64 SEEDS 20 OPTIONS --order ${order} --platform dragonfly:chassis=2,blades=2,nodes=2 --units-per-node 3
      ARGS ${lock} 1)
  endforeach()
endforeach()
