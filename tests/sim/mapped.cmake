# What inline operations must not change, where nothing is inline: see tests/cluster/mapped.cmake.
eyot_test_program(mapped mapped.c)
foreach(order strict rdma chaos)
  eyot_sim_test(mapped.${order} PROGRAM mapped UNITS 4 SEEDS 20 OPTIONS --order ${order} --units-per-node 2 ENV EYOT_LOG=silent)
endforeach()
eyot_sim_test(mapped.alone PROGRAM mapped UNITS 1 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_sim_test(mapped.races PROGRAM mapped UNITS 3 OPTIONS --races=on PASSES "^ok$" ENV EYOT_LOG=silent)
