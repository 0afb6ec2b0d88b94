# Locks under load over MPI, and what calls cost: the programs of tests/sim/sync.cmake. Times are not compared; the words under the lock tell.
include(${CMAKE_SOURCE_DIR}/tests/support/lock_kinds.cmake)
foreach(node_size 0 1 2)
  set(full) # two units on a node of two are as on a larger one
  if(node_size EQUAL 2)
    set(full FULL)
  endif()
  foreach(kind IN LISTS LOCK_KINDS)
    set(shared)
    if(LOCK_SHARED IN_LIST lock_has_${kind})
      set(shared shared=60 whole=30)
    endif()
    eyot_mpi_test(sync_lock.${kind}.n2.node${node_size} PROGRAM sync_lock UNITS 2 NODE_SIZE ${node_size} ${full}
      ARGS ${kind} rounds=200 locks=3 nest=20 tries=10 timed=20 timeout=100000 node=3 group=2 readers_max=2 writers_max=2 ${shared} PASSES "^ok$")
    eyot_mpi_test(sync_lock.${kind}.n4.node${node_size} PROGRAM sync_lock UNITS 4 NODE_SIZE ${node_size}
      ARGS ${kind} rounds=50 locks=2 nest=20 tries=10 timed=20 timeout=100000 node=3 group=2 readers_max=2 writers_max=2 ${shared} PASSES "^ok$")
    # What the lock protects lies in attached memory, which is MPI's to reach within a node too: release has something to complete.
    eyot_mpi_test(sync_lock.${kind}.attached.node${node_size} PROGRAM sync_lock UNITS 2 NODE_SIZE ${node_size} ${full}
      ARGS ${kind} rounds=200 think=0 ${shared} attached=1 PASSES "^ok$")
  endforeach()
  eyot_mpi_test(sync_lock.rw.counters.node${node_size} PROGRAM sync_lock UNITS 4 NODE_SIZE ${node_size}
    ARGS rw rounds=50 tries=10 timed=20 timeout=100000 shared=60 readers_max=1 writers_max=1 per_counter=1 PASSES "^ok$")
  eyot_mpi_test(sync_team.n4.node${node_size} PROGRAM sync_team UNITS 4 NODE_SIZE ${node_size} ARGS rounds=60 PASSES "^ok$")
endforeach()
# Units that share processors count in memory instead of signalling (src/fabric/ctl_central.h); what signals cost is looked at where they do not.
eyot_mpi_test(sync_counts.node0 PROGRAM sync_counts UNITS 4 ARGS levels=1 nodes=1 PASSES "^ok$" ENV EYOTI_MPI_OVERSUBSCRIBED=0)
eyot_mpi_test(sync_counts.node1 PROGRAM sync_counts UNITS 4 NODE_SIZE 1 ARGS levels=1 nodes=4 PASSES "^ok$")
eyot_mpi_test(sync_counts.node2 PROGRAM sync_counts UNITS 4 NODE_SIZE 2 ARGS levels=2 nodes=2 PASSES "^ok$")
# Waits shorter than a hand-over between nodes.
eyot_mpi_test(lock_gives_up.mcs PROGRAM lock_gives_up UNITS 2 NODE_SIZE 1 ARGS mcs 3000 ENV EYOT_ERRORS=return PASSES "^ok$")
