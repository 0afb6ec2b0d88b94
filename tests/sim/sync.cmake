# Synchronisation under load, from many seeds: locks, and what an operation costs in messages and memory.
eyot_test_program(sync_lock ${CMAKE_CURRENT_LIST_DIR}/sync_lock.c ${CMAKE_CURRENT_LIST_DIR}/sync_lock_check.c ${CMAKE_SOURCE_DIR}/tests/common/oracle.c)
