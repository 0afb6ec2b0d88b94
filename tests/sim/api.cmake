# The public API on the simulator: a tour of every operation between all pairs, the collectives, and random operations against a model.
foreach(program api_tour api_coll api_fuzz coll_exact coll_model coll_moves coll_values coll_wrong coll_nb coll_nb_wrong)
  eyot_test_program(${program} ${program}.c)
endforeach()

foreach(units 1 2 5 64)
  eyot_sim_test(api_tour_${units} PROGRAM api_tour UNITS ${units} PASSES "^ok$")
endforeach()
foreach(units 1 2 7 24)
  eyot_sim_test(api_coll_${units} PROGRAM api_coll UNITS ${units} PASSES "^ok$")
endforeach()
# A part of the product of functions, operators, types and sizes against the serial model; the whole is tests/soak's.
foreach(units 1 3 8 13)
  eyot_sim_test(coll_model_${units} PROGRAM coll_model UNITS ${units} ARGS sample ${units} PASSES "^ok$")
  eyot_sim_test(coll_moves_${units} PROGRAM coll_moves UNITS ${units} ARGS sample ${units} PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
# Multi-object algorithms, of nodes of which the last one has fewer units.
set(multi "allreduce:0-:multi(k=2)#reduce:0-:multi(k=3)#broadcast:0-:multi(k=2)#alltoall:0-:nodeagg#allgather:0-:nodeagg")
eyot_sim_test(coll_model_multi PROGRAM coll_model UNITS 13 OPTIONS --units-per-node 2 --coll "${multi}" ARGS sample 5 PASSES "^ok$")
eyot_sim_test(coll_moves_multi PROGRAM coll_moves UNITS 11 OPTIONS --units-per-node 3 --coll "${multi}" ARGS sample 5 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(coll_wrong_multi PROGRAM coll_wrong UNITS 9 OPTIONS --units-per-node 2 --coll "${multi}" ARGS 300 9 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
# Non-blocking and persistent collectives.
foreach(units 1 2 5 13)
  eyot_sim_test(coll_nb_${units} PROGRAM coll_nb UNITS ${units} ARGS 12 ${units} PASSES "^ok$")
endforeach()
foreach(units 2 5)
  eyot_sim_test(coll_nb_wrong_${units} PROGRAM coll_nb_wrong UNITS ${units} PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
eyot_sim_test(coll_nb_chaos PROGRAM coll_nb UNITS 6 OPTIONS --order chaos --seed 3 --units-per-node 2 ARGS 12 3 PASSES "^ok$")
# Exact sums against their definition.
set(exact PROGRAM coll_exact PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
foreach(units 1 2 3 5 8 13)
  eyot_sim_test(coll_exact_${units} ${exact} UNITS ${units} ARGS ${units})
endforeach()
eyot_sim_test(coll_exact_chaos ${exact} UNITS 6 OPTIONS --order chaos --seed 4 --units-per-node 2 ARGS 14)
eyot_sim_test(coll_exact_multi ${exact} UNITS 13 OPTIONS --units-per-node 2 --coll "${multi}" ARGS 15)
eyot_sim_test(coll_nb_check PROGRAM coll_nb UNITS 4 ARGS 8 5 PASSES "^ok$" ENV EYOT_CHECK=1)
# Mistakes in collectives, at random.
foreach(units 2 5 16)
  eyot_sim_test(coll_wrong_${units} PROGRAM coll_wrong UNITS ${units} ARGS 300 ${units} PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
eyot_sim_test(coll_values PROGRAM coll_values UNITS 6 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
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
# The whole product: ./dev campaigns wide.
if(NOT EYOT_SANITIZE AND NOT EYOT_COVERAGE)
  eyot_sim_test(coll_model_whole PROGRAM coll_model UNITS 13 ARGS all 1 PASSES "^ok$" TIMEOUT 3600)
  set_tests_properties(sim.coll_model_whole PROPERTIES LABELS wide)
endif()
