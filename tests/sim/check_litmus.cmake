# The litmus suite: what eyotcheck's engine can show, under each memory model, against hand-written tables of what the contract allows.
eyot_test_program(check_litmus check_litmus.c litmus_parse.c litmus_run.c litmus_messages.c litmus_stores.c litmus_order.c litmus_atomics.c litmus_words.c litmus_cpu.c litmus_flags.c litmus_sets.c litmus_plain.c)
if(NOT EYOT_SANITIZE) # under which runs cannot be taken back
  foreach(model strict rdma tso)
    set(script sh ${CMAKE_CURRENT_LIST_DIR}/check_litmus.sh $<TARGET_FILE:eyotcheck> ${EYOT_TEST_BIN}/check_litmus ${model})
    # Schedules in great number, which instrumented take longer: the plain build alone runs them. Each test under rdma, a third under the
    # others, and a fifth of these without reduction too; .full: all of them.
    set(every 3)
    if(model STREQUAL rdma)
      set(every 1)
    endif()
    add_test(NAME sim.check_litmus.${model} COMMAND ${script} ${every} 5)
    set_tests_properties(sim.check_litmus.${model} PROPERTIES TIMEOUT 300 LABELS litmus)
    if(NOT EYOT_COVERAGE)
      add_test(NAME sim.check_litmus.${model}.full COMMAND ${script} 1 1)
      set_tests_properties(sim.check_litmus.${model}.full PROPERTIES TIMEOUT 600 LABELS full)
    endif()
  endforeach()
endif()
eyot_sim_test(check_litmus.timed PROGRAM engine_time OPTIONS --order tso FAILS "EYOT_ORDER=tso works in eyotcheck only")
eyot_sim_unit(check_outcome check_outcome.c)
eyot_sim_unit(check_interrupt check_interrupt.c)
