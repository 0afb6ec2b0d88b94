# Notified access: counters in every way of waiting, and the ring of producers and consumers. Seeds in plenty at small sizes.
eyot_test_program(notify notify.c)
set(ring ../../examples/ring)

foreach(order strict rdma chaos)
  eyot_wide_order(wide ${order})
  foreach(units 4 64)
    eyot_sim_test(notify.${order}.n${units} PROGRAM notify UNITS ${units} SEEDS 100 OPTIONS --order ${order} --units-per-node 3 ARGS 2)
    foreach(by put get)
      eyot_sim_test(ring.${by}.${order}.n${units} PROGRAM ${ring} UNITS ${units} SEEDS 100 OPTIONS --order ${order} --units-per-node 3
        ARGS --by ${by} --items 25 --slots 4 --bytes 40)
    endforeach()
  endforeach()
  eyot_sim_test(notify.${order}.n1024 PROGRAM notify UNITS 1024 ${wide} OPTIONS --order ${order} ARGS 2 PASSES "^ok$")
  eyot_sim_test(ring.put.${order}.n1024 PROGRAM ${ring} UNITS 1024 SEEDS 2 ${wide} OPTIONS --order ${order} ARGS --items 20 --slots 4)
  eyot_sim_test(ring.get.${order}.n1024 PROGRAM ${ring} UNITS 1024 SEEDS 2 ${wide} OPTIONS --order ${order} ARGS --items 20 --slots 4 --by get --window 2)
  # A window that is not full at the end; one producer for all; items longer than a message in one piece.
  eyot_sim_test(ring.windows.${order} PROGRAM ${ring} UNITS 5 SEEDS 20 OPTIONS --order ${order} ARGS --items 41 --slots 12 --window 4)
  eyot_sim_test(ring.fan.put.${order} PROGRAM ${ring} UNITS 9 SEEDS 20 OPTIONS --order ${order} ARGS --shape fan --items 21 --slots 6 --window 3 --bytes 5000)
  eyot_sim_test(ring.fan.get.${order} PROGRAM ${ring} UNITS 9 SEEDS 20 OPTIONS --order ${order} ARGS --shape fan --by get --items 21 --slots 6)
endforeach()
foreach(order strict rdma chaos)
  eyot_sim_test(notify.lost.${order} PROGRAM notify UNITS 6 SEEDS 10 OPTIONS --order ${order} --units-per-node 2 ARGS lost 15 ENV EYOT_LOG=silent)
endforeach()
eyot_sim_test(notify.alone PROGRAM notify UNITS 1 PASSES "^ok$")
eyot_sim_test(notify.simgrid PROGRAM notify UNITS 8 OPTIONS --engine simgrid PASSES "^ok$")
eyot_sim_test(notify.xe6 PROGRAM notify UNITS 64 OPTIONS --platform xe6 PASSES "^ok$")
eyot_sim_test(ring.alone PROGRAM ${ring} UNITS 1 PASSES "ring: verified: 100 items")
eyot_sim_test(ring.one_slot PROGRAM ${ring} UNITS 3 OPTIONS --order chaos ARGS --slots 1 PASSES "ring: verified: 300 items")
eyot_sim_test(ring.fan.n1024 PROGRAM ${ring} UNITS 1024 OPTIONS --platform xc40 ARGS --shape fan --items 12 --slots 4 PASSES "ring: verified: 12276 items")
# What a unit waits for is told: each word of a few units, as many as a line holds of many.
eyot_sim_test(notify.stuck PROGRAM notify UNITS 2 ARGS stuck 40
  FAILS "in eyot_counter_wait_any, .* waits for any of 40 words of its own")
eyot_sim_test(notify.stuck.words PROGRAM notify UNITS 2 ARGS stuck 40 FAILS "offset [0-9]+ of the counter .* to be >= 40. it is 39, last written by unit")
eyot_sim_test(notify.stuck.many PROGRAM notify UNITS 70 ARGS stuck 9
  FAILS "in eyot_counter_wait_any, .* waits for any of 9 words of its own: offset 0 of the counter of notify.c:[0-9]+ .* to be >= 1. it is 0 . .* and [0-9] more")
eyot_sim_test(ring.bad_window PROGRAM ${ring} ARGS --slots 8 --window 3 FAILS "8 slots cannot be cut into windows of 3")
eyot_sim_test(ring.bad_shape PROGRAM ${ring} ARGS --shape star FAILS "bad value 'star' for --shape")
eyot_sim_test(ring.fan_alone PROGRAM ${ring} UNITS 1 ARGS --shape fan FAILS "shape fan needs 2 units or more")
