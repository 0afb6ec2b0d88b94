# What inline operations must not change, where nothing is inline: see tests/cluster/mapped.cmake.
eyot_test_program(near mapped.c)
foreach(order strict rdma chaos)
  eyot_sim_test(near.${order} PROGRAM near UNITS 4 SEEDS 20 OPTIONS --order ${order} --units-per-node 2 ENV EYOT_LOG=silent)
endforeach()
eyot_sim_test(near.alone PROGRAM near UNITS 1 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_sim_test(near.races PROGRAM near UNITS 3 OPTIONS --races=on PASSES "^ok$" ENV EYOT_LOG=silent)
