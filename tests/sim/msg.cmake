# Two-sided messages: each call, random programs against a serial model of matching, and small programs under each strategy of eyotcheck.
eyot_test_program(msg msg.c)
eyot_test_program(msg_model msg_model.c)
eyot_test_program(check_msg check_msg.c)

foreach(order strict rdma chaos)
  foreach(units 2 5)
    eyot_sim_test(msg.calls.${order}.n${units} PROGRAM msg UNITS ${units} SEEDS 10 OPTIONS --order ${order} --units-per-node 2 ARGS 4 ENV EYOT_LOG=silent)
  endforeach()
  foreach(units 3 16)
    eyot_sim_test(msg.model.${order}.n${units} PROGRAM msg_model UNITS ${units} SEEDS 20 OPTIONS --order ${order} --units-per-node 3 ARGS 1 4)
  endforeach()
  eyot_sim_test(msg.model.${order}.n64 PROGRAM msg_model UNITS 64 SEEDS 2 OPTIONS --order ${order} --units-per-node 7 ARGS 2 2)
endforeach()
eyot_sim_test(msg.over PROGRAM msg UNITS 4 SEEDS 5 OPTIONS --order chaos ARGS over)
eyot_sim_test(msg.calls.alone PROGRAM msg UNITS 1 ARGS 4 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_sim_test(msg.calls.simgrid PROGRAM msg UNITS 4 OPTIONS --engine simgrid ARGS 1 PASSES "^ok$" ENV EYOT_LOG=silent)
# A ring of one slot, and sends that wait for space or for their receives.
eyot_sim_test(msg.model.one_slot PROGRAM msg_model UNITS 4 SEEDS 20 OPTIONS --order chaos --msg-slots 1 --msg-slots-most 1 ARGS 3 3 40)
# Areas that are soon full, and none.
eyot_sim_test(msg.model.area PROGRAM msg_model UNITS 4 SEEDS 40 OPTIONS --order chaos --msg-area 2K ARGS 3 12 40)
eyot_sim_test(msg.model.no_area PROGRAM msg_model UNITS 4 SEEDS 10 OPTIONS --order chaos --msg-area 0 ARGS 3 3 40)
# Both sides copy blocks of long messages.
eyot_sim_test(msg.model.shared PROGRAM msg_model UNITS 4 SEEDS 20 OPTIONS --order chaos --units-per-node 2 --msg-eager 0 --msg-block 64 ARGS 5 3 30)
# Rings that senders fill get wider ones, while messages are under way.
eyot_sim_test(msg.model.wider PROGRAM msg_model UNITS 4 SEEDS 40 OPTIONS --order chaos --msg-slots 1 --msg-slots-most 4 ARGS 3 3 60)
eyot_sim_test(msg.model.no_buffer PROGRAM msg_model UNITS 4 SEEDS 20 OPTIONS --order chaos --msg-buffer 0 --msg-slots 2 ARGS 4 3 40)
eyot_sim_test(msg.model.synchronous PROGRAM msg_model UNITS 4 SEEDS 20 OPTIONS --order chaos --msg-eager 0 ARGS 5 3 30)
# Many senders at once knock, and then have rings.
eyot_sim_test(msg.incast.n1024 PROGRAM msg UNITS 1024 OPTIONS --platform xc40 ARGS incast 10 PASSES "^ok$")
# Several lists of knocks.
eyot_sim_test(msg.model.lists PROGRAM msg_model UNITS 160 SEEDS 2 OPTIONS --order chaos --units-per-node 7 ARGS 2 1)
eyot_sim_test(msg.incast.lists PROGRAM msg UNITS 160 SEEDS 10 OPTIONS --order chaos ARGS incast 3)
eyot_sim_test(msg.incast.n4096 PROGRAM msg UNITS 4096 OPTIONS --platform xc40 ARGS incast 3 PASSES "^ok$")
# Messages between all units: 64 bytes a peer, 2,560 for a ring, and records for those messages that are under way at a time.
eyot_test_program(msg_all msg_all.c)
eyot_sim_test(msg.all PROGRAM msg_all UNITS 160 ARGS 3 450000 PASSES "^ok$")
# The first 1,024 senders have a ring after the second message, later ones after more.
eyot_sim_test(msg.all.late PROGRAM msg_all UNITS 10 ARGS 200 250000 late PASSES "^ok$")
eyot_sim_test(msg.all.one PROGRAM msg_all UNITS 1100 ARGS 3 2640000 one PASSES "^ok$")
# Many receives and messages that wait, in the orders that make searches long; no search may go through all of them.
eyot_test_program(msg_many msg_many.c)
eyot_sim_test(msg.many PROGRAM msg_many UNITS 2 ARGS 40000 PASSES "^ok$")
eyot_sim_test(msg.many.chaos PROGRAM msg_many UNITS 2 OPTIONS --order chaos --units-per-node 1 ARGS 4000 PASSES "^ok$")
# Long messages are on their way together.
eyot_test_program(msg_stored msg_stored.c)
eyot_sim_test(msg.stored PROGRAM msg_stored UNITS 2 SEEDS 20 OPTIONS --order chaos ARGS 1 30)
# The same of streams, with what takes a message off the straight way.
eyot_test_program(msg_stream msg_stream.c)
eyot_sim_test(msg.stream PROGRAM msg_stream UNITS 2 SEEDS 20 OPTIONS --order chaos --units-per-node 1 ARGS 1 30 ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_test_program(msg_straight msg_straight.c)
eyot_sim_test(msg.straight PROGRAM msg_straight UNITS 2 SEEDS 3 OPTIONS --order chaos ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_test_program(msg_overlap msg_overlap.c)
eyot_sim_test(msg.overlap PROGRAM msg_overlap UNITS 48 OPTIONS --platform xc40 PASSES "^ok$")
# Reports: of a deadlock, of a unit that has crashed, of what was never received; a program that relies on buffers.
eyot_sim_test(msg.stuck PROGRAM msg UNITS 3 ARGS stuck FAILS "unit 2: in eyot_recv from unit 0, tag 7, .*called at msg.c:[0-9]+ .main.")
eyot_sim_test(msg.crash PROGRAM msg UNITS 2 OPTIONS --fault crash:unit=1,at=30us --msg-buffer 4K ARGS crash
  FAILS "unit 0: in eyot_send to unit 1, tag 7, .*waits for unit 1, which crashed")
# A unit that crashes with a first message that was not taken: the receiver is warned. Messages that came before it are lost too, later ones are not.
eyot_test_program(msg_knock msg_knock.c)
set(lost "warning: eyot_recv: unit 1 cannot be reached, and its first message to this unit is lost; so are first messages of other units")
eyot_sim_test(msg.knock.lost PROGRAM msg_knock UNITS 2 OPTIONS --fault crash:unit=1,at=250us ARGS lost FAILS "${lost}")
eyot_sim_test(msg.knock.lost_before PROGRAM msg_knock UNITS 3 OPTIONS --fault crash:unit=2,at=250us ARGS lost
  FAILS "unit 0: in eyot_recv from unit 1, tag 7, .*; waits for unit 2, which crashed")
eyot_sim_test(msg.knock.lost_after PROGRAM msg_knock UNITS 3 OPTIONS --fault crash:unit=1,at=50us ARGS lost any FAILS "^received from unit 2$")
# One that crashes after its exchange and before its link, or before it says so: the report names it. A later knock leads to its record.
set(knocked "unit 1 has knocked, and has not completed its message: it crashed; called at msg_knock.c:[0-9]+ .main.")
foreach(op 3 4)
  eyot_sim_test(msg.knock.op${op} PROGRAM msg_knock UNITS 2 OPTIONS --fault crash:unit=1,op=${op} ARGS unlinked FAILS "in eyot_recv from unit 1, tag 7, .*; ${knocked}")
  eyot_sim_test(msg.knock.op${op}.any PROGRAM msg_knock UNITS 2 OPTIONS --fault crash:unit=1,op=${op} ARGS unlinked any FAILS "in eyot_recv from any unit, tag 7, .*; ${knocked}")
endforeach()
eyot_sim_test(msg.knock.probe PROGRAM msg_knock UNITS 2 OPTIONS --fault crash:unit=1,op=3 ARGS probe FAILS "in eyot_probe from unit 1, tag 7, .*; ${knocked}")
eyot_sim_test(msg.knock.later PROGRAM msg_knock UNITS 3 OPTIONS --fault crash:unit=1,op=3 ARGS unlinked any FAILS "${lost}")
eyot_sim_test(msg.knock.lists PROGRAM msg_knock UNITS 160 OPTIONS --fault crash:unit=159,op=3 ARGS unlinked
  FAILS "unit 0: in eyot_recv from unit 159, tag 7, .*; unit 159 has knocked, and has not completed its message: it crashed")
eyot_sim_test(msg.left PROGRAM msg UNITS 2 ARGS left PASSES "never received: a message of 8 bytes from unit 1, tag 11 .sent at msg.c:[0-9]+ .left..")
eyot_sim_test(msg.left.queued PROGRAM msg UNITS 2 ARGS left PASSES "never received: a message of 4800 bytes to unit 1, tag 12 .eyot_send at msg.c:[0-9]+ .left..")
eyot_sim_test(msg.left.handle PROGRAM msg UNITS 2 ARGS left PASSES "not completed before: a receive from unit [01], tag 13 .eyot_recv_nb at msg.c:[0-9]+ .left..")
eyot_sim_test(msg.relies_on_buffers PROGRAM msg UNITS 4 OPTIONS --msg-eager 0 ARGS 0 FAILS "in eyot_send to unit [0-3], tag 1, .*called at msg.c:[0-9]+ .teams.")

set(program $<TARGET_FILE:check_msg>)
foreach(what order turns long ssend inside settles both posted cancel last stamps)
  eyot_check_passes(msg.${what}.random 2 random 300 ${program} ${what} count=3)
  eyot_check_passes(msg.${what}.pct 2 pct 300 ${program} ${what} count=3)
endforeach()
foreach(what wild tags mixed probe all cancels)
  eyot_check_passes(msg.${what}.random 3 random 300 --units-per-node 2 ${program} ${what} count=3)
  eyot_check_passes(msg.${what}.pct 3 pct 300 ${program} ${what} count=3)
endforeach()
eyot_check_passes(msg.full.random 2 random 300 --msg-slots 1 --msg-slots-most 1 ${program} order count=4)
eyot_check_passes(msg.wider.random 2 random 1000 --msg-slots 1 --msg-slots-most 3 ${program} wider count=4)
foreach(what shared later)
  eyot_check_passes(msg.${what}.random 2 random 500 --units-per-node 2 --msg-block 64 ${program} ${what} count=3)
  eyot_check_passes(msg.${what}.pct 2 pct 500 --units-per-node 2 --msg-block 128 ${program} ${what} count=3)
endforeach()
eyot_check_passes(msg.area.random 2 random 1000 --msg-area 2K ${program} area count=4)
eyot_check_passes(msg.area.pct 2 pct 1000 --msg-area 2K ${program} area count=4)
eyot_check_passes(msg.wider.pct 2 pct 1000 --msg-slots 1 --msg-slots-most 3 ${program} wider count=4)
# Every interleaving, with every outcome: what a receive of any unit matches, and how a cancel meets a message.
function(eyot_msg_all name regex units)
  if(EYOT_SANITIZE)
    return()
  endif()
  # a search that is incomplete is not passed: its exit code is 5
  add_test(NAME sim.check.msg.${name}.all COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh pass "${regex}" $<TARGET_FILE:eyotcheck> -n ${units}
    --strategy exhaustive --save ${CMAKE_CURRENT_BINARY_DIR}/check.msg.${name}.run ${ARGN})
  set_tests_properties(sim.check.msg.${name}.all PROPERTIES LABELS sim TIMEOUT 300)
endfunction()
# The same, and the table of outcomes has these rows and no other.
function(eyot_msg_outcomes name units rows)
  if(EYOT_SANITIZE)
    return()
  endif()
  add_test(NAME sim.check.msg.${name}.all COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/outcomes.sh ${rows} -- $<TARGET_FILE:eyotcheck> -n ${units}
    --strategy exhaustive --save ${CMAKE_CURRENT_BINARY_DIR}/check.msg.${name}.run ${ARGN})
  set_tests_properties(sim.check.msg.${name}.all PROPERTIES LABELS sim TIMEOUT 300)
endfunction()
# Proof that it can fail: of a row too few, and of one too many.
if(NOT EYOT_SANITIZE)
  foreach(rows "1 2" "1 2;2 1;2 2")
    list(LENGTH rows n)
    add_test(NAME sim.check.msg.wild.rows${n} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh fail "^[<>] 2 [12]$"
      sh ${CMAKE_SOURCE_DIR}/tests/support/outcomes.sh ${rows} -- $<TARGET_FILE:eyotcheck> -n 3 --strategy exhaustive ${program} wild)
    set_tests_properties(sim.check.msg.wild.rows${n} PROPERTIES LABELS sim TIMEOUT 60)
  endforeach()
endif()
eyot_msg_outcomes(wild 3 "1 2;2 1" ${program} wild)
eyot_msg_outcomes(tags 3 "1 2;2 1" ${program} tags)
eyot_msg_outcomes(mixed 3 "1;2" ${program} mixed)
eyot_msg_outcomes(posted 2 "posted;unexpected" ${program} posted)
eyot_msg_outcomes(cancel 2 "cancelled;done" ${program} cancel)
eyot_msg_outcomes(cancels 3 "1;2;none" ${program} cancels)
eyot_msg_all(both "0 failed" 2 ${program} both)
eyot_msg_all(full "0 failed" 2 --msg-slots 1 --msg-slots-most 1 ${program} order count=4)
eyot_msg_all(wider "0 failed" 2 --msg-slots 1 --msg-slots-most 2 ${program} wider count=2)
eyot_msg_all(inside "0 failed" 2 ${program} inside count=2)
eyot_msg_all(last "0 failed" 2 ${program} last count=3)

# What messages copy takes time.
eyot_test_program(msg_copies msg_copies.c)
eyot_sim_test(msg.copies PROGRAM msg_copies UNITS 2 ARGS 12 OPTIONS --platform xc40 --order strict)
