# Synchronization under load, from many seeds: locks against the oracles, and what an operation costs in messages and in memory. Other files of this folder bring
# the programs of active target, notified access, barriers and dynamic segments.
include(${CMAKE_SOURCE_DIR}/tests/support/lock_kinds.cmake)
eyot_test_program(sync_lock sync_lock.c sync_lock_check.c ../support/oracle.c)
eyot_test_program(lock_gives_up lock_gives_up.c)
foreach(kind mcs hier rw)
  foreach(units 2 8)
    eyot_sim_test(lock_gives_up.${kind}.n${units} PROGRAM lock_gives_up UNITS ${units} OPTIONS --units-per-node 1 --max-virtual-time 200ms ARGS ${kind} 3000
      ENV EYOT_ERRORS=return PASSES "^ok$")
  endforeach()
endforeach()

# The longest way of a request, which decides who came first: a latency, what the order mode adds (docs/fabrics.md), and the queue before the home.
set(sync_lag_4_strict 2000)
set(sync_lag_4_rdma 6000)
set(sync_lag_4_chaos 23000)
set(sync_lag_64_strict 3000)
set(sync_lag_64_rdma 8000)
set(sync_lag_64_chaos 26000)

# All ways of asking, several locks at a time, one inside the other.
set(sync_mixed tries=10 timed=20 nest=20 locks=3 rounds=6)
# The longest that an empty hold and a hand-over take: what a wait for lock_holds_<kind> of them is measured by. How long ticket takes depends on its pauses.
set(sync_hold_strict 10000)
set(sync_hold_rdma 30000)
set(sync_hold_chaos 220000)

# Small nodes and groups: each kind of boundary is crossed.
set(sync_small_machine --platform dragonfly:chassis=1,blades=2,nodes=2 --units-per-node 2)

foreach(kind IN LISTS LOCK_KINDS)
  foreach(order strict rdma chaos)
    eyot_wide_order(wide ${order})
    foreach(units 4 64)
      set(lag lag=${sync_lag_${units}_${order}})
      if(NOT LOCK_IN_ORDER IN_LIST lock_has_${kind})
        set(lag)
      else()
        list(APPEND lag bypass=0)
      endif()
      if(LOCK_SHARED IN_LIST lock_has_${kind} AND units EQUAL 64)
        set(lag readers=2)
      endif()
      math(EXPR late "${sync_lag_${units}_${order}} * ${lock_late_${kind}}")
      eyot_sim_test(sync_lock.${kind}.${order}.n${units} PROGRAM sync_lock UNITS ${units} SEEDS 100 OPTIONS --order ${order} ${sync_small_machine}
        ARGS ${kind} ${sync_mixed} ${lock_args_${kind}} ${lag} late=${late} try_max=${late})
    endforeach()
    # One lock, no pause, nothing but waiting for it.
    set(wait)
    if(lock_holds_${kind} GREATER 0)
      math(EXPR wait "${lock_holds_${kind}} * ${sync_hold_${order}}")
      set(wait wait=${wait})
    endif()
    eyot_sim_test(sync_lock.${kind}.${order}.tight PROGRAM sync_lock UNITS 16 SEEDS 100 OPTIONS --order ${order} ${sync_small_machine}
      ARGS ${kind} ${lock_args_${kind}} rounds=5 think=0 hold=0 ${wait})
    eyot_sim_test(sync_lock.${kind}.${order}.n1024 PROGRAM sync_lock UNITS 1024 SEEDS 2 ${wide} OPTIONS --order ${order} ARGS ${kind} rounds=2 locks=4 tries=10 timed=20 timeout=20000
      ${lock_args_${kind}})
  endforeach()
  # Locks that come and go in the same memory.
  eyot_sim_test(sync_lock.${kind}.cycles PROGRAM sync_lock UNITS 4 SEEDS 100 OPTIONS --order chaos ${sync_small_machine}
    ARGS ${kind} ${lock_args_${kind}} cycles=20 rounds=1 think=500 hold=0)
  # What the lock protects lies in attached memory.
  eyot_sim_test(sync_lock.${kind}.attached PROGRAM sync_lock UNITS 8 SEEDS 40 OPTIONS --order chaos ${sync_small_machine}
    ARGS ${kind} ${sync_mixed} ${lock_args_${kind}} attached=1)
  if(kind STREQUAL rw)
    # Reader counters of each size: one a unit, some across nodes, one for all; at 80 units one a unit is more than the writer closes at a time.
    foreach(per_counter 1 3 100000)
      eyot_sim_test(sync_lock.rw.counters${per_counter} PROGRAM sync_lock UNITS 80 SEEDS 20 OPTIONS --order chaos ${sync_small_machine}
        ARGS rw ${sync_mixed} ${lock_args_rw} per_counter=${per_counter})
    endforeach()
  endif()
  if(kind STREQUAL hier)
    # Turns within nodes and groups are as long as the attributes say, and not one holder longer, while others wait; W(0) is 46 for four groups.
    foreach(order strict rdma chaos)
      eyot_sim_test(sync_lock.hier.${order}.turns PROGRAM sync_lock UNITS 32 SEEDS 100 OPTIONS --order ${order} ${sync_small_machine}
        ARGS hier ${lock_args_hier} rounds=8 think=100 hold=${sync_lag_64_${order}} lag=${sync_lag_64_${order}} bypass=46 units_node=2
          units_group=8)
    endforeach()
  endif()
  set(sync_shared)
  if(LOCK_SHARED IN_LIST lock_has_${kind})
    set(sync_shared shared=60)
  endif()
  set(wide WIDE)
  if(kind STREQUAL hier) # whose tree grows with them
    set(wide)
  endif()
  # Those who poll cost the square of their number.
  set(locks 2)
  set(seeds 2)
  if(LOCK_POLLS IN_LIST lock_has_${kind})
    set(locks 16)
    set(seeds 1)
  endif()
  eyot_sim_test(sync_lock.${kind}.n4096 PROGRAM sync_lock UNITS 4096 SEEDS ${seeds} ${wide} OPTIONS --order chaos ARGS ${kind} rounds=1 locks=${locks} ${sync_shared}
    TIMEOUT 300)
endforeach()

# The collectives under locks and barriers, which agree on memory and teams.
eyot_test_program(sync_team sync_team.c)
foreach(order strict rdma chaos)
  foreach(units 4 9 64)
    eyot_sim_test(sync_team.${order}.n${units} PROGRAM sync_team UNITS ${units} SEEDS 100 OPTIONS --order ${order} --units-per-node 2)
  endforeach()
endforeach()

# What a call costs: operations, exactly; bytes, and how they grow with the number of units. 65,536 units take minutes: ctest -C Long -R sync_memory.
eyot_test_program(sync_counts sync_counts.c)
foreach(order strict rdma chaos)
  eyot_sim_test(sync_counts.${order} PROGRAM sync_counts SEEDS 20 OPTIONS --order ${order} ${sync_small_machine})
endforeach()
eyot_test_program(sync_memory sync_memory.c)
if(NOT EYOT_SANITIZE) # whose allocators keep other books
  list(JOIN LOCK_KINDS " " sync_memory_kinds)
  string(APPEND sync_memory_kinds " pscw pscw_changing counter dynamic barrier")
  add_test(NAME sim.sync_memory COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/sync_memory.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/sync_memory "${sync_memory_kinds}"
    "64 512 2048")
  set_tests_properties(sim.sync_memory PROPERTIES TIMEOUT 600 LABELS sim)
  add_test(NAME sim.sync_memory.long CONFIGURATIONS Long COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/sync_memory.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/sync_memory
    "${sync_memory_kinds}" "64 1024 65536")
  set_tests_properties(sim.sync_memory.long PROPERTIES TIMEOUT 7200 LABELS sim)
endif()
