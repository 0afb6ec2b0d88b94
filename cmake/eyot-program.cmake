# The start object that every program carries (src/prog), and eyot_add_program for the project's own programs.
include(${CMAKE_CURRENT_LIST_DIR}/eyot-add-program.cmake)

# Which loader starts an executable is the compiler's to say: it differs by architecture and C library.
execute_process(COMMAND ${CMAKE_C_COMPILER} "-###" -x c /dev/null -o /dev/null ERROR_VARIABLE eyot_link_line OUTPUT_QUIET)
if(NOT eyot_link_line MATCHES "-dynamic-linker\"? \"?([^ \"]+)")
  message(FATAL_ERROR "eyot: ${CMAKE_C_COMPILER} -### does not show which dynamic linker it gives to executables")
endif()
set(EYOT_INTERP ${CMAKE_MATCH_1})

# eyot-NAME.o of the file of src/prog. The build folder has the layout of an installation, so that eyotcc finds it there too.
function(eyot_prog_object name source out)
  add_library(eyot_${name}_object OBJECT ${PROJECT_SOURCE_DIR}/src/prog/${source})
  target_compile_definitions(eyot_${name}_object PRIVATE _GNU_SOURCE EYOTI_INTERP="${EYOT_INTERP}")
  target_compile_options(eyot_${name}_object PRIVATE -Wall -Wextra -Wshadow -Wconversion $<$<BOOL:${EYOT_WERROR}>:-Werror> ${ARGN})
  target_include_directories(eyot_${name}_object PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  set(object ${PROJECT_BINARY_DIR}/lib/eyot/eyot-${name}.o)
  add_custom_command(OUTPUT ${object} COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_OBJECTS:eyot_${name}_object> ${object} DEPENDS $<TARGET_OBJECTS:eyot_${name}_object>)
  set(${out} ${object} PARENT_SCOPE)
endfunction()
eyot_prog_object(start start.c EYOT_START_OBJECT)
# Hidden: a program and each of its libraries have their own.
eyot_prog_object(clock clock.c EYOT_CLOCK_OBJECT -O2 -fvisibility=hidden)
eyot_prog_object(malloc malloc.c EYOT_MALLOC_OBJECT -O2 -fno-builtin -fvisibility=hidden)
add_custom_target(eyot_start ALL DEPENDS ${EYOT_START_OBJECT} ${EYOT_CLOCK_OBJECT} ${EYOT_MALLOC_OBJECT})

# What instrumented programs carry besides (eyotcc --instrument), in objects so that their callbacks are the program's own; and how gcc is told to instrument for threads without
# linking its library.
set(EYOT_INSTRUMENT_FILES)
function(eyot_instrument_object name source)
  add_library(eyot_${name}_object OBJECT ${PROJECT_SOURCE_DIR}/src/prog/${source})
  target_compile_definitions(eyot_${name}_object PRIVATE _GNU_SOURCE ${ARGN})
  target_compile_options(eyot_${name}_object PRIVATE -O2 -fno-builtin -fvisibility=hidden -Wall -Wextra -Wshadow $<$<BOOL:${EYOT_WERROR}>:-Werror>)
  target_include_directories(eyot_${name}_object PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  set(object ${PROJECT_BINARY_DIR}/lib/eyot/eyot-${name}.o)
  add_custom_command(OUTPUT ${object} COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_OBJECTS:eyot_${name}_object> ${object} DEPENDS $<TARGET_OBJECTS:eyot_${name}_object>)
  list(APPEND EYOT_INSTRUMENT_FILES ${object})
  set(EYOT_INSTRUMENT_FILES ${EYOT_INSTRUMENT_FILES} PARENT_SCOPE)
endfunction()
eyot_instrument_object(accesses access.c EYOTI_ACCESS_STEPS=0)
eyot_instrument_object(steps access.c EYOTI_ACCESS_STEPS=EYOTI_STEPS)
eyot_instrument_object(edges edge.c)
add_custom_target(eyot_instrument ALL DEPENDS ${EYOT_INSTRUMENT_FILES})
file(WRITE ${PROJECT_BINARY_DIR}/lib/eyot/eyot-accesses.specs "*cc1_options:\n+ -fsanitize=thread\n\n")
list(APPEND EYOT_INSTRUMENT_FILES ${PROJECT_BINARY_DIR}/lib/eyot/eyot-accesses.specs)

eyot_define_program_target(Eyot::program "${EYOT_START_OBJECT};${EYOT_CLOCK_OBJECT}" eyot)
add_dependencies(Eyot::program eyot_start)
