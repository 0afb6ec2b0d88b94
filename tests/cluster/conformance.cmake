# The conformance suite over MPI: one node (mapped memory) and virtual nodes of 1 and 2 units, so that the MPI path is never skipped.
foreach(units 2 4)
  eyot_mpi_test(conformance.n${units}.node PROGRAM conformance UNITS ${units})
  eyot_mpi_test(conformance.n${units}.nodes1 PROGRAM conformance UNITS ${units} NODE_SIZE 1)
endforeach()
eyot_mpi_test(conformance.n4.nodes2 PROGRAM conformance UNITS 4 NODE_SIZE 2)
# Transfers in chunks of 1,000 bytes and two operations in flight: the bounds that a small machine never reaches.
eyot_mpi_test(conformance.n3.bounds PROGRAM conformance UNITS 3 NODE_SIZE 1 ENV EYOTI_MPI_CHUNK_BYTES=1000 EYOT_MAX_OUTSTANDING=2)
