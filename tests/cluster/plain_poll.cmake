# Processes of one node poll by plain loads as they like.
foreach(loop volatile several)
  eyot_mpi_test(plain_poll.${loop} PROGRAM plain_poll UNITS 2 ARGS ${loop} PASSES "^plain_poll: ok$")
endforeach()
