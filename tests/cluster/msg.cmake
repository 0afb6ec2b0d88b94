# Two-sided messages over MPI: on one node, and across virtual nodes.
foreach(node_size 0 1 2)
  eyot_mpi_test(msg.calls_4_node${node_size} PROGRAM msg UNITS 4 NODE_SIZE ${node_size} ARGS 8 PASSES "^ok$" ENV EYOT_LOG=silent EYOT_ERRORS=return)
  eyot_mpi_test(msg.model_4_node${node_size} PROGRAM msg_model UNITS 4 NODE_SIZE ${node_size} ARGS 7 20 32 PASSES "^ok$")
endforeach()
# Two units, which do not share a processor: short messages by stores.
foreach(node_size 0 1)
  eyot_mpi_test(msg.stored_node${node_size} PROGRAM msg_stored UNITS 2 NODE_SIZE ${node_size} ARGS 1 200 PASSES "^ok$")
endforeach()
eyot_mpi_test(msg.model_2 PROGRAM msg_model UNITS 2 ARGS 7 40 40 PASSES "^ok$")
eyot_mpi_test(msg.incast_4_node2 PROGRAM msg UNITS 4 NODE_SIZE 2 ARGS incast 2000 PASSES "^ok$")
eyot_mpi_test(msg.left PROGRAM msg UNITS 2 NODE_SIZE 1 ARGS left PASSES "never received: a message of 8 bytes from unit [01], tag 11 .sent at msg.c:[0-9]+ .left..")
eyot_mpi_test(msg.stuck PROGRAM msg UNITS 2 OPTIONS --time-limit 2 ARGS stuck FAILS "in eyot_recv from unit [01], tag 7, .*called at msg.c:[0-9]+ .main.")
# Threads of a unit at once.
eyot_test_program(msg_threads msg_threads.c)
foreach(node_size 0 1)
  eyot_mpi_test(msg.threads_node${node_size} PROGRAM msg_threads UNITS 2 NODE_SIZE ${node_size} ARGS 500 PASSES "^ok$")
endforeach()
# A message leaves although its sender makes no further call.
eyot_test_program(msg_leaves msg_leaves.c)
foreach(node_size 0 1)
  eyot_mpi_test(msg_leaves_node${node_size} PROGRAM msg_leaves UNITS 2 NODE_SIZE ${node_size} ARGS ${CMAKE_CURRENT_BINARY_DIR}/msg_leaves.${node_size} PASSES "^ok$" TIMEOUT 120)
endforeach()
