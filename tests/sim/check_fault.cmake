# Faults: crashes, slow units, noise, links. What each operation returns, in time (eyotrun) and without it (eyotcheck).
eyot_test_program(check_fault check_fault.c)
set(fault_env ENV EYOT_LOG=error)

foreach(engine fiber simgrid)
  set(o OPTIONS --engine ${engine} --fault crash:unit=0,at=200us)
  foreach(way every sets alone)
    eyot_sim_test(fault.${way}.${engine} PROGRAM check_fault ${o} ARGS ${way} ${fault_env} PASSES "unit 0 crashed at virtual 200.000 us")
    eyot_sim_test(fault.${way}.apart.${engine} PROGRAM check_fault ${o} --units-per-node 1 --order chaos ARGS ${way} ${fault_env} PASSES "unit 0 crashed")
  endforeach()
  eyot_sim_test(fault.forever.${engine} PROGRAM check_fault ${o} ARGS forever ${fault_env}
    FAILS "unit 1: in eyot_wait_until, .* to be == 2; it is 1, last written by unit 0; waits for unit 0, which crashed")
  eyot_sim_test(fault.barrier.${engine} PROGRAM check_fault ${o} ARGS barrier ${fault_env}
    FAILS "in eyot_barrier, .*; waits for unit 0, which crashed")
endforeach()

# The crash at each point of the traffic: with its n-th operation, at some time of it, whatever the network does.
foreach(order strict rdma chaos)
  foreach(op 4 5 6 7)
    eyot_sim_test(fault.flight.op${op}.${order} PROGRAM check_fault UNITS 2 SEEDS 20 OPTIONS --order ${order} --fault crash:unit=0,op=${op} --units-per-node 1
      ARGS flight ${fault_env})
  endforeach()
  foreach(at 200 202 204 206 215 230 250)
    eyot_sim_test(fault.flight.at${at}.${order} PROGRAM check_fault UNITS 2 SEEDS 20 OPTIONS --order ${order} --fault crash:unit=0,at=${at}us ARGS flight ${fault_env})
  endforeach()
endforeach()

# The search for leaks excuses the unit that is killed, and no other: 3 units of 4 lose a block.
if(EYOT_SANITIZE MATCHES address)
  add_test(NAME sim.fault.leaks_of_survivors_are_found
    COMMAND eyotrun --fabric sim -n 4 --fault crash:unit=0,at=200us ${EYOT_TEST_BIN}/check_fault leaks)
  set_tests_properties(sim.fault.leaks_of_survivors_are_found PROPERTIES TIMEOUT 120 LABELS sim
    PASS_REGULAR_EXPRESSION "SUMMARY: AddressSanitizer: 12726 byte\\(s\\) leaked in 3 allocation")
endif()

# Links: what is shorter than the network's patience delays, what is longer is told.
foreach(engine fiber simgrid)
  set(o OPTIONS --engine ${engine} --units-per-node 1)
  eyot_sim_test(fault.link.up.${engine} PROGRAM check_fault UNITS 2 ${o} ARGS link PASSES "^put EYOT_OK, get EYOT_OK, fast$" ${fault_env})
  eyot_sim_test(fault.link.slow.${engine} PROGRAM check_fault UNITS 2 ${o} --fault link-slow:between=0-1,factor=1000,at=190us ARGS link
    PASSES "^put EYOT_OK, get EYOT_OK, late$" ${fault_env})
  eyot_sim_test(fault.link.over.${engine} PROGRAM check_fault UNITS 2 ${o} --fault link-slow:between=0-1,factor=1000,at=1us,for=1us ARGS link
    PASSES "^put EYOT_OK, get EYOT_OK, fast$" ${fault_env})
  eyot_sim_test(fault.link.short.${engine} PROGRAM check_fault UNITS 2 ${o} --fault link-down:between=1-0,at=190us,for=2ms ARGS link
    PASSES "^put EYOT_OK, get EYOT_OK, late$" ${fault_env})
  eyot_sim_test(fault.link.long.${engine} PROGRAM check_fault UNITS 2 ${o} --fault link-down:between=0-1,at=190us,for=20ms ARGS link
    PASSES "^put EYOT_EPEERDOWN, get EYOT_EPEERDOWN, given up$" ${fault_env})
  eyot_sim_test(fault.link.ever.${engine} PROGRAM check_fault UNITS 2 ${o} --fault link-down:between=0-1,at=190us ARGS link
    PASSES "^put EYOT_EPEERDOWN, get EYOT_EPEERDOWN, given up$" ${fault_env})
  eyot_sim_test(fault.link.other.${engine} PROGRAM check_fault UNITS 3 ${o} --fault link-down:between=1-2,at=190us ARGS link
    PASSES "^put EYOT_OK, get EYOT_OK, fast$" ${fault_env})
endforeach()

# What is wrong with a text is said.
foreach(bad "crash|unit is missing" "crash:unit=9,at=1us|unit is '9'. expected a unit from 0 to 3" "crash:unit=1|expected one of at and op" "crash:unit=1,op=0|op is '0'. expected the number"
    "crash:unit=any,op=any|in eyotcheck only" "link-down:between=any,at=any|in eyotcheck only" "link-down:between=0-1,at=any|in eyotcheck only" "crush:unit=1|there is no fault 'crush'. there are: crash:" "slow:unit=1,factor=1|a whole number from 2"
    "slow:unit=1,factor=2,factor=3|factor is given twice" "noise:unit=all,every=1us,takes=2us|no time would be left" "link-down:between=0|expected two units, as in 0-1"
    "link-down:between=0-1|share a node" "crash:unit=1,at=10|a time with its unit" "slow:unit=1,op=3,factor=2|no key of this kind")
  string(REPLACE "|" ";" bad "${bad}")
  list(GET bad 0 spec)
  list(GET bad 1 said)
  string(MAKE_C_IDENTIFIER "${spec}" name)
  eyot_sim_test(fault.bad.${name} PROGRAM check_fault OPTIONS --fault ${spec} ARGS link FAILS "${said}")
endforeach()
# A list has no place for the separator in an argument of eyot_sim_test.
add_test(NAME sim.fault.bad.nothing COMMAND sh -c "$<TARGET_FILE:eyotrun> --fabric sim -n 4 --fault 'slow:unit=1,factor=2;;' ${EYOT_TEST_BIN}/check_fault link; test $? = 2")
set_tests_properties(sim.fault.bad.nothing PROPERTIES TIMEOUT 60 LABELS sim)

# check: faults as choices of eyotcheck, which takes runs back and therefore runs under no sanitizer.
set(parts time check)
if(EYOT_SANITIZE)
  set(parts time)
endif()
foreach(part IN LISTS parts)
  add_test(NAME sim.fault.${part} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_fault.sh ${part} $<TARGET_FILE:eyotrun>
    $<TARGET_FILE:eyotcheck> ${EYOT_TEST_BIN}/check_fault)
  set_tests_properties(sim.fault.${part} PROPERTIES TIMEOUT 120 LABELS sim ENVIRONMENT EYOT_LOG=error)
endforeach()
