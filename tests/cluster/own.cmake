# Messages that pass buffers over MPI: on one node, and across virtual nodes, where they are copied.
foreach(node_size 0 1 2)
  eyot_mpi_test(own_4_node${node_size} PROGRAM own UNITS 4 NODE_SIZE ${node_size} ARGS 5 PASSES "^ok$")
endforeach()
eyot_mpi_test(own.wrong PROGRAM own UNITS 2 ARGS wrong PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
# Loans.
foreach(node_size 0 1 2)
  eyot_mpi_test(own.lend_4_node${node_size} PROGRAM lend UNITS 4 NODE_SIZE ${node_size} ARGS 5 PASSES "^ok$")
endforeach()
eyot_mpi_test(own.lend_wrong PROGRAM lend UNITS 2 ARGS wrong PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
# Parts.
foreach(node_size 0 1 2)
  eyot_mpi_test(own.split_4_node${node_size} PROGRAM own_split UNITS 4 NODE_SIZE ${node_size} ARGS 5 PASSES "^ok$")
endforeach()
eyot_mpi_test(own.split_scatter PROGRAM own_split UNITS 4 NODE_SIZE 2 ARGS scatter PASSES "^ok$")
eyot_mpi_test(own.split_wrong PROGRAM own_split UNITS 2 ARGS wrong PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
# Layouts.
foreach(node_size 0 1 2)
  eyot_mpi_test(own.layout_4_node${node_size} PROGRAM own_layout UNITS 4 NODE_SIZE ${node_size} ARGS 5 PASSES "^ok$")
endforeach()
eyot_mpi_test(own.layout_passes PROGRAM own_layout UNITS 2 ARGS passes PASSES "^ok$")
eyot_mpi_test(own.layout_wrong PROGRAM own_layout UNITS 2 ARGS wrong PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
