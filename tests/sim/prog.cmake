# Loading programs: what a unit owns, how it leaves, what is refused.
eyot_test_program(prog_own prog_own.c)
eyot_test_program(prog_exit prog_exit.c)
eyot_test_program(prog_cxx prog_cxx.cpp)

foreach(engine fiber simgrid)
  eyot_sim_test(prog_own.${engine} PROGRAM prog_own UNITS 9 OPTIONS --engine ${engine} ARGS -a 3 -b own rest PASSES "own: ok on 9 units")
endforeach()
eyot_sim_test(prog_own.shared PROGRAM prog_own UNITS 6 OPTIONS --shared-globals ARGS -a 3 -b shared rest PASSES "shared: ok on 6 units")
eyot_sim_test(prog_own.n600 PROGRAM prog_own UNITS 600 ARGS -a 3 -b own rest PASSES "own: ok on 600 units")
eyot_sim_test(prog_cxx PROGRAM prog_cxx UNITS 7 PASSES "prog_cxx: ok on 7 units")

foreach(way return exit _exit _Exit quick_exit)
  eyot_sim_test(prog_exit.${way}.after PROGRAM prog_exit ARGS ${way} after 0)
  eyot_sim_test(prog_exit.${way}.code PROGRAM prog_exit ARGS ${way} after 3 FAILS ".*")
  eyot_sim_test(prog_exit.${way}.before PROGRAM prog_exit ARGS ${way} before 0 FAILS "unit 1 .*before eyot_finalize")
endforeach()
eyot_sim_test(prog_exit.abort.before PROGRAM prog_exit ARGS abort before 0 FAILS "unit 1 .*abort.*before eyot_finalize")
eyot_sim_test(prog_exit.abort.after PROGRAM prog_exit ARGS abort after 0 FAILS "unit 1|abort")

eyot_test_program(prog_ends prog_ends.c)
foreach(when before after)
  foreach(engine fiber simgrid)
    eyot_sim_test(prog_ends.errx.${when}.${engine} PROGRAM prog_ends OPTIONS --engine ${engine} ARGS errx ${when} FAILS "unit 1: the process was ended with code 0, by a library")
    eyot_sim_test(prog_ends.thread.${when}.${engine} PROGRAM prog_ends OPTIONS --engine ${engine} ARGS thread ${when} FAILS "unit 1: another thread called exit with code 0")
    if(NOT EYOT_SANITIZE) # which knows nothing of a unit's frames that are unwound
      eyot_sim_test(prog_ends.pthread_exit.${when}.${engine} PROGRAM prog_ends OPTIONS --engine ${engine} ARGS pthread_exit ${when} FAILS "unit 1: the process was ended with code 0.*or by pthread_exit")
    endif()
  endforeach()
endforeach()

add_test(NAME sim.prog_refuse COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/prog_refuse.sh ${CMAKE_BINARY_DIR}/bin)
set_tests_properties(sim.prog_refuse PROPERTIES TIMEOUT 120 LABELS sim)
