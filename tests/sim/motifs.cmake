# The motif programs in the simulator, small, under every order. PROGRAM is relative to the test programs' folder.
set(motifs ../../examples)
foreach(order strict rdma chaos)
  eyot_wide_order(wide ${order})
  foreach(units 4 64)
    eyot_sim_test(hashtable.${order}.n${units} PROGRAM ${motifs}/hashtable UNITS ${units} OPTIONS --order ${order}
      PASSES "hashtable: verified: .* exactly once")
  endforeach()
  eyot_sim_test(hashtable.${order}.n1024 PROGRAM ${motifs}/hashtable UNITS 1024 ${wide} OPTIONS --order ${order} ARGS --inserts 32
    PASSES "hashtable: verified: all 32768 keys")
  # Long chains, many units at one slot, lookups beside inserts; and few keys, inserted by everybody.
  eyot_sim_test(hashtable.crowded.${order} PROGRAM ${motifs}/hashtable UNITS 64 SEEDS 8 OPTIONS --order ${order}
    ARGS --inserts 32 --table 4 --heap 64 --watch)
  eyot_sim_test(hashtable.duplicates.${order} PROGRAM ${motifs}/hashtable UNITS 24 SEEDS 8 OPTIONS --order ${order}
    ARGS --inserts 16 --distinct 5 --heap 384 --watch)
endforeach()
eyot_sim_test(hashtable.crowded PROGRAM ${motifs}/hashtable UNITS 64 ARGS --inserts 32 --table 4 --heap 64 --watch --seed 2
  PASSES "hashtable: verified: all 2048 keys .* exactly once")
eyot_sim_test(hashtable.duplicates PROGRAM ${motifs}/hashtable UNITS 24 ARGS --inserts 16 --distinct 5 --heap 384 --watch
  PASSES "hashtable: verified: all 384 keys .* as often as it was inserted")
eyot_sim_test(hashtable.alone PROGRAM ${motifs}/hashtable UNITS 1 ARGS --inserts 100 --table 1 --heap 99
  PASSES "longest chain 99, fullest heap 99 of 99")
eyot_sim_test(hashtable.xe6 PROGRAM ${motifs}/hashtable UNITS 64 OPTIONS --platform xe6 --engine simgrid ARGS --inserts 32
  PASSES "hashtable: verified")

# Too little room is said once, with what suffices: one cell more passes above.
eyot_sim_test(hashtable.heap_full PROGRAM ${motifs}/hashtable UNITS 1 ARGS --inserts 100 --table 1 --heap 98
  FAILS "1 of 100 keys were not inserted: an overflow heap of 98 cells was full; give --heap 99 or more")
eyot_sim_test(hashtable.heap_full_many PROGRAM ${motifs}/hashtable UNITS 64 OPTIONS --order chaos ARGS --heap 1 --watch
  FAILS "keys were not inserted: .* give --heap [0-9]+ or more")
eyot_sim_test(hashtable.no_memory PROGRAM ${motifs}/hashtable OPTIONS --heap-size 64K --heap-max 64K ARGS --inserts 16384
  FAILS "hashtable: a volume takes 656448 bytes of a unit's symmetric heap; raise EYOT_HEAP_MAX")
eyot_sim_test(hashtable.help PROGRAM ${motifs}/hashtable ARGS --help PASSES "usage: hashtable")
eyot_sim_test(hashtable.no_verify PROGRAM ${motifs}/hashtable ARGS --no-verify PASSES "hashtable: not verified")
eyot_sim_test(hashtable.bad_value PROGRAM ${motifs}/hashtable ARGS --inserts 0 FAILS "bad value '0' for --inserts")
eyot_sim_test(hashtable.bad_seed PROGRAM ${motifs}/hashtable ARGS --seed 16777216 FAILS "bad value '16777216' for --seed")
eyot_sim_test(hashtable.bad_option PROGRAM ${motifs}/hashtable ARGS --isnerts 3 FAILS "unknown option '--isnerts'")
eyot_sim_test(hashtable.bad_word PROGRAM ${motifs}/hashtable ARGS 3 FAILS "unexpected word '3'")

foreach(order strict rdma chaos)
  eyot_wide_order(wide ${order})
  foreach(units 4 64)
    eyot_sim_test(dsde.${order}.n${units} PROGRAM ${motifs}/dsde UNITS ${units} OPTIONS --order ${order} PASSES "dsde: verified")
  endforeach()
  foreach(protocol accumulate notify)
    eyot_sim_test(dsde.${protocol}.${order}.n1024 PROGRAM ${motifs}/dsde UNITS 1024 ${wide} OPTIONS --order ${order}
      ARGS --protocol ${protocol} --rounds 2 PASSES "dsde: verified: .* 12288 items")
  endforeach()
  foreach(protocol reduce_scatter nbx)
    eyot_sim_test(dsde.${protocol}.${order}.n128 PROGRAM ${motifs}/dsde UNITS 128 OPTIONS --order ${order}
      ARGS --protocol ${protocol} --rounds 2 PASSES "dsde: verified: .* 1536 items")
  endforeach()
  foreach(protocol accumulate notify reduce_scatter nbx)
    # Exchanges that begin while others are still at the one before.
    eyot_sim_test(dsde.${protocol}.back_to_back.${order} PROGRAM ${motifs}/dsde UNITS 8 SEEDS 8 OPTIONS --order ${order}
      ARGS --protocol ${protocol} --targets 4 --rounds 100 --back-to-back)
  endforeach()
endforeach()
# Two million puts; instrumented, minutes.
eyot_sim_test(dsde.alltoall.n1024 PROGRAM ${motifs}/dsde UNITS 1024 TIMEOUT 600 ARGS --protocol alltoall --rounds 1
  PASSES "dsde: verified: .* 6144 items")
eyot_sim_test(dsde.back_to_back PROGRAM ${motifs}/dsde UNITS 8 OPTIONS --order chaos ARGS --targets 4 --rounds 300 --back-to-back --seed 2
  PASSES "dsde: verified: .* 9600 items")
eyot_sim_test(dsde.alone PROGRAM ${motifs}/dsde UNITS 1 PASSES "dsde: verified: .* 30 items")
eyot_sim_test(dsde.many_targets PROGRAM ${motifs}/dsde UNITS 3 OPTIONS --order chaos ARGS --targets 100 PASSES "dsde: verified: .* 1500 items")
eyot_sim_test(dsde.xe6 PROGRAM ${motifs}/dsde UNITS 64 OPTIONS --platform xe6 --engine simgrid PASSES "dsde: verified")

# Of two units each gets exactly six items.
foreach(protocol accumulate notify reduce_scatter nbx)
  eyot_sim_test(dsde.no_room.${protocol} PROGRAM ${motifs}/dsde UNITS 2 ARGS --protocol ${protocol} --reserve 5
    FAILS "${protocol}: 10 of 60 items were not sent: an inbox holds 5 items of an exchange; give --reserve 6 or more")
  eyot_sim_test(dsde.room.${protocol} PROGRAM ${motifs}/dsde UNITS 2 ARGS --protocol ${protocol} --reserve 6 PASSES "dsde: verified: .* 60 items")
endforeach()
eyot_sim_test(dsde.no_memory PROGRAM ${motifs}/dsde OPTIONS --heap-size 64K --heap-max 64K ARGS --reserve 10000
  FAILS "dsde: the inbox takes 160128 bytes of a unit's symmetric heap; raise EYOT_HEAP_MAX")
eyot_sim_test(dsde.help PROGRAM ${motifs}/dsde ARGS --help PASSES "usage: dsde")
eyot_sim_test(dsde.bad_protocol PROGRAM ${motifs}/dsde ARGS --protocol fence FAILS "bad value 'fence' for --protocol")
eyot_sim_test(dsde.bad_value PROGRAM ${motifs}/dsde ARGS --targets 5000 FAILS "bad value '5000' for --targets")
eyot_sim_test(dsde.no_value PROGRAM ${motifs}/dsde ARGS --rounds FAILS "--rounds needs a value: expected a whole number from 1 to 4096")
