# Programs as CMake targets. Used inside the project and, installed, by EyotConfig.cmake.
#
#   eyot_add_program(NAME SOURCES...)   an executable that eyotrun can also load many times, linked with eyot. A normal executable target otherwise:
#                                       target_link_libraries, install(TARGETS ... RUNTIME), $<TARGET_FILE:NAME> work as usual.
#
# eyot_define_program_target(TARGET START_OBJECTS LIBRARY) makes the interface target that carries all flags; the same ones as in tools/eyotcc.in.

# The functions of the C and C++ libraries that programs call through eyot: those that end a program (src/prog/start.c), and those of time (src/prog/clock.c).
set(EYOT_WRAPPED_ENDS exit _exit _Exit quick_exit abort)
set(EYOT_WRAPPED_TIME clock_gettime gettimeofday time clock timespec_get omp_get_wtime _ZNSt6chrono3_V212steady_clock3nowEv _ZNSt6chrono3_V212system_clock3nowEv
  sleep usleep nanosleep clock_nanosleep thrd_sleep sched_yield thrd_yield poll select pause)

function(eyot_define_program_target target start_objects library)
  if(CMAKE_C_COMPILER)
    set(compiler ${CMAKE_C_COMPILER})
  else()
    set(compiler ${CMAKE_CXX_COMPILER})
  endif()
  execute_process(COMMAND ${compiler} -print-file-name=Scrt1.o OUTPUT_VARIABLE scrt1 OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT EXISTS "${scrt1}")
    message(FATAL_ERROR "eyot: ${compiler} does not find Scrt1.o, which every program needs; install the C library's development files (Debian: libc6-dev)")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_compile_options(${target} INTERFACE -fPIC $<$<C_COMPILER_ID:GNU,Clang>:-fstack-clash-protection> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${target} INTERFACE -shared LINKER:-e,_start LINKER:-Bsymbolic LINKER:-z,defs LINKER:-z,noseparate-code LINKER:-z,norelro)
  foreach(name IN LISTS EYOT_WRAPPED_ENDS EYOT_WRAPPED_TIME)
    target_link_options(${target} INTERFACE LINKER:--wrap=${name})
  endforeach()
  target_link_libraries(${target} INTERFACE ${scrt1} ${start_objects} ${library})
endfunction()

function(eyot_add_program name)
  add_executable(${name} ${ARGN})
  # CMake would compile an executable with -fPIE, of which no shared object can be made.
  set_property(TARGET ${name} PROPERTY POSITION_INDEPENDENT_CODE)
  target_link_libraries(${name} PRIVATE Eyot::program)
endfunction()
