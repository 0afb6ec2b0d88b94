# Faults: crashes, slow units, noise, links. What each operation returns, in time (eyotrun) and without it (eyotcheck).
eyot_test_program(check_fault ${CMAKE_CURRENT_LIST_DIR}/check_fault.c)
