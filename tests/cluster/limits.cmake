# Ends of docs/limits.md. Operations, requests to progress processes and remote AMOs are numbered from just before 2^31 (where handles recur) and 2^32.
foreach(from 2147483640 4294967290)
  set(e ENV EYOT_LOG=silent EYOT_ERRORS=return EYOTI_MPI_NUMBERS_FROM=${from})
  eyot_mpi_test(limits.node.${from} PROGRAM limits UNITS 2 PASSES "^ok$" ${e})
  eyot_mpi_test(limits.nodes.${from} PROGRAM limits UNITS 2 NODE_SIZE 1 PASSES "^ok$" ${e})
  eyot_mpi_test(limits.progress.${from} PROGRAM limits UNITS 2 NODE_SIZE 1 OPTIONS --progress 1 --progress-bytes 1K --progress-private-bytes 1K PASSES "^ok$" ${e})
endforeach()
