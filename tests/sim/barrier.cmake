# Barriers of each kind, over all units and over teams of every shape, under every network order.
eyot_test_program(barrier barrier.c)

# Small nodes and groups, so that each level of the tree is there.
set(barrier_small_machine --platform dragonfly:chassis=2,blades=2,nodes=2 --units-per-node 3)

foreach(order strict rdma chaos)
  eyot_wide_order(wide ${order})
  foreach(teams all halves thirds nodes)
    eyot_sim_test(barrier.${teams}.${order}.n4 PROGRAM barrier SEEDS 100 OPTIONS --order ${order} ARGS ${teams} ENV EYOT_LOG=silent)
    eyot_sim_test(barrier.${teams}.${order}.n64 PROGRAM barrier UNITS 64 SEEDS 100 OPTIONS --order ${order} ${barrier_small_machine} ARGS ${teams}
      ENV EYOT_LOG=silent)
    eyot_sim_test(barrier.${teams}.${order}.n1024 PROGRAM barrier UNITS 1024 SEEDS 2 ${wide} OPTIONS --order ${order} --platform xc40 ARGS ${teams} 2 ENV EYOT_LOG=silent)
  endforeach()
endforeach()
# Above 4,096 units the words of tree and split-phase barriers are not in TEAM_ALL's block (docs/adr/0062).
eyot_sim_test(barrier.all.chaos.n4100 PROGRAM barrier UNITS 4100 OPTIONS --order chaos --platform xc40 ARGS all 1 ENV EYOT_LOG=silent PASSES "^ok$" TIMEOUT 300)
eyot_sim_test(barrier.nodes.rdma.n4100 PROGRAM barrier UNITS 4100 OPTIONS --order rdma --platform xc40 ARGS nodes 1 ENV EYOT_LOG=silent PASSES "^ok$" TIMEOUT 300)

# As many messages as the sources state (asserted by the program).
eyot_sim_test(barrier.messages PROGRAM barrier UNITS 64 OPTIONS --platform xc40 ARGS time PASSES "^ok$")
eyot_sim_test(barrier.messages.odd PROGRAM barrier UNITS 37 OPTIONS ${barrier_small_machine} ARGS time PASSES "^ok$")
