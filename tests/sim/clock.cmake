# Clocks and sleeps of the C and C++ libraries, as programs call them (adr/0044).
eyot_test_program(clock clock.c)
eyot_test_program(clock_cxx clock_cxx.cpp)

foreach(engine fiber simgrid)
  eyot_sim_test(clock.all.${engine} PROGRAM clock OPTIONS --engine ${engine} ARGS all PASSES "^clock: ok$")
endforeach()
eyot_sim_test(clock.many PROGRAM clock UNITS 64 SEEDS 5 OPTIONS --order chaos ARGS all)
eyot_sim_test(clock.before PROGRAM clock ARGS before PASSES "^clock: ok$")
eyot_sim_test(clock.poll PROGRAM clock ARGS poll PASSES "^clock: ok$")
eyot_sim_test(clock.measured PROGRAM clock OPTIONS --compute measured ARGS poll PASSES "^clock: ok$")
eyot_test_program(computes computes.c)
add_test(NAME sim.computes COMMAND sh ${CMAKE_SOURCE_DIR}/tests/sim/computes.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/computes)
set_tests_properties(sim.computes PROPERTIES TIMEOUT 120 LABELS sim)
eyot_sim_test(computes.simgrid PROGRAM computes OPTIONS --engine simgrid --compute measured PASSES "^computed [1-9][0-9]* us$")
eyot_sim_test(computes.wrong PROGRAM computes OPTIONS --compute-scale 0 FAILS "EYOT_COMPUTE_SCALE")
eyot_sim_test(clock.end PROGRAM clock ARGS end FAILS "unit 1: in sleep, phase none: continues; called at clock.c:[0-9]+ .main.")
eyot_sim_test(clock.real PROGRAM clock UNITS 2 OPTIONS --clock real ARGS real PASSES "^clock: ok$")
eyot_sim_test(clock.cxx PROGRAM clock_cxx PASSES "^clock_cxx: ok$")

if(EYOT_SANITIZE)
  return() # runs are not taken back under sanitizers
endif()
# Under eyotcheck a sleep is a step in which others may run, and orders nothing.
foreach(strategy random pct exhaustive)
  set(o -n 2 --strategy ${strategy} --save ${CMAKE_CURRENT_BINARY_DIR}/clock.${strategy}.run)
  add_test(NAME sim.clock.luck.${strategy} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh fail "unit 1 has slept for too little" $<TARGET_FILE:eyotcheck> ${o} ${EYOT_TEST_BIN}/clock luck)
  add_test(NAME sim.clock.polls.${strategy} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh pass "; 0 failed" $<TARGET_FILE:eyotcheck> ${o} --runs 200 ${EYOT_TEST_BIN}/clock poll)
  set_tests_properties(sim.clock.luck.${strategy} sim.clock.polls.${strategy} PROPERTIES TIMEOUT 60 LABELS sim)
endforeach()
# A loop that reads the clock for a second has few steps; 1.6 billion reads of 16 units would take minutes.
eyot_sim_test(clock.spin PROGRAM clock UNITS 16 TIMEOUT 30 ARGS spin PASSES "^clock: ok$")
add_test(NAME sim.clock.loops COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh pass "10 runs.*; 0 failed$" $<TARGET_FILE:eyotcheck> -n 2 --runs 10 --max-run 5000 ${EYOT_TEST_BIN}/clock spin)
set_tests_properties(sim.clock.loops PROPERTIES TIMEOUT 60 LABELS sim)
