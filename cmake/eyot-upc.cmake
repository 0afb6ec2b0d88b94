# UPC on eyot: a static library, as that of OpenSHMEM, because each simulated thread has its own copy of it with its program.
file(GLOB upc_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/interfaces/upc/*.c)
add_library(eyot-upc STATIC ${upc_sources})
set_target_properties(eyot-upc PROPERTIES EXPORT_NAME upc EYOT_COUNTED ON)
add_library(Eyot::upc ALIAS eyot-upc)
target_link_libraries(eyot-upc PRIVATE $<BUILD_INTERFACE:eyot_flags> PUBLIC eyot)
target_compile_options(eyot-upc PRIVATE -fvisibility=hidden -ffunction-sections -g0)
# Messages name the line from which a function returns to the program: a call that is the last of its function has none if it becomes a jump.
target_compile_options(eyot-upc INTERFACE -fno-optimize-sibling-calls)
# main of a translated program is the library's, which the linker may come to before it needs it.
target_link_options(eyot-upc INTERFACE LINKER:--gc-sections LINKER:-u,main)
target_include_directories(eyot-upc PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/eyot-upc> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/eyot-upc>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
