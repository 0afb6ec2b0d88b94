# Many runs from one start: eyotrun --seeds.
eyot_test_program(seeds seeds.c)
add_test(NAME sim.seeds COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/seeds.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/seeds)
set_tests_properties(sim.seeds PROPERTIES TIMEOUT 120 LABELS sim)
eyot_test_program(campaign campaign.c)
add_test(NAME sim.campaign COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/campaign.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/campaign ${EYOT_TEST_BIN}/seeds)
set_tests_properties(sim.campaign PROPERTIES TIMEOUT 240 LABELS sim)
if(EYOT_SANITIZE)
  # A run that ends in the middle frees nothing.
  set_tests_properties(sim.seeds sim.campaign PROPERTIES ENVIRONMENT ASAN_OPTIONS=${EYOT_ASAN_OPTIONS}:detect_leaks=0)
else()
  eyot_sim_test(seeds.simgrid PROGRAM seeds SEEDS 20 OPTIONS --engine simgrid ARGS fail 0)
endif()
