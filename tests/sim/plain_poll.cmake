# Loops that poll symmetric memory by plain loads (adr/0045).
eyot_test_program(plain_poll plain_poll.c)

# Not instrumented: the loop is named within a second, and ended by the watchdog.
eyot_sim_test(plain_poll.named PROGRAM plain_poll OPTIONS --watchdog 1500ms ARGS volatile FAILS "unit [1-3] has made no call of eyot for 0.9 s .* link it with eyotcc --instrument=accesses")
eyot_sim_test(plain_poll.line PROGRAM plain_poll OPTIONS --watchdog 1500ms ARGS volatile FAILS "#[01] plain_poll.c:[0-9]+ .poll_volatile.")
eyot_sim_test(plain_poll.computes PROGRAM plain_poll ARGS compute PASSES "^plain_poll: ok$")
# A limit below the period of the watchdog's clock, which would take all time.
eyot_sim_test(plain_poll.soon PROGRAM plain_poll OPTIONS --watchdog 1ns ARGS compute PASSES "^plain_poll: ok$" TIMEOUT 30)
# One call that copies for longer than the limit is no silence.
if(NOT EYOT_SANITIZE) # whose memory has pages at once
  eyot_test_program(long_call long_call.c)
  eyot_sim_test(long_call PROGRAM long_call UNITS 2 OPTIONS --heap-max 1G --watchdog 20ms ARGS 256 PASSES "^ok$")
endif()
if(NOT EYOT_SANITIZE) # runs are not taken back under sanitizers
  add_test(NAME sim.plain_poll.check COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh fail "#[01] plain_poll.c:[0-9]+ .poll_volatile." $<TARGET_FILE:eyotcheck> -n 2 --no-shrink --watchdog 1500ms
                                                                          --save ${CMAKE_CURRENT_BINARY_DIR}/plain_poll.run ${EYOT_TEST_BIN}/plain_poll volatile)
  set_tests_properties(sim.plain_poll.check PROPERTIES TIMEOUT 60 LABELS sim)
endif()

# What a step is said to change, so that a poll in vain changes nothing, hides no outcome of a search.
eyot_test_program(check_lands check_lands.c)
if(NOT EYOT_SANITIZE)
  foreach(outcome "landed" "not yet")
    string(REPLACE " " "_" name ${outcome})
    add_test(NAME sim.check_lands.${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh pass "${outcome}" $<TARGET_FILE:eyotcheck> -n 2 --detect=-leak --strategy exhaustive ${EYOT_TEST_BIN}/check_lands)
    set_tests_properties(sim.check_lands.${name} PROPERTIES TIMEOUT 60 LABELS sim)
  endforeach()
endif()

# Instrumented: each loop comes to its end.
if(NOT EYOT_SANITIZE)
  add_test(NAME sim.plain_poll.seen COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/plain_poll.sh ${CMAKE_BINARY_DIR}/bin)
  set_tests_properties(sim.plain_poll.seen PROPERTIES TIMEOUT 120 LABELS sim)
endif()
