# Fused exchanges: random programs against what each element must be, and small programs under each strategy of eyotcheck.
eyot_test_program(exchange_model exchange_model.c)
eyot_test_program(check_exchange check_exchange.c)
eyot_test_program(exchange_wrong exchange_wrong.c)

foreach(order strict rdma chaos)
  foreach(units 3 16)
    eyot_sim_test(exchange.model.${order}.n${units} PROGRAM exchange_model UNITS ${units} SEEDS 10 OPTIONS --order ${order} --units-per-node 3 ARGS 2 1)
  endforeach()
endforeach()
eyot_sim_test(exchange.model.n64 PROGRAM exchange_model UNITS 64 SEEDS 2 OPTIONS --order chaos --units-per-node 7 ARGS 1 2)
eyot_sim_test(exchange.model.alone PROGRAM exchange_model UNITS 1 ARGS 4 3)
eyot_sim_test(exchange.model.simgrid PROGRAM exchange_model UNITS 4 OPTIONS --engine simgrid ARGS 1 4)

foreach(units 1 3)
  eyot_sim_test(exchange.wrong.n${units} PROGRAM exchange_wrong UNITS ${units} PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
eyot_sim_test(exchange.leak PROGRAM exchange_wrong UNITS 2 ARGS leak PASSES "1 exchanges of teams .*were not destroyed" ENV EYOT_ERRORS=return)
eyot_sim_test(exchange.left PROGRAM exchange_wrong UNITS 3 ARGS left PASSES "not waited for before: an exchange .eyot_exchange_start at exchange_wrong.c:[0-9]+ .main" ENV EYOT_ERRORS=return)
eyot_sim_test(exchange.stuck PROGRAM exchange_wrong UNITS 2 ARGS stuck ENV EYOT_ERRORS=return
  FAILS "unit 1: in eyot_exchange from unit 0, .*called at exchange_wrong.c:[0-9]+ .works.")

set(program $<TARGET_FILE:check_exchange>)
foreach(what sender receiver packed long mixed all all_packed in_place started refused)
  eyot_check_passes(exchange.${what}.random 3 random 300 --units-per-node 2 ${program} ${what} rounds=4)
  eyot_check_passes(exchange.${what}.pct 3 pct 300 --units-per-node 2 ${program} ${what} rounds=4)
endforeach()
# Each member with three others, one of them on its node.
foreach(what mixed all all_packed in_place)
  eyot_check_passes(exchange.${what}.n4 4 pct 300 --units-per-node 2 ${program} ${what} rounds=4)
endforeach()
eyot_check_passes(exchange.in_place.apart 3 random 300 --units-per-node 1 ${program} in_place rounds=4)
eyot_check_passes(exchange.ends.random 3 random 300 ${program} ends rounds=6)
eyot_check_passes(exchange.ends.pct 3 pct 300 --units-per-node 2 ${program} ends rounds=6)
if(NOT EYOT_SANITIZE) # which has no tests of eyotcheck
  set_tests_properties(sim.check.exchange.refused.random sim.check.exchange.refused.pct PROPERTIES ENVIRONMENT EYOT_ERRORS=return)
endif()
