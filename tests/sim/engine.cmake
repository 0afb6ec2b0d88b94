# The engine: determinism, time, and what happens when a unit goes wrong.
eyot_test_program(engine_fail engine_fail.c)
eyot_test_program(engine_time engine_time.c)
eyot_test_program(bad_stack_deep bad_stack_deep.c)

foreach(engine fiber simgrid)
  set(o OPTIONS --engine ${engine} --units-per-node 2)
  eyot_sim_test(engine_time.${engine} PROGRAM engine_time UNITS 5 ${o} PASSES "engine_time: ok on 5 units")
  eyot_sim_test(engine_fail.deadlock.${engine} PROGRAM engine_fail ${o} ARGS deadlock
    FAILS "unit 1: in eyot_wait_until, phase before: waits .* to be == 42. it is 0.*last operation")
  eyot_sim_test(engine_fail.deadlock100.${engine} PROGRAM engine_fail UNITS 100 ${o} ARGS deadlock FAILS "unit 1: in eyot_wait_until, phase before: .*== 42")
  eyot_sim_test(engine_fail.deadlock1000.${engine} PROGRAM engine_fail UNITS 1000 ${o} ARGS deadlock
    FAILS "^    1 in eyot_wait_until, called at [^ ]+ .main.*: unit 1$")
  eyot_sim_test(engine_fail.loop.${engine} PROGRAM engine_fail ${o} --watchdog 2s ARGS loop FAILS "unit 1: no fabric call for 2.0 s")
  eyot_sim_test(engine_fail.trap.${engine} PROGRAM engine_fail ${o} ARGS trap FAILS "unit 1 aborted the run with code 7 .*the test wants it")
endforeach()
eyot_sim_test(engine_time.chaos PROGRAM engine_time UNITS 2 OPTIONS --order chaos PASSES "engine_time: ok on 2 units")
if(NOT EYOT_SANITIZE) # which catches faults itself
  foreach(engine fiber simgrid)
    set(o OPTIONS --engine ${engine})
    eyot_sim_test(engine_fail.segv.${engine} PROGRAM engine_fail ${o} ARGS segv FAILS "unit 1: Segmentation fault at address 0x10.*last operation")
    eyot_sim_test(engine_fail.fpe.${engine} PROGRAM engine_fail ${o} ARGS fpe FAILS "unit 1: Floating point exception.*last operation")
    eyot_sim_test(engine_fail.stack.${engine} PROGRAM engine_fail ${o} ARGS stack FAILS "unit 1: stack overflow")
  endforeach()
  # Stacks without guard pages: the unit itself is named, or, if the one before it meets the damage first, both are.
  foreach(way live past)
    eyot_sim_test(engine_fail.deep_${way} PROGRAM bad_stack_deep UNITS 12001 OPTIONS --shared-globals --stack-size 256K ARGS 3 ${way}
      FAILS "unit 3: stack overflow, found at a switch|unit 2: .*; stack overflow: the stack of unit 3 is full, and its bytes may have gone into that of the unit before it")
  endforeach()
  foreach(program heat3d gups)
    add_test(NAME sim.engine_same.${program}
      COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/engine_same.sh $<TARGET_FILE:eyotrun> ${CMAKE_BINARY_DIR}/examples/${program})
    set_tests_properties(sim.engine_same.${program} PROPERTIES TIMEOUT 300 LABELS sim)
  endforeach()
  add_test(NAME sim.engine_same.time COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/engine_same.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/engine_time)
  set_tests_properties(sim.engine_same.time PROPERTIES TIMEOUT 120 LABELS sim)
endif()
eyot_sim_test(engine_limit.zero PROGRAM engine_time OPTIONS -n 0 FAILS "is '0'; expected")
eyot_sim_test(engine_limit.many PROGRAM engine_time UNITS 16000000 FAILS "16000000 units are too many: .*they need 570376 MB at least.* would fit")
eyot_sim_test(engine_limit.many.shared PROGRAM engine_time UNITS 16000000 OPTIONS --shared-globals FAILS "16000000 units are too many: .*they need 195376 MB at least.* would fit")

# The end of virtual time (docs/limits.md).
eyot_test_program(time_end time_end.c)
foreach(engine fiber simgrid)
  eyot_sim_test(time_end.refused.${engine} PROGRAM time_end UNITS 2 OPTIONS --engine ${engine} ARGS refused PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
  eyot_sim_test(time_end.reached.${engine} PROGRAM time_end UNITS 2 OPTIONS --engine ${engine} ARGS reached FAILS "the end of virtual time .106 days. is reached")
endforeach()
eyot_sim_unit(engine_ends engine_ends.c)

# How many operations a unit has in flight.
eyot_test_program(outstanding outstanding.c)
foreach(engine fiber simgrid)
  eyot_sim_test(engine_outstanding.${engine} PROGRAM outstanding UNITS 2 OPTIONS --engine ${engine} --units-per-node 1 --order strict --max-outstanding 3 ARGS 3 PASSES "^ok$")
endforeach()

# An order concerns all operations before it.
eyot_test_program(order_two order_two.c)
eyot_sim_test(engine_order PROGRAM order_two UNITS 3 SEEDS 10 OPTIONS --units-per-node 1 --order chaos)
