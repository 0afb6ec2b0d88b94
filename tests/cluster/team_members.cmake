# Teams that only their members make, within a node and between nodes.
foreach(node_size 0 1)
  eyot_mpi_test(team_members.node${node_size} PROGRAM team_members UNITS 4 NODE_SIZE ${node_size} ARGS random 20 PASSES "^ok$")
  eyot_mpi_test(team_members.pairs.node${node_size} PROGRAM team_members UNITS 4 NODE_SIZE ${node_size} ARGS pairs PASSES "^ok$")
endforeach()
eyot_mpi_test(team_members.wrong PROGRAM team_members UNITS 2 ARGS wrong ENV EYOT_ERRORS=return EYOT_LOG=silent PASSES "^ok$")
