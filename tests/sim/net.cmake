# The simulated machine: prices against published figures, contention, platforms by name and by file.
foreach(part fattree gaps keys machine place plat prices route share fair xml)
  eyot_sim_unit(net_${part} net_${part}.c)
endforeach()

# A fat tree under every network, with other jobs, on both executors, and under eyotcheck; what it refuses.
foreach(network shared booked)
  eyot_sim_test(fattree.${network} PROGRAM flow_order UNITS 4 SEEDS 5 OPTIONS --network ${network} --units-per-node 1 --platform cab --node-placement spread --traffic level_1=10,level_2=40,nic=5)
endforeach()
eyot_sim_test(fattree.flows PROGRAM flow_order UNITS 4 OPTIONS --engine simgrid --network simgrid --units-per-node 1 --platform cab --node-placement spread PASSES "^ok$")
eyot_sim_test(fattree.key PROGRAM barrier UNITS 4 ARGS all 1 OPTIONS --platform cab:children_3=2 FAILS "expected keys of levels 1 to 2")
add_test(NAME sim.fattree.same COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/other_hash.sh $<TARGET_FILE:eyotrun> "--platform cab --node-placement spread" ${EYOT_TEST_BIN}/patterns shift 65536)
set_tests_properties(sim.fattree.same PROPERTIES TIMEOUT 120 LABELS sim)
if(NOT EYOT_SANITIZE) # whose memory eyotcheck cannot take back
  add_test(NAME sim.fattree.check COMMAND eyotcheck -n 4 --units-per-node 2 --platform cab --strategy random --runs 200 --save ${CMAKE_CURRENT_BINARY_DIR}/fattree.run ${EYOT_TEST_BIN}/check_sync barrier rounds=2)
  set_tests_properties(sim.fattree.check PROPERTIES TIMEOUT 120 LABELS sim PASS_REGULAR_EXPRESSION "200 runs.*; 0 failed")
endif()

# Protocols on nodes whose units have no consecutive numbers, on both executors, and under eyotcheck; what the option refuses.
foreach(placement cyclic random)
  eyot_sim_test(placed.${placement} PROGRAM sync_team UNITS 13 SEEDS 10 OPTIONS --order chaos --units-per-node 3 --placement ${placement} --node-placement random)
  add_test(NAME sim.placed.same.${placement} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/other_hash.sh $<TARGET_FILE:eyotrun> "--placement ${placement}" ${EYOT_TEST_BIN}/barrier nodes 1)
  set_tests_properties(sim.placed.same.${placement} PROPERTIES TIMEOUT 120 LABELS sim)
endforeach()
eyot_sim_test(placed.wrong PROGRAM barrier UNITS 4 ARGS all 1 OPTIONS --placement nowhere FAILS "expected packed, cyclic, random")
if(NOT EYOT_SANITIZE) # whose memory eyotcheck cannot take back
  add_test(NAME sim.placed.check COMMAND eyotcheck -n 4 --units-per-node 2 --placement cyclic --strategy random --runs 200 --save ${CMAKE_CURRENT_BINARY_DIR}/placed.run ${EYOT_TEST_BIN}/check_sync barrier rounds=2)
  set_tests_properties(sim.placed.check PROPERTIES TIMEOUT 120 LABELS sim PASS_REGULAR_EXPRESSION "200 runs.*; 0 failed")
endif()
# Figures of eyot's own layers, and of targets that compute.
eyot_test_program(layer_prices layer_prices.c)
add_test(NAME sim.layer_prices COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/layer_prices.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/layer_prices)
set_tests_properties(sim.layer_prices PROPERTIES TIMEOUT 120 LABELS sim)
foreach(order strict rdma chaos)
  eyot_sim_test(progress.conformance.${order} PROGRAM conformance UNITS 4 OPTIONS --order ${order} --units-per-node 2 --platform xc40:progress=1,signal_after=500,rx_message=50,rx_signal=900,overhead_signal=100,serve=150,serve_atomic=700,first=5000)
  eyot_sim_test(progress.flow_order.${order} PROGRAM flow_order UNITS 4 SEEDS 5 OPTIONS --order ${order} --units-per-node 1 --platform xc40:progress=1,signal_after=500,rx_message=50,rx_signal=900,overhead_signal=100,serve=150,serve_atomic=700,first=5000)
endforeach()
