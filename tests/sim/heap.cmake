# A heap that grows; tests/cluster/heap.cmake has the same over MPI.
eyot_test_program(heap heap.c)
eyot_sim_test(heap.walk PROGRAM heap UNITS 3 ARGS walk 10000 PASSES "^ok$" OPTIONS --heap-size 1M --heap-max 16M ENV EYOT_LOG=silent)
eyot_sim_test(heap.walk.chaos PROGRAM heap UNITS 4 SEEDS 3 ARGS walk 600 OPTIONS --order chaos --units-per-node 2 --heap-size 1M --heap-max 16M ENV EYOT_LOG=silent)
eyot_sim_test(heap.grow PROGRAM heap UNITS 4 ARGS grow PASSES "the largest free place in the heap, which grows to [0-9]+, has [0-9]+; raise EYOT_HEAP_MAX" OPTIONS --heap-size 1M --heap-max 4M)
eyot_sim_test(heap.default PROGRAM heap UNITS 4 ARGS grow OPTIONS --heap-size 1M ENV EYOT_LOG=silent)
eyot_sim_test(heap.none PROGRAM heap UNITS 2 ARGS grow OPTIONS --heap-max 1 FAILS "EYOT_HEAP_MAX is 0 bytes, of which the runtime itself needs [0-9]+; raise it, or leave it out")
eyot_sim_test(heap.less PROGRAM heap UNITS 2 ARGS grow OPTIONS --heap-size 4M --heap-max 1M FAILS "EYOT_HEAP_MAX is 1048576 bytes, less than EYOT_HEAP_SIZE with 4194304")
