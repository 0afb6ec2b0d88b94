# Synchronisation under load, from many seeds: locks against the oracles, and what an operation costs in messages and in memory. Other files of this folder bring
# the programs of active target, notified access, barriers and dynamic segments.
eyot_test_program(sync_lock ${CMAKE_CURRENT_LIST_DIR}/sync_lock.c ${CMAKE_CURRENT_LIST_DIR}/sync_lock_check.c ${CMAKE_SOURCE_DIR}/tests/common/oracle.c)

# The longest way of a request, which decides who came first: a latency, what the order mode adds (docs/fabrics.md), and the queue before the home.
set(sync_lag_4_strict 2000)
set(sync_lag_4_rdma 6000)
set(sync_lag_4_chaos 23000)
set(sync_lag_64_strict 3000)
set(sync_lag_64_rdma 8000)
set(sync_lag_64_chaos 26000)

# All ways of asking, several locks at a time, one inside the other.
set(sync_mixed tries=10 timed=20 nest=20 locks=3 rounds=6)
set(sync_kinds mcs hier tas)
set(sync_args_mcs bypass=0)
set(sync_args_hier node=3 group=2)
set(sync_args_tas)

# Small nodes and groups: each kind of boundary is crossed.
set(sync_small_machine --platform dragonfly:chassis=1,blades=2,nodes=2 --units-per-node 2)

foreach(kind IN LISTS sync_kinds)
  foreach(order strict rdma chaos)
    foreach(units 4 64)
      set(lag lag=${sync_lag_${units}_${order}})
      if(kind STREQUAL tas)
        set(lag)
      endif()
      eyot_sim_test(sync_lock.${kind}.${order}.n${units} PROGRAM sync_lock UNITS ${units} SEEDS 100 OPTIONS --order ${order} ${sync_small_machine}
        ARGS ${kind} ${sync_mixed} ${sync_args_${kind}} ${lag})
    endforeach()
    # One lock, no pause, nothing but waiting for it.
    eyot_sim_test(sync_lock.${kind}.${order}.tight PROGRAM sync_lock UNITS 16 SEEDS 100 OPTIONS --order ${order} ${sync_small_machine}
      ARGS ${kind} ${sync_args_${kind}} rounds=5 think=0 hold=0)
    eyot_sim_test(sync_lock.${kind}.${order}.n1024 PROGRAM sync_lock UNITS 1024 SEEDS 2 OPTIONS --order ${order} ARGS ${kind} rounds=2 locks=4 tries=10 timed=20 timeout=20000)
  endforeach()
  eyot_sim_test(sync_lock.${kind}.n4096 PROGRAM sync_lock UNITS 4096 SEEDS 2 OPTIONS --order chaos ARGS ${kind} rounds=1 locks=2 TIMEOUT 300)
endforeach()

# The collectives under locks and barriers, which agree on memory and teams.
eyot_test_program(sync_team ${CMAKE_CURRENT_LIST_DIR}/sync_team.c)
foreach(order strict rdma chaos)
  foreach(units 4 9 64)
    eyot_sim_test(sync_team.${order}.n${units} PROGRAM sync_team UNITS ${units} SEEDS 100 OPTIONS --order ${order} --units-per-node 2)
  endforeach()
endforeach()
