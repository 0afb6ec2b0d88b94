# The motif programs over MPI: mapped memory (one node) and virtual nodes of one unit, or of two.
set(motifs ${CMAKE_BINARY_DIR}/examples)
foreach(node_size 0 1)
  foreach(units 2 4)
    eyot_mpi_test(hashtable.n${units}.node${node_size} PROGRAM ${motifs}/hashtable UNITS ${units} NODE_SIZE ${node_size} ARGS --inserts 1000
      PASSES "hashtable: verified: .* exactly once")
  endforeach()
  eyot_mpi_test(hashtable.crowded.node${node_size} PROGRAM ${motifs}/hashtable UNITS 2 NODE_SIZE ${node_size}
    ARGS --inserts 80 --table 4 --heap 400 --watch PASSES "hashtable: verified: all 160 keys")
  # Lookups walk chains of all keys: the square of their number.
  eyot_mpi_test(hashtable.crowded.node${node_size}.full PROGRAM ${motifs}/hashtable UNITS 2 NODE_SIZE ${node_size} FULL
    ARGS --inserts 300 --table 4 --heap 400 --watch PASSES "hashtable: verified: all 600 keys")
endforeach()
eyot_mpi_test(hashtable.node2 PROGRAM ${motifs}/hashtable UNITS 4 NODE_SIZE 2
  ARGS --inserts 500 --distinct 100 --table 50 --heap 4000 --watch PASSES "hashtable: verified")
eyot_mpi_test(hashtable.heap_full PROGRAM ${motifs}/hashtable UNITS 2 ARGS --heap 1
  FAILS "keys were not inserted: .* give --heap [0-9]+ or more")
eyot_mpi_test(hashtable.no_memory PROGRAM ${motifs}/hashtable UNITS 2 OPTIONS --heap-size 64K --heap-max 64K FAILS "hashtable: a volume takes 656448 bytes")

foreach(node_size 0 1)
  foreach(units 2 4)
    eyot_mpi_test(dsde.n${units}.node${node_size} PROGRAM ${motifs}/dsde UNITS ${units} NODE_SIZE ${node_size} ARGS --rounds 20
      PASSES "dsde: verified")
  endforeach()
  eyot_mpi_test(dsde.back_to_back.node${node_size} PROGRAM ${motifs}/dsde UNITS 2 NODE_SIZE ${node_size}
    ARGS --rounds 200 --back-to-back PASSES "dsde: verified")
endforeach()
eyot_mpi_test(dsde.node2 PROGRAM ${motifs}/dsde UNITS 4 NODE_SIZE 2 PASSES "dsde: verified")
eyot_mpi_test(dsde.bad_value PROGRAM ${motifs}/dsde UNITS 2 ARGS --protocol fence FAILS "bad value 'fence' for --protocol")
