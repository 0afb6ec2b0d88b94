# Threads of a unit that call eyot (eyot_thread_level_t).
eyot_test_program(threads_serialized threads_serialized.c)
foreach(node_size 0 1)
  eyot_mpi_test(threads.serialized.node${node_size} PROGRAM threads_serialized NODE_SIZE ${node_size} PASSES "^ok$")
endforeach()
eyot_mpi_test(threads.serialized.progress PROGRAM threads_serialized NODE_SIZE 1 OPTIONS --progress thread PASSES "^ok$")
eyot_mpi_test(threads.serialized.refused PROGRAM threads_serialized OPTIONS --threads funneled FAILS "threads_serialized.c:[0-9]*: not true: eyot_thread_level")
