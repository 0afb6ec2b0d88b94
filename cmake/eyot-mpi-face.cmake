# MPI's calls on eyot: a static library, because each simulated process has its own copy of it with its program. Only the public headers of eyot.
file(GLOB mpi_face_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/interfaces/mpi/*.c)
add_library(eyot-mpi STATIC ${mpi_face_sources})
set_target_properties(eyot-mpi PROPERTIES EXPORT_NAME mpi EYOT_COUNTED ON)
add_library(Eyot::mpi ALIAS eyot-mpi)
target_link_libraries(eyot-mpi PRIVATE $<BUILD_INTERFACE:eyot_flags> PUBLIC eyot)
target_compile_options(eyot-mpi PRIVATE -fvisibility=hidden -ffunction-sections -g0)
# Messages name the line from which a function returns to the program: a call that is the last of its function has none if it becomes a jump.
target_compile_options(eyot-mpi INTERFACE -fno-optimize-sibling-calls)
target_link_options(eyot-mpi INTERFACE LINKER:--gc-sections)
target_include_directories(eyot-mpi PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/eyot-mpi> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/eyot-mpi>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
