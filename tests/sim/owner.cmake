# The detector `owner` of eyotcheck: accesses to buffers by units that do not own them, though a barrier orders them; also by compiled code.
eyot_test_program(check_owner check_owner.c)
set(program $<TARGET_FILE:check_owner>)
eyot_check_passes(owner.right.random 3 random 300 ${program} right)
eyot_check_passes(owner.right.nodes 3 random 300 --units-per-node 1 --own-pool 0 ${program} right)
# What is lent is read by its owner and by those who have borrowed it, within a node and by copies.
foreach(place 4 1)
  eyot_check_passes(owner.lend.${place} 3 random 300 --units-per-node ${place} ${program} lend)
  eyot_check_passes(owner.split.${place} 2 random 300 --units-per-node ${place} ${program} split)
endforeach()
if(NOT EYOT_SANITIZE)
  set(call "eyot_touch .check_owner.c:[0-9]+ .touch.. of unit")
  foreach(case
      "write;owner: ${call} 0 writes byte 16 of a buffer of 1024 bytes that unit 1 owns since eyot_own_take .check_owner.c:"
      "read;owner: ${call} 0 reads byte 16 of a buffer of 1024 bytes that unit 1 owns since eyot_own_take .check_owner.c:"
      "freed;owner: ${call} 0 reads byte 16 of a buffer of 1024 bytes that unit 0 has freed in eyot_own_free .check_owner.c:"
      "other;owner: ${call} 1 reads byte 16 of a buffer of 1024 bytes that unit 0 owns since eyot_own_alloc .check_owner.c:"
      "put;owner: eyot_put .check_owner.c:[0-9]+ .transfer.. of unit 0 reads byte 16 of a buffer of 1024 bytes that unit 1 has freed in eyot_own_free .check_owner.c:"
      "get;owner: eyot_get .check_owner.c:[0-9]+ .transfer.. of unit 0 writes byte 16 of a buffer of 1024 bytes that unit 1 has freed in eyot_own_free .check_owner.c:"
      "lender;owner: ${call} 0 writes byte 16 of a buffer of 1024 bytes that unit 0 may only read since eyot_own_lend .check_owner.c:"
      "borrower;owner: ${call} 1 writes byte 16 of a buffer of 1024 bytes that unit 0 may only read since eyot_own_lend .check_owner.c:"
      "returned;owner: ${call} 1 reads byte 16 of a buffer of 1024 bytes that unit 0 owns since eyot_msg_wait .check_owner.c:"
      "part;owner: ${call} 0 reads byte 16 of a buffer of 300 bytes that unit 1 owns since eyot_own_take .check_owner.c:"
      "alloc;owner: ${call} 0 writes byte 16 of a buffer of 1024 bytes that unit 1 owns since eyot_own_alloc .check_owner.c:")
    list(GET case 0 what)
    list(GET case 1 regex)
    add_test(NAME sim.check.owner.${what} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh fail "${regex}" $<TARGET_FILE:eyotcheck>
      -n 2 --runs 20 --save ${CMAKE_CURRENT_BINARY_DIR}/check.owner.${what}.run ${program} ${what})
    # Nothing else finds it. A write to what is lent is a race, too.
    if(what MATCHES "lender|borrower")
      set_tests_properties(sim.check.owner.${what} PROPERTIES LABELS sim TIMEOUT 60)
      continue()
    endif()
    add_test(NAME sim.check.owner.${what}.only COMMAND eyotcheck -n 2 --runs 20 --detect=-owner --save ${CMAKE_CURRENT_BINARY_DIR}/check.owner.${what}.only.run ${program} ${what})
    set_tests_properties(sim.check.owner.${what} sim.check.owner.${what}.only PROPERTIES LABELS sim TIMEOUT 60)
  endforeach()
  # A race names the buffer, where it was allocated, and who owns it; the steps name it, too.
  set(buffer "offset 16 of the buffer .1024 bytes, eyot_own_alloc at check_owner.c:[0-9]+ .made.. that unit 0 may only read since eyot_own_lend at check_owner.c:[0-9]+ .lend.")
  set(must sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh fail)
  add_test(NAME sim.check.owner.race COMMAND ${must} "meet at unit 0, ${buffer}" $<TARGET_FILE:eyotcheck> -n 2 --runs 20 --detect=race
    --save ${CMAKE_CURRENT_BINARY_DIR}/check.owner.race.run ${program} lender)
  add_test(NAME sim.check.owner.race.time COMMAND ${must} "meet at unit 0, ${buffer}" $<TARGET_FILE:eyotrun> --fabric sim --races -n 2 ${program} lender)
  add_test(NAME sim.check.owner.steps COMMAND ${must} "posts get of 600 bytes from unit 0, offset 0 of the buffer of check_owner.c:[0-9]+ .made." $<TARGET_FILE:eyotcheck>
    -n 2 --runs 20 --units-per-node 1 --save ${CMAKE_CURRENT_BINARY_DIR}/check.owner.steps.run ${program} returned)
  set_tests_properties(sim.check.owner.race sim.check.owner.race.time sim.check.owner.steps PROPERTIES LABELS sim TIMEOUT 60)
endif()
