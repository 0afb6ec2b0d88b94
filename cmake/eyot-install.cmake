# What `cmake --install` puts where: libraries, fabrics (lib/eyot), headers, tools, pkg-config file, CMake package. Everything is relocatable: paths are
# relative to the file that needs them.
include(CMakePackageConfigHelpers)
set(eyot_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Eyot)

install(TARGETS eyot EXPORT EyotTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT Development)
foreach(fabric mpi openmpi sim)
  if(TARGET eyot-fabric-${fabric})
    install(TARGETS eyot-fabric-${fabric} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/eyot)
  endif()
endforeach()
install(FILES ${EYOT_START_OBJECT} ${EYOT_INSTRUMENT_FILES} DESTINATION ${CMAKE_INSTALL_LIBDIR}/eyot)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/eyot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS eyotrun eyot-info eyotcheck RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS ${PROJECT_BINARY_DIR}/tools/install/eyotcc ${PROJECT_BINARY_DIR}/tools/install/eyotcxx DESTINATION ${CMAKE_INSTALL_BINDIR})

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/eyot.pc.in ${PROJECT_BINARY_DIR}/eyot.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/eyot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/EyotConfig.cmake.in ${PROJECT_BINARY_DIR}/EyotConfig.cmake INSTALL_DESTINATION ${eyot_package_dir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/EyotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT EyotTargets NAMESPACE Eyot:: DESTINATION ${eyot_package_dir})
install(FILES ${PROJECT_BINARY_DIR}/EyotConfig.cmake ${PROJECT_BINARY_DIR}/EyotConfigVersion.cmake ${CMAKE_CURRENT_LIST_DIR}/eyot-add-program.cmake
  DESTINATION ${eyot_package_dir})
