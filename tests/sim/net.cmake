# The simulated machine: prices against published figures, contention, platforms by name and by file.
foreach(part keys machine place plat prices route share fair xml)
  eyot_sim_unit(net_${part} net_${part}.c)
endforeach()

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
