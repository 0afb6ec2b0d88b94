# Ends of docs/limits.md.
eyot_test_program(limits limits.c)
eyot_sim_test(limits.program PROGRAM limits UNITS 3 OPTIONS --units-per-node 2 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_sim_test(limits.units PROGRAM limits UNITS 16777217 FAILS "expected .*16777216")
