# Inline operations within a node, and the same program where only some units, or none, are mapped: errors, atomics, memory that comes as it is, memory that is returned.
foreach(node_size 0 1 2)
  eyot_mpi_test(mapped.n4.node${node_size} PROGRAM mapped UNITS 4 NODE_SIZE ${node_size} PASSES "^ok$" ENV EYOT_LOG=silent)
endforeach()
eyot_mpi_test(mapped.n2 PROGRAM mapped UNITS 2 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_mpi_test(mapped.n1 PROGRAM mapped UNITS 1 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_mpi_test(mapped.returned.n2 PROGRAM mapped UNITS 2 ARGS returned PASSES "^ok$" OPTIONS --heap-keep 0)
eyot_mpi_test(mapped.returned.n1 PROGRAM mapped UNITS 1 ARGS returned PASSES "^ok$" OPTIONS --heap-keep 0)
# Kept: the pages stay.
eyot_mpi_test(mapped.kept PROGRAM mapped UNITS 2 ARGS returned FAILS "not true: resident_pages")
eyot_mpi_test(mapped.touched PROGRAM mapped UNITS 2 PASSES "^ok$" OPTIONS --heap-touch=on --heap-huge=on ENV EYOT_LOG=silent)
# One unit, whose own memory is mapped: what the compiler does around inline operations.
eyot_test_program(compiler_order compiler_order.c)
foreach(call put get)
  eyot_mpi_test(compiler_order.${call} PROGRAM compiler_order UNITS 1 ARGS ${call} PASSES "^${call}: the variable is read again")
endforeach()

# Copies of more than a MiB: as the caches of this machine tell, and all of them past the caches.
eyot_test_program(long_copies long_copies.c)
target_include_directories(long_copies PRIVATE ${CMAKE_SOURCE_DIR}/tests)
eyot_mpi_test(long_copies.default PROGRAM long_copies UNITS 2 PASSES "^ok$")
eyot_mpi_test(long_copies.stream PROGRAM long_copies UNITS 2 PASSES "^ok$" ENV EYOTI_COPY_STREAM_BYTES=1)
