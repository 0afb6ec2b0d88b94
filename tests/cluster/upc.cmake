# The UPC interface over MPI: within a node, and with one or two threads a node.
eyot_mpi_test(upc.library.n2 PROGRAM upc_library UNITS 2)
eyot_mpi_test(upc.library.n4 PROGRAM upc_library UNITS 4 NODE_SIZE 2)
eyot_mpi_test(upc.library.n8 PROGRAM upc_library UNITS 8)
eyot_mpi_test(upc.library.apart PROGRAM upc_library UNITS 3 NODE_SIZE 1)
eyot_mpi_test(upcr.forms.n4 PROGRAM upcr_forms UNITS 4 NODE_SIZE 2)
eyot_mpi_test(upc.extensions.n4 PROGRAM upc_extensions UNITS 4 NODE_SIZE 2)
eyot_mpi_test(upc.extensions.apart PROGRAM upc_extensions UNITS 3 NODE_SIZE 1)
