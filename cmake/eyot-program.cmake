# The start object that every program carries (src/prog), and eyot_add_program for the project's own programs.
include(${CMAKE_CURRENT_LIST_DIR}/eyot-add-program.cmake)

# Which loader starts an executable is the compiler's to say: it differs by architecture and C library.
execute_process(COMMAND ${CMAKE_C_COMPILER} "-###" -x c /dev/null -o /dev/null ERROR_VARIABLE eyot_link_line OUTPUT_QUIET)
if(NOT eyot_link_line MATCHES "-dynamic-linker\"? \"?([^ \"]+)")
  message(FATAL_ERROR "eyot: ${CMAKE_C_COMPILER} -### does not show which dynamic linker it gives to executables")
endif()
set(EYOT_INTERP ${CMAKE_MATCH_1})

add_library(eyot_start_object OBJECT ${CMAKE_SOURCE_DIR}/src/prog/prog_start.c)
target_compile_definitions(eyot_start_object PRIVATE _GNU_SOURCE EYOTI_INTERP="${EYOT_INTERP}")
target_compile_options(eyot_start_object PRIVATE -Wall -Wextra -Wshadow -Wconversion $<$<BOOL:${EYOT_WERROR}>:-Werror>)
target_include_directories(eyot_start_object PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)

# The build folder has the layout of an installation, so that eyotcc finds it there too.
set(EYOT_START_OBJECT ${CMAKE_BINARY_DIR}/lib/eyot/eyot-start.o)
add_custom_command(OUTPUT ${EYOT_START_OBJECT} COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_OBJECTS:eyot_start_object> ${EYOT_START_OBJECT}
  DEPENDS $<TARGET_OBJECTS:eyot_start_object>)
add_custom_target(eyot_start ALL DEPENDS ${EYOT_START_OBJECT})

eyot_define_program_target(Eyot::program ${EYOT_START_OBJECT} eyot)
add_dependencies(Eyot::program eyot_start)
