# OpenSHMEM for Fortran programs: functions in C with gfortran's names, and the module shmem. Left out without GNU Fortran: the module is for the compiler
# that has made it, and other compilers have other names and hidden arguments.
if(NOT CMAKE_CROSSCOMPILING) # where the Fortran compiler of the other system is to be named
  include(CheckLanguage)
  check_language(Fortran)
endif()
set(EYOT_FC)
if(CMAKE_Fortran_COMPILER)
  execute_process(COMMAND ${CMAKE_Fortran_COMPILER} --version OUTPUT_VARIABLE fortran_version ERROR_QUIET)
  if(fortran_version MATCHES "GNU Fortran")
    set(EYOT_FC ${CMAKE_Fortran_COMPILER})
  endif()
endif()
set(EYOT_FORTRAN_MODULE)
if(EYOT_FC)
  file(GLOB shmemf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/interfaces/openshmem/fortran/*.c)
  add_library(eyot-shmemf STATIC ${shmemf_sources})
  set_target_properties(eyot-shmemf PROPERTIES EXPORT_NAME shmemf EYOT_COUNTED ON)
  add_library(Eyot::shmemf ALIAS eyot-shmemf)
  target_link_libraries(eyot-shmemf PRIVATE $<BUILD_INTERFACE:eyot_flags> PUBLIC eyot-shmem)
  target_compile_options(eyot-shmemf PRIVATE -fvisibility=hidden -ffunction-sections -g0 -foptimize-sibling-calls)
  target_include_directories(eyot-shmemf PRIVATE ${PROJECT_SOURCE_DIR}/src)

  set(EYOT_FORTRAN_MODULE ${PROJECT_BINARY_DIR}/lib/eyot/fortran/shmem.mod)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib/eyot/fortran)
  set(module_source ${PROJECT_SOURCE_DIR}/src/interfaces/openshmem/fortran/shmem.f90)
  # It has interfaces alone: no code. The file is not written again if it would be the same: hence touch.
  add_custom_command(OUTPUT ${EYOT_FORTRAN_MODULE}
    COMMAND ${EYOT_FC} -fsyntax-only -Wall -J${PROJECT_BINARY_DIR}/lib/eyot/fortran -I${PROJECT_SOURCE_DIR}/include/eyot-shmem ${module_source}
    COMMAND ${CMAKE_COMMAND} -E touch ${EYOT_FORTRAN_MODULE}
    DEPENDS ${module_source} ${PROJECT_SOURCE_DIR}/include/eyot-shmem/shmem/constants.fh VERBATIM)
  add_custom_target(eyot_fortran_module ALL DEPENDS ${EYOT_FORTRAN_MODULE})
endif()
