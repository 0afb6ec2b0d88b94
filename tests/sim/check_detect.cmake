# Detectors of eyotcheck: each mistake is found and named, and what looks like it is not.
eyot_test_program(check_detect check_detect.c)

# must.sh: the exit code is not 0 (pass: 0), and the output matches.
function(eyot_detect_test name runs want regex)
  add_test(NAME sim.check_detect.${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh ${want} "${regex}" $<TARGET_FILE:eyotcheck> -n 3 --detect=-race --units-per-node 1 --runs ${runs} --save ${CMAKE_CURRENT_BINARY_DIR}/check_detect.${name}.run ${ARGN})
  set_tests_properties(sim.check_detect.${name} PROPERTIES TIMEOUT 120 LABELS sim)
endfunction()
if(EYOT_SANITIZE)
  return() # runs are not taken back under sanitizers
endif()

foreach(case source_flush_ok source_handle_ok source_heard_ok source_stored_ok destination_ok range_collective_ok range_free_ok leak_ok leak_run_ok collective_ok)
  eyot_detect_test(${case} 300 pass "300 runs.*; 0 failed" ${EYOT_TEST_BIN}/check_detect ${case})
  eyot_detect_test(${case}.tso 300 pass "300 runs.*; 0 failed" --order tso ${EYOT_TEST_BIN}/check_detect ${case})
endforeach()

set(put "eyot_put_nbi .check_detect.c:[0-9]+ .source_flush..")
foreach(pair
    "source_flush;source: unit .: the source of ${put}, 96 bytes to unit ., was changed.*: byte 40 is 0x02, was 0x01 .*; it goes to offset [0-9]+ of the memory .[0-9]+ bytes, eyot_team_alloc at check_detect.c:"
    "source_flush_other;source: unit .: the source of eyot_put_nbi .check_detect.c:[0-9]+ .source_flush_other.., 96 bytes to unit ., was changed.*: byte 40"
    "source_handle;source: .* eyot_put_nb .check_detect.c:[0-9]+ .source_handle.., 8 bytes"
    "source_frame;source: .* eyot_put_nbi .check_detect.c:[0-9]+ .put_from_frame.., 96 bytes"
    "source_freed;source: .*(was changed|no longer mapped)"
    "source_signal;source: .* eyot_put_signal_nbi .*: byte 24 is 0x05, was 0x04"
    "source_stored;source: .* eyot_put_nbi .*8 bytes .*: byte 0 is 0x08, was 0x07"
    "destination_get;destination: .* eyot_get_nbi .check_detect.c:[0-9]+ .destination_get.., 96 bytes .* byte 33; it comes from offset [0-9]+ of the memory .[0-9]+ bytes, eyot_team_alloc at check_detect.c:"
    "destination_read;read 0xebebebebebebebeb"
    "range_collective;range: eyot_put_nbi .check_detect.c:[0-9]+ .* arrives in memory that unit . has freed by eyot_team_free .check_detect.c:[^:]*: [0-9]+ bytes at offset [0-9]+ of the memory .[0-9]+ bytes, eyot_team_alloc at check_detect.c:[0-9]+ "
    "range_free;range: eyot_put_nbi .* arrives in memory that unit 1 has freed by eyot_free .check_detect.c:[^:]*: [0-9]+ bytes at offset [0-9]+ of the memory .[0-9]+ bytes, eyot_alloc at check_detect.c:[0-9]+ "
    "leak_alloc;leak: unit 1 ends .*: memory of eyot_alloc of 24 bytes, made by eyot_alloc .check_detect.c:[0-9]+ .leak_alloc"
    "leak_team_alloc;memory of eyot_team_alloc of 40 bytes, made by eyot_team_alloc .check_detect.c:"
    "leak_handle;handle that was not waited for, from eyot_put_nb .check_detect.c:[0-9]+ .leak_handle"
    "leak_lock;released: lock of a team, made by eyot_lock_create .check_detect.c:"
    "leak_team;released: team, made by eyot_team_split .check_detect.c:"
    "leak_counter;released: counter, made by eyot_counter_alloc .check_detect.c:"
    "leak_registered;released: registered memory of 64 bytes, made by eyot_register .check_detect.c:"
    "leak_dynamic;released: dynamic segment of .*made by eyot_dynamic_create .check_detect.c:"
    "leak_pscw;released: object of eyot_pscw_create, made by eyot_pscw_create .check_detect.c:"
    "leak_run;memory of eyot_alloc of 24 bytes, made by eyot_alloc .check_detect.c:[0-9]+ .leak_in_run"
    "collective_name;collective: .*unit 1 called eyot_allreduce .check_detect.c:[0-9]+ .collective_name.. with 8 bytes"
    "collective_root;collective: .*eyot_broadcast .* with root [01] and 8 bytes, unit . called eyot_broadcast .* with root [01] and 8 bytes"
    "collective_size;collective: .*unit 0 called eyot_team_alloc .* with 16 bytes"
    "collective_end;collective: .*unit 0 called eyot_barrier .check_detect.c:.*"
    "deadlock;deadlock: no unit can continue")
  list(GET pair 0 case)
  list(GET pair 1 regex)
  # Under the other orders a put may be told to be complete and come after what its origin does to its own memory by the CPU: the pointer is found to be stale at once.
  set(order rdma)
  if(case STREQUAL range_free)
    set(order strict)
  endif()
  eyot_detect_test(${case} 2000 fail "${regex}" --no-shrink --order ${order} ${EYOT_TEST_BIN}/check_detect ${case})
  if(case MATCHES "^source|^destination")
    eyot_detect_test(${case}.tso 2000 fail "${regex}" --no-shrink --order tso ${EYOT_TEST_BIN}/check_detect ${case})
  endif()
endforeach()

# The exhaustive search knows that a result lands before or after what the unit does to its own memory.
eyot_detect_test(destination_late 0 fail "destination: unit 0: " --strategy exhaustive --no-shrink ${EYOT_TEST_BIN}/check_detect destination_late)
eyot_detect_test(off.destination_late 0 pass "all 3 interleavings explored" --strategy exhaustive --detect deadlock ${EYOT_TEST_BIN}/check_detect destination_late)

# Each can be switched off: alone, or by naming others.
eyot_detect_test(off.source 300 pass "; 0 failed" --detect=-source ${EYOT_TEST_BIN}/check_detect source_handle)
eyot_detect_test(off.destination 300 pass "; 0 failed" --detect=source,leak ${EYOT_TEST_BIN}/check_detect destination_read)
eyot_detect_test(off.range 300 pass "; 0 failed" --detect=-range ${EYOT_TEST_BIN}/check_detect range_collective)
eyot_detect_test(off.leak 300 pass "; 0 failed" --detect=-leak,-range ${EYOT_TEST_BIN}/check_detect leak_lock)
eyot_detect_test(off.deadlock 300 pass "; 0 failed" --detect=-deadlock ${EYOT_TEST_BIN}/check_detect deadlock)
eyot_detect_test(off.bad 300 fail "expected names, or names with a minus" --detect=lead ${EYOT_TEST_BIN}/check_detect leak_lock)

# Nothing is wrong with these.
set(detect_examples ${CMAKE_BINARY_DIR}/examples)
function(eyot_detect_none name)
  eyot_detect_test(none.${name} 100 pass "100 runs.*; 0 failed" ${ARGN})
  set_tests_properties(sim.check_detect.none.${name} PROPERTIES ENVIRONMENT EYOT_LOG=silent)
endfunction()
include(${CMAKE_SOURCE_DIR}/tests/support/lock_kinds.cmake)
foreach(kind IN LISTS LOCK_KINDS)
  eyot_detect_none(lock.${kind} ${EYOT_TEST_BIN}/sync_lock ${kind})
endforeach()
foreach(kind validate notify)
  eyot_detect_none(dynamic.${kind} ${EYOT_TEST_BIN}/dynamic model ${kind} 1 12 2)
endforeach()
eyot_detect_none(pscw ${EYOT_TEST_BIN}/pscw ring=0 degree=2 ahead=3 redraw=1 changing=1 epochs=4)
eyot_detect_none(notify ${EYOT_TEST_BIN}/notify 2)
eyot_detect_none(team ${EYOT_TEST_BIN}/sync_team)
eyot_detect_none(tour ${EYOT_TEST_BIN}/api_tour)
eyot_detect_none(hello ${detect_examples}/hello)
eyot_detect_none(heat3d ${detect_examples}/heat3d --size 4,4,4 --steps 3)
eyot_detect_none(gups ${detect_examples}/gups --log2-table 6 --updates 40)
foreach(by put get)
  eyot_detect_none(ring.${by} ${detect_examples}/ring --items 6 --slots 3 --by ${by})
endforeach()
eyot_detect_none(hashtable ${detect_examples}/hashtable --inserts 6)
eyot_detect_none(dsde ${detect_examples}/dsde)

# Buffers of messages and collectives that go on inside other calls.
eyot_test_program(check_source check_source.c)
set(early "was changed before the unit completed it: byte")
foreach(pair
    "coll;source: unit .: the buffer that eyot_allreduce_nb .check_source.c:[0-9]+ .collective.. reads, 64 bytes, ${early} 24 is 0x64, was 0x00"
    "plan;source: unit .: the buffer that eyot_coll_start .check_source.c:[0-9]+ .persistent.. reads, 8 bytes, ${early} 0 is 0x64, was 0x01"
    "message;source: unit 0: the buffer that eyot_send_nb .check_source.c:[0-9]+ .send.. reads, 262144 bytes, ${early} 262143 is 0x01"
    "message_synchronous;source: unit 0: the buffer that eyot_ssend_nb .check_source.c:[0-9]+ .send.. reads")
  list(GET pair 0 case)
  list(GET pair 1 regex)
  eyot_detect_test(source_of_${case} 1 fail "${regex}" --no-shrink ${EYOT_TEST_BIN}/check_source ${case})
endforeach()
foreach(case coll_ok plan_ok in_place_ok message_ok)
  eyot_detect_test(source_of_${case} 50 pass "50 runs.*; 0 failed" ${EYOT_TEST_BIN}/check_source ${case})
endforeach()
eyot_detect_test(source_of_given_ok 50 pass "50 runs.*; 0 failed" --units-per-node 3 --msg-eager 0 ${EYOT_TEST_BIN}/check_source given_ok)
