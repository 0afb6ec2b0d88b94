# A unit that leaves before eyot_finalize, in any way: the job ends non-zero, names the unit, and nobody hangs.
foreach(way exit _exit quick_exit abort)
  eyot_mpi_test(prog_exit.${way}.before PROGRAM prog_exit UNITS 2 ARGS ${way} before 0 FAILS "unit 1")
endforeach()
eyot_mpi_test(prog_exit.return.after PROGRAM prog_exit UNITS 2 ARGS return after 0)
