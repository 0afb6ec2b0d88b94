# Operation sets.
eyot_test_program(sets sets.c)
foreach(order strict rdma chaos)
  eyot_sim_test(sets.${order} PROGRAM sets UNITS 4 SEEDS 5 OPTIONS --order ${order} --units-per-node 2 ENV EYOT_ERRORS=return EYOT_LOG=silent)
endforeach()
eyot_sim_test(sets.races PROGRAM sets UNITS 3 OPTIONS --races ENV EYOT_ERRORS=return EYOT_LOG=silent PASSES "^ok$")
eyot_sim_test(sets.wrong PROGRAM sets ARGS wrong UNITS 3 OPTIONS --races ENV EYOT_ERRORS=return EYOT_LOG=silent FAILS "[1-9][0-9]* races? found")

# As many as a unit may have; those left at the end; wrong handles.
eyot_test_program(many_sets many_sets.c)
eyot_sim_test(sets.many PROGRAM many_sets UNITS 3 OPTIONS --max-outstanding 8192 PASSES "^ok$")
eyot_sim_test(sets.many.races PROGRAM many_sets ARGS 512 2 UNITS 3 OPTIONS --races PASSES "^ok$")
eyot_sim_test(sets.left PROGRAM many_sets ARGS left UNITS 1
  PASSES "eyot_finalize: not released before: the operation set \\(eyot_set_create at many_sets.c:[0-9]+ \\(left\\)\\)")
foreach(bad "limit|eyot_set_create: this unit has 4096 operation sets.*destroy some.*called at many_sets.c:[0-9]+ \\(bad\\)"
    "gone|eyot_set_flush_all: operation set 0x[0-9a-f]+: the operation set \\(eyot_set_create at many_sets.c:[0-9]+ \\(bad\\)\\) was released by eyot_set_destroy at many_sets.c:[0-9]+ \\(bad\\)"
    "foreign|eyot_set_order_all: operation set 0x[0-9a-f]+: it is of another unit, unit [01] modulo 524288")
  string(REGEX MATCH "^[a-z]+" name "${bad}")
  string(REGEX REPLACE "^[a-z]+[|]" "" said "${bad}")
  eyot_sim_test(sets.bad.${name} PROGRAM many_sets ARGS bad UNITS 2 ENV EYOT_ERRORS=return PASSES "${said}")
endforeach()
