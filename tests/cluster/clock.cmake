# Clocks and sleeps are the system's.
eyot_mpi_test(clock PROGRAM clock UNITS 2 ARGS all PASSES "^clock: ok$")
eyot_mpi_test(clock_cxx PROGRAM clock_cxx UNITS 2 PASSES "^clock_cxx: ok$")
