# A heap that grows and returns memory, with all units on one node and between virtual nodes, where MPI has windows over it.
foreach(node_size 0 1 2)
  # Between nodes barriers and puts are MPI's, a hundred times as slow.
  if(node_size EQUAL 0)
    set(steps 10000)
  else()
    set(steps 600)
  endif()
  eyot_mpi_test(heap.walk.node${node_size} PROGRAM heap UNITS 3 NODE_SIZE ${node_size} ARGS walk ${steps} PASSES "^ok$" OPTIONS --heap-size 512K --heap-max 4M --heap-keep 256K
    ENV EYOT_LOG=silent)
  eyot_mpi_test(heap.returned.node${node_size} PROGRAM heap UNITS 3 NODE_SIZE ${node_size} ARGS returned PASSES "^ok$" OPTIONS --heap-keep 0)
  eyot_mpi_test(heap.grow.node${node_size} PROGRAM heap UNITS 2 NODE_SIZE ${node_size} ARGS grow
    PASSES "the largest free place in the heap, which grows to [0-9]+, has [0-9]+; raise EYOT_HEAP_MAX" OPTIONS --heap-size 1M --heap-max 8M)
endforeach()
foreach(node_size 0 1)
  eyot_mpi_test(heap.asked.node${node_size} PROGRAM heap_asked NODE_SIZE ${node_size} ARGS grows 1024 4096 PASSES "^heap of .* KiB, at most 40[0-9]* KiB")
  eyot_mpi_test(heap.leaves.node${node_size} PROGRAM heap_asked UNITS 3 NODE_SIZE ${node_size} ARGS leaves 1024 4096)
  eyot_mpi_test(heap.aligned.node${node_size} PROGRAM aligned UNITS 3 NODE_SIZE ${node_size} PASSES "^ok$")
endforeach()
eyot_mpi_test(heap.asked.twice PROGRAM heap_asked ARGS twice 1024 4096 PASSES "eyot_init_with: eyot runs already with heaps that grow to 4194304 bytes")
if(TARGET eyot-fabric-mpi) # the program looks for MPICH's rank
  eyot_mpi_test(heap.asked.differs PROGRAM heap_asked ARGS differs 1024 4096 FAILS "all must ask for the same")
endif()
eyot_mpi_test(heap.touched.node0 PROGRAM heap ARGS touched PASSES "^ok$" OPTIONS --heap-touch=on)
eyot_mpi_test(heap.touched.node1 PROGRAM heap NODE_SIZE 1 ARGS touched PASSES "^ok$" OPTIONS --heap-touch=on)
eyot_mpi_test(heap.untouched PROGRAM heap ARGS touched FAILS "not true: resident_pages" OPTIONS --heap-touch=off)
# A network that pins: nothing is returned, and the heap grows only if that is asked for.
eyot_mpi_test(heap.pinned PROGRAM heap NODE_SIZE 1 ARGS returned FAILS "not true: resident_pages" OPTIONS --heap-keep 0 --heap-pinned=on)
eyot_mpi_test(heap.pinned.grow PROGRAM heap NODE_SIZE 1 ARGS grow FAILS "not true: first.size < first.most" OPTIONS --heap-size 1M --heap-pinned=on)
eyot_mpi_test(heap.pinned.asked PROGRAM heap NODE_SIZE 1 ARGS grow PASSES "^ok$" OPTIONS --heap-size 1M --heap-max 8M --heap-pinned=on)
# With progress processes, whose windows they are then.
eyot_mpi_test(heap.progress PROGRAM heap UNITS 2 NODE_SIZE 1 ARGS returned PASSES "^ok$" OPTIONS --heap-keep 0 --progress 1)
foreach(script full huge)
  if(TARGET eyot-fabric-mpi)
    add_test(NAME mpi.heap.${script} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/heap_${script}.sh $<TARGET_FILE:eyotrun> ${CMAKE_BINARY_DIR}/tests/bin/heap)
    set_tests_properties(mpi.heap.${script} PROPERTIES TIMEOUT 120 LABELS cluster PROCESSORS 2 SKIP_RETURN_CODE 77)
  endif()
endforeach()
