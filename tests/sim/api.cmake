# The public API on the simulator: a tour of every operation between all pairs, the collectives, and random operations against a model.
foreach(program api_tour api_coll api_fuzz)
  eyot_test_program(${program} ${program}.c)
endforeach()

foreach(units 1 2 5 64)
  eyot_sim_test(api_tour_${units} PROGRAM api_tour UNITS ${units} PASSES "^ok$")
endforeach()
foreach(units 1 2 7 24)
  eyot_sim_test(api_coll_${units} PROGRAM api_coll UNITS ${units} PASSES "^ok$")
endforeach()
foreach(units 2 5 16)
  eyot_sim_test(api_fuzz_${units} PROGRAM api_fuzz UNITS ${units} OPTIONS --seed ${units} ARGS ${units} 10 PASSES "^ok$")
endforeach()

# Every legal reordering, and the other engine.
eyot_sim_test(api_tour_chaos PROGRAM api_tour UNITS 9 OPTIONS --order chaos --seed 3 PASSES "^ok$")
eyot_sim_test(api_coll_chaos PROGRAM api_coll UNITS 9 OPTIONS --order chaos --seed 4 PASSES "^ok$")
eyot_sim_test(api_fuzz_chaos PROGRAM api_fuzz UNITS 9 OPTIONS --order chaos --seed 5 ARGS 5 10 PASSES "^ok$")
eyot_sim_test(api_tour_simgrid PROGRAM api_tour UNITS 8 OPTIONS --engine simgrid PASSES "^ok$")

# Random calls of which some have wrong arguments (call_fuzz.c). EYOT_ERRORS: an error returns, whatever the default is.
eyot_test_program(call_fuzz call_fuzz.c)
set(fuzz PROGRAM call_fuzz PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
foreach(units 1 5)
  eyot_sim_test(call_fuzz_${units} ${fuzz} UNITS ${units} OPTIONS --seed ${units} ARGS ${units} 2000)
endforeach()
eyot_sim_test(call_fuzz_chaos ${fuzz} UNITS 4 OPTIONS --order chaos --seed 6 --units-per-node 2 ARGS 6 2000)
# The campaign: ./dev campaigns fuzz.
if(NOT EYOT_SANITIZE AND NOT EYOT_COVERAGE)
  add_test(NAME sim.fuzz.calls COMMAND sh ${CMAKE_SOURCE_DIR}/tests/soak/fuzz.sh ${CMAKE_BINARY_DIR} 60 sim)
  set_tests_properties(sim.fuzz.calls PROPERTIES TIMEOUT 86400 LABELS fuzz PROCESSORS 2)
endif()
