# The UPC programs (examples/upc) in the simulator and under eyotcheck; tests/cluster/upc_examples.cmake runs the same files over MPI.
set(upc_programs ../../examples/upc)
function(eyot_upc_example name program)
  eyot_sim_test(upc.example.${name} PROGRAM ${upc_programs}/${program} ${ARGN})
  if(name MATCHES "1024" AND TEST sim.upc.example.${name}) # builds that leave out large tests have none
    set_tests_properties(sim.upc.example.${name} PROPERTIES LABELS wide)
  endif()
endfunction()
foreach(n 2 4 8 16 32 64)
  eyot_upc_example(cpi.n${n} cpi UNITS ${n} ARGS --intervals 10000 PASSES "cpi: verified.* on ${n} threads")
endforeach()
eyot_upc_example(cpi.chaos cpi UNITS 7 SEEDS 5 OPTIONS --order chaos --units-per-node 2 ARGS --intervals 500)
eyot_upc_example(cpi.few cpi UNITS 5 ARGS --intervals 2 PASSES "cpi: verified")
eyot_upc_example(cpi.n1024 cpi UNITS 1024 ARGS --intervals 100000 PASSES "cpi: verified" ENV UPC_SHARED_HEAP_SIZE=64K)
eyot_upc_example(cpi.bad cpi UNITS 2 ARGS --intervals 0 FAILS "bad value '0' for --intervals: expected a whole number from 1")
foreach(access plain shared)
  eyot_upc_example(stream.${access} stream UNITS 6 SEEDS 3 OPTIONS --order chaos --units-per-node 2 ARGS --elements 1000 --passes 3 --access ${access})
endforeach()
eyot_upc_example(stream.uneven stream UNITS 7 ARGS --elements 10 --passes 2 PASSES "stream: verified")
eyot_upc_example(stream.n64 stream UNITS 64 ARGS --elements 100000 --passes 2 PASSES "stream: verified")
eyot_upc_example(stream.n1024 stream UNITS 1024 ARGS --elements 50000 --passes 2 PASSES "stream: verified" ENV UPC_SHARED_HEAP_SIZE=64K)
eyot_upc_example(stream.heap stream UNITS 2 ARGS --elements 4000000 FAILS "upc_all_alloc: .*raise UPC_SHARED_HEAP_SIZE, or free memory" ENV UPC_SHARED_HEAP_SIZE=20M)
eyot_upc_example(gups.n8 gups UNITS 8 SEEDS 3 OPTIONS --order chaos --units-per-node 2 ARGS -m 16 --updates 40000)
eyot_upc_example(gups.n3 gups UNITS 3 ARGS -m 13 --updates 10000 PASSES "gups: verified: [0-9]+ of 8192 words wrong")
eyot_upc_example(gups.n1 gups UNITS 1 ARGS -m 10 PASSES "gups: verified: 0 of 1024 words wrong")
eyot_upc_example(gups.n64 gups UNITS 64 ARGS -m 17 --updates 131072 PASSES "gups: verified")
eyot_upc_example(gups.n1024 gups UNITS 1024 ARGS -m 20 --updates 65536 PASSES "gups: verified" ENV UPC_SHARED_HEAP_SIZE=64K)
eyot_upc_example(gups.lossy gups UNITS 64 ARGS -m 6 FAILS "gups: WRONG: [0-9]+ of 64 words wrong")

if(NOT EYOT_SANITIZE)
  # No races: 300 schedules of three threads.
  function(eyot_upc_example_check program)
    add_test(NAME sim.upc.example.${program}.check COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh pass "300 runs.*; 0 failed"
      $<TARGET_FILE:eyotcheck> --units-per-node 1 --save ${CMAKE_CURRENT_BINARY_DIR}/upc.example.${program}.run -n 3 --runs 300
      ${CMAKE_BINARY_DIR}/examples/upc/${program} ${ARGN})
    set_tests_properties(sim.upc.example.${program}.check PROPERTIES TIMEOUT 120 LABELS sim)
  endfunction()
  eyot_upc_example_check(cpi --intervals 40)
  eyot_upc_example_check(stream --elements 10 --passes 2)
  # Its updates are races by design; nothing else is wrong.
  add_test(NAME sim.upc.example.gups.race COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh fail "race: .*upc_relaxed_(get|put) .*gups.c:[0-9]+ .update"
    $<TARGET_FILE:eyotcheck> --units-per-node 1 --save ${CMAKE_CURRENT_BINARY_DIR}/upc.example.gups.run -n 3 --runs 300 --no-shrink
    ${CMAKE_BINARY_DIR}/examples/upc/gups -m 6)
  set_tests_properties(sim.upc.example.gups.race PROPERTIES TIMEOUT 120 LABELS sim)
endif()
