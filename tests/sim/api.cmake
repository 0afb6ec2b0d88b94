# The public API on the simulator: a tour of every operation between all pairs, the collectives, and random operations against a model.
foreach(program api_tour api_coll api_fuzz coll_again coll_differ coll_exact coll_first_differs coll_global coll_late coll_lengths coll_model coll_moves coll_pairs coll_stuck coll_unmet coll_values coll_wrong coll_nb coll_nb_first coll_nb_wrong coll_refusals neighbor_model neighbor_wide neighbor_wrong)
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
# Plans of blocks of several lengths are kept, for calls with the same ones in the same places.
foreach(units 2 3 4)
  eyot_sim_test(coll_lengths_${units} PROGRAM coll_lengths UNITS ${units} ARGS 24 PASSES "^ok$")
endforeach()
# Two members greet each other in calls of several lengths.
eyot_sim_test(coll_moves_2 PROGRAM coll_moves UNITS 2 ARGS sample 2 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
# Collectives on global memory.
set(global PROGRAM coll_global PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
foreach(units 1 2 3 5 8)
  eyot_sim_test(coll_global_${units} ${global} UNITS ${units} ARGS ${units})
endforeach()
eyot_sim_test(coll_global_chaos ${global} UNITS 6 OPTIONS --order chaos --seed 4 --units-per-node 2 ARGS 14)
# Multi-object algorithms, of nodes of which the last one has fewer units.
set(multi "allreduce:0-:multi(k=2)#reduce:0-:multi(k=3)#broadcast:0-:multi(k=2)#alltoall:0-:nodeagg#allgather:0-:nodeagg")
eyot_sim_test(coll_model_multi PROGRAM coll_model UNITS 13 OPTIONS --units-per-node 2 --coll "${multi}" ARGS sample 5 PASSES "^ok$")
eyot_sim_test(coll_moves_multi PROGRAM coll_moves UNITS 11 OPTIONS --units-per-node 3 --coll "${multi}" ARGS sample 5 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
# In parts, of one node and of several, of which the tree over ranks has several blocks each; short vectors have fewer elements than a node has units. Of the last node some units have two parts; of one with fewer units others do it.
set(parts "broadcast:0-:parts#allreduce:0-:parts#reduce:0-:parts")
eyot_sim_test(coll_model_parts_nodes PROGRAM coll_model UNITS 12 OPTIONS --units-per-node 3 --coll "${parts}" ARGS sample 6 PASSES "^ok$")
eyot_sim_test(coll_model_parts_uneven PROGRAM coll_model UNITS 13 OPTIONS --units-per-node 5 --coll "${parts}" ARGS sample 7 PASSES "^ok$")
eyot_sim_test(coll_model_parts PROGRAM coll_model UNITS 11 OPTIONS --units-per-node 11 --coll "${parts}" ARGS sample 5 PASSES "^ok$")
eyot_sim_test(coll_moves_parts PROGRAM coll_moves UNITS 12 OPTIONS --units-per-node 4 --coll "${parts}" ARGS sample 5 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(coll_wrong_parts PROGRAM coll_wrong UNITS 9 OPTIONS --units-per-node 3 --coll "${parts}" ARGS 300 9 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
# Over routers of two nodes and of four, of which the last one has fewer, in parts.
set(routers "allreduce:0-:routers#reduce:0-:routers")
eyot_sim_test(coll_model_routers PROGRAM coll_model UNITS 14 OPTIONS --platform dragonfly:nodes=2 --units-per-node 3 --coll "${routers}" ARGS sample 6 PASSES "^ok$")
eyot_sim_test(coll_moves_routers PROGRAM coll_moves UNITS 15 OPTIONS --units-per-node 3 --coll "${routers}" ARGS sample 5 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(coll_wrong_routers PROGRAM coll_wrong UNITS 9 OPTIONS --platform dragonfly:nodes=2 --units-per-node 3 --coll "${routers}" ARGS 300 9 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
# Gathers and scatters along a tree, and by the root itself.
foreach(units 5 13)
  eyot_sim_test(coll_scatter_tree_${units} PROGRAM coll_moves UNITS ${units} OPTIONS --units-per-node 3 --coll "scatter:0-:binomial" ARGS sample 6 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
  eyot_sim_test(coll_scatter_itself_${units} PROGRAM coll_moves UNITS ${units} OPTIONS --units-per-node 3 --coll "scatter:0-:linear" ARGS sample 6 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
  eyot_sim_test(coll_gather_tree_${units} PROGRAM api_coll UNITS ${units} OPTIONS --units-per-node 3 --coll "gather:0-:binomial" PASSES "^ok$")
  eyot_sim_test(coll_gather_itself_${units} PROGRAM api_coll UNITS ${units} OPTIONS --units-per-node 3 --coll "gather:0-:get" PASSES "^ok$")
endforeach()
eyot_sim_test(coll_wrong_tree PROGRAM coll_wrong UNITS 9 OPTIONS --units-per-node 2 --coll "gather:0-:binomial#scatter:0-:linear" ARGS 300 5 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(coll_again PROGRAM coll_again UNITS 5 OPTIONS --units-per-node 2 ARGS 40 PASSES "^ok$")
# Loops of tests where calls cost nothing; and, in the second machine, no look at a word either.
eyot_test_program(free_calls free_calls.c)
eyot_sim_test(free_calls PROGRAM free_calls UNITS 5 OPTIONS --platform xc40:local=0 --units-per-node 2 PASSES "^ok$" TIMEOUT 30)
eyot_sim_test(free_calls.looks PROGRAM free_calls UNITS 5 OPTIONS --platform xc40:local=0,bw_copy=100000 PASSES "^ok$" TIMEOUT 30)
# The same programs where they cost something: the loop of orders.
eyot_sim_test(free_calls.order PROGRAM free_calls UNITS 5 ARGS order PASSES "^ok$" TIMEOUT 30)
if(NOT EYOT_SANITIZE)
  add_test(NAME sim.free_calls.check COMMAND eyotcheck -n 2 --runs 3 --max-run 2000 --platform xc40:local=0 ${EYOT_TEST_BIN}/free_calls progress)
  set_tests_properties(sim.free_calls.check PROPERTIES TIMEOUT 60 LABELS sim)
endif()
eyot_sim_test(coll_late PROGRAM coll_late UNITS 4 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(coll_wrong_multi PROGRAM coll_wrong UNITS 9 OPTIONS --units-per-node 2 --coll "${multi}" ARGS 300 9 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
eyot_sim_test(neighbor_wide PROGRAM neighbor_wide UNITS 2 PASSES "^ok$")
# Non-blocking and persistent collectives.
foreach(units 1 2 5 13)
  eyot_sim_test(coll_nb_${units} PROGRAM coll_nb UNITS ${units} ARGS 12 ${units} PASSES "^ok$")
endforeach()
foreach(units 2 5)
  eyot_sim_test(coll_nb_wrong_${units} PROGRAM coll_nb_wrong UNITS ${units} PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
# What a member finds while another call runs is a fault of the call that made it, in its line.
eyot_sim_test(coll_nb_wrong_name PROGRAM coll_nb_wrong UNITS 5 OPTIONS --order chaos PASSES "error: eyot_allreduce_nb: members called .* called at coll_nb_wrong.c:[0-9]+ .calls_differ" ENV EYOT_ERRORS=return)
eyot_sim_test(coll_nb_first PROGRAM coll_nb_first UNITS 7 OPTIONS --units-per-node 3 PASSES "^ok$")
# And beside another function on other members: they have no lanes then.
foreach(units 2 5)
  eyot_sim_test(coll_first_differs_${units} PROGRAM coll_first_differs UNITS ${units} OPTIONS --units-per-node 2 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
add_test(NAME sim.coll_unmet COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/coll_unmet.sh ${EYOT_TEST_BIN}/coll_unmet $<TARGET_FILE:eyotrun> --fabric sim -n 3)
set_tests_properties(sim.coll_unmet PROPERTIES TIMEOUT 60 LABELS sim)
eyot_sim_test(coll_nb_chaos PROGRAM coll_nb UNITS 6 OPTIONS --order chaos --seed 3 --units-per-node 2 ARGS 12 3 PASSES "^ok$")
# Exact sums against their definition.
set(exact PROGRAM coll_exact PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
foreach(units 1 2 3 5 8 13)
  eyot_sim_test(coll_exact_${units} ${exact} UNITS ${units} ARGS ${units})
endforeach()
eyot_sim_test(coll_exact_chaos ${exact} UNITS 6 OPTIONS --order chaos --seed 4 --units-per-node 2 ARGS 14)
eyot_sim_test(coll_exact_multi ${exact} UNITS 13 OPTIONS --units-per-node 2 --coll "${multi}" ARGS 15)
eyot_sim_test(coll_nb_check PROGRAM coll_nb UNITS 4 ARGS 8 5 PASSES "^ok$" ENV EYOT_CHECK=1)
# Neighbourhood collectives on random graphs and grids.
foreach(units 1 2 5 13)
  eyot_sim_test(neighbor_model_${units} PROGRAM neighbor_model UNITS ${units} ARGS 5 ${units} PASSES "^ok$")
endforeach()
eyot_sim_test(neighbor_model_chaos PROGRAM neighbor_model UNITS 6 OPTIONS --order chaos --seed 3 --units-per-node 2 ARGS 6 3 PASSES "^ok$")
foreach(units 1 2 5)
  eyot_sim_test(neighbor_wrong_${units} PROGRAM neighbor_wrong UNITS ${units} PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
eyot_sim_test(neighbor_leak PROGRAM neighbor_wrong UNITS 2 ARGS leak PASSES "not released before: the graph")
# Two functions that refuse their calls on all members.
foreach(units 2 5)
  eyot_sim_test(coll_refusals_${units} PROGRAM coll_refusals UNITS ${units} OPTIONS --units-per-node 2 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
  eyot_sim_test(coll_refusals_check_${units} PROGRAM coll_refusals UNITS ${units} OPTIONS --units-per-node 2 ARGS check PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return EYOT_CHECK=1)
endforeach()
# Mistakes in collectives, at random.
foreach(units 2 5 16)
  eyot_sim_test(coll_wrong_${units} PROGRAM coll_wrong UNITS ${units} ARGS 300 ${units} PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
eyot_sim_test(coll_wrong_nodes PROGRAM coll_wrong UNITS 8 OPTIONS --units-per-node 1 ARGS 300 8 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
foreach(run 2,strict 5,rdma 16,chaos)
  string(REPLACE "," ";" run ${run})
  list(GET run 0 units)
  list(GET run 1 order)
  eyot_sim_test(coll_wrong_nodes_${units} PROGRAM coll_wrong UNITS ${units} OPTIONS --units-per-node 1 --order ${order} --seed ${units} ARGS 200 ${units} PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
# Pairs of collective functions where all members should call one: a few, and all of them.
set(pairs sh ${CMAKE_CURRENT_SOURCE_DIR}/coll_pairs.sh $<TARGET_FILE:eyotrun> $<TARGET_FILE:coll_pairs>)
add_test(NAME sim.coll_pairs COMMAND ${pairs} 2 11 523)
set_tests_properties(sim.coll_pairs PROPERTIES LABELS sim TIMEOUT 240)
if(EYOT_SANITIZE)
  # A run that ends in the middle frees nothing.
  set_tests_properties(sim.coll_pairs PROPERTIES ENVIRONMENT ASAN_OPTIONS=${EYOT_ASAN_OPTIONS}:detect_leaks=0)
endif()
foreach(part RANGE 3)
  add_test(NAME sim.coll_pairs_part${part} COMMAND ${pairs} 2 ${part} 4)
  set_tests_properties(sim.coll_pairs_part${part} PROPERTIES LABELS full TIMEOUT 7200)
endforeach()
# Reports name the collective that a call waits for or tests.
foreach(how wait all plan)
  eyot_sim_test(coll_stuck.${how} PROGRAM coll_stuck UNITS 2 ARGS ${how}
    FAILS "unit 0: in eyot_coll_wait[_al]* of eyot_allreduce_[nbpla]* at coll_stuck.c:[0-9]+ .other_members., phase none: waits")
endforeach()
# And what a collective has done inside another call.
eyot_sim_test(coll_stuck.inside PROGRAM coll_stuck UNITS 2 ARGS wait FAILS "unit 1: in eyot_recv from unit 0, .* last operation: eyot_allreduce: put with signal of 8 bytes")
# A start waits only where all members compare their arguments first.
eyot_sim_test(coll_stuck.start PROGRAM coll_stuck UNITS 2 ARGS start ENV EYOT_CHECK=1
  FAILS "unit 0: in eyot_coll_start of eyot_allreduce_plan at coll_stuck.c:[0-9]+ .other_members., phase none: waits")
eyot_sim_test(coll_stuck.test PROGRAM coll_stuck UNITS 2 OPTIONS --max-virtual-time 1ms ARGS test
  FAILS "unit 0: in eyot_coll_test of eyot_allreduce_nb at coll_stuck.c:[0-9]+ .other_members., phase none: continues")
eyot_sim_test(coll_values PROGRAM coll_values UNITS 6 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
foreach(units 2 5 16)
  eyot_sim_test(api_fuzz_${units} PROGRAM api_fuzz UNITS ${units} OPTIONS --seed ${units} ARGS ${units} 10 PASSES "^ok$")
endforeach()
# The report of calls that differ has those of all members.
set(reduction "type UINT64, operator SUM")
eyot_sim_test(coll_differ_elements PROGRAM coll_differ UNITS 4 OPTIONS --errors abort ARGS elements FAILS "^    unit 2: call 1, eyot_allreduce with ${reduction}, 7 elements, called at coll_differ.c:[0-9]+ .main.")
eyot_sim_test(coll_differ_others PROGRAM coll_differ UNITS 4 OPTIONS --errors abort ARGS elements FAILS "^    units 0-1,3: call 1, eyot_allreduce with ${reduction}, 8 elements, called at coll_differ.c:[0-9]+ .main.")
eyot_sim_test(coll_differ_form PROGRAM coll_differ UNITS 4 OPTIONS --errors abort ARGS form FAILS "^    unit 2: call 1, eyot_coll_start of eyot_reduce with root 3, ${reduction}, 8 elements, as a plan, called at")
eyot_sim_test(coll_differ_operator PROGRAM coll_differ UNITS 4 OPTIONS --errors abort ARGS operator FAILS "^    unit 2: call 1, eyot_allreduce with type USER, operator an operator of the program .8 bytes, commutative., 2 elements, called at")
eyot_sim_test(coll_differ_operators PROGRAM coll_differ UNITS 4 OPTIONS --errors abort ARGS operator FAILS "^    units 0-1,3: call 1, .* .8 bytes, not commutative., 2 elements, called at")
eyot_sim_test(coll_differ_lengths PROGRAM coll_differ UNITS 4 OPTIONS --errors abort ARGS lengths FAILS "^    unit 2: call 1, eyot_allgatherv with lengths of hash [0-9a-f]+, called at")
eyot_sim_test(coll_differ_left PROGRAM coll_differ UNITS 4 OPTIONS --errors abort ARGS left FAILS "^    unit 2: call 1, eyot_reduce with root 1, type UINT64, operator SUM, 1 elements, called at coll_differ.c:[0-9]+ .left.")
eyot_sim_test(coll_differ_before PROGRAM coll_differ UNITS 4 OPTIONS --errors abort ARGS before FAILS "^    units 0-1,3: call 2, eyot_broadcast with root 0, 8 bytes, called at coll_differ.c:[0-9]+ .before.")
eyot_sim_test(coll_differ_forgotten PROGRAM coll_differ UNITS 4 OPTIONS --errors return --coll "scatter:0-:linear" ARGS forgotten FAILS "^odd: EYOT_EMISMATCH")
eyot_sim_test(coll_differ_end PROGRAM coll_differ UNITS 4 OPTIONS --errors abort ARGS end FAILS "^    units 0-1,3: call 1, eyot_finalize, called at coll_differ.c:[0-9]+ .main.")

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
# A rule of EYOT_COLL that a call cannot have is named.
eyot_sim_test(coll_rule.unmet PROGRAM api_coll UNITS 4 OPTIONS --coll allreduce:0-:routers#broadcast:0-:multi
  PASSES "warning: .*EYOT_COLL asks for routers in allreduce, which this call cannot have")
