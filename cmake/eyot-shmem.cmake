# OpenSHMEM on eyot: a static library, because each simulated PE has its own copy of it with its program. Only the public headers of eyot.
file(GLOB shmem_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/interfaces/openshmem/*.c)
add_library(eyot-shmem STATIC ${shmem_sources})
set_target_properties(eyot-shmem PROPERTIES EXPORT_NAME shmem EYOT_COUNTED ON)
add_library(Eyot::shmem ALIAS eyot-shmem)
target_link_libraries(eyot-shmem PRIVATE $<BUILD_INTERFACE:eyot_flags> PUBLIC eyot)
# Sections of their own: a program carries the functions that it calls, not all of some 1,900, which matters for thousands of copies of it.
target_compile_options(eyot-shmem PRIVATE -fvisibility=hidden -ffunction-sections -g0)
# Messages name the line from which a function returns to the program: a call that is the last of its function has none if it becomes a jump.
target_compile_options(eyot-shmem INTERFACE -fno-optimize-sibling-calls)
target_link_options(eyot-shmem INTERFACE LINKER:--gc-sections)
target_include_directories(eyot-shmem PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/eyot-shmem> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/eyot-shmem>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
