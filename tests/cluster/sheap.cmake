# The shared heap over MPI: its objects have one address for all processes of a node.
foreach(node_size 0 1 2)
  eyot_mpi_test(sheap_4_node${node_size} PROGRAM sheap UNITS 4 NODE_SIZE ${node_size} ARGS 10 PASSES "^ok$")
endforeach()
eyot_mpi_test(sheap.wrong PROGRAM sheap UNITS 2 ARGS wrong PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
# Processes that have no place at the addresses of the others.
eyot_test_program(sheap_apart sheap_apart.c)
foreach(how all half)
  eyot_mpi_test(sheap_apart.${how} PROGRAM sheap_apart UNITS 4 ARGS ${how} PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
endforeach()
