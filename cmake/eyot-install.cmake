# What `cmake --install` puts where: libraries, fabrics (lib/eyot), headers, tools, pkg-config file, CMake package, documentation and examples. Everything
# is relocatable: paths are relative to the file that needs them.
include(CMakePackageConfigHelpers)
set(eyot_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Eyot)

# Inside another project, uninstalling is that project's concern.
set(eyot_list_step ${CMAKE_CURRENT_LIST_DIR}/eyot-installed.cmake)
if(PROJECT_IS_TOP_LEVEL)
  # Folders that other software may have in the same prefix: those that are here before eyot stay when it is uninstalled.
  set(eyot_destinations ${CMAKE_INSTALL_LIBDIR}/eyot ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${eyot_package_dir} ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_DOCDIR}
    ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
  set(eyot_list ${CMAKE_INSTALL_LIBDIR}/eyot/installed-files.txt)
  install(CODE "set(EYOT_DESTINATIONS \"${eyot_destinations}\")\nset(EYOT_LIST \"${eyot_list}\")\nset(EYOT_STEP before)" ALL_COMPONENTS)
  install(SCRIPT ${eyot_list_step} ALL_COMPONENTS)
endif()

install(TARGETS eyot EXPORT EyotTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT Development)
foreach(module eyot-fabric-mpi eyot-fabric-openmpi eyot-fabric-sim eyot-simgrid)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/eyot)
  endif()
endforeach()
install(FILES ${EYOT_START_OBJECT} ${EYOT_CLOCK_OBJECT} ${EYOT_MALLOC_OBJECT} ${EYOT_INSTRUMENT_FILES} DESTINATION ${CMAKE_INSTALL_LIBDIR}/eyot)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/eyot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS eyotrun eyot-info eyotcheck eyot-calibrate eyot-calibrate-probe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(script eyotcc eyotcxx eyot-oshcc eyot-oshc++ eyot-oshfort eyot-oshrun eyot-mpicc eyot-mpicxx eyot-upcc)
  list(APPEND eyot_scripts ${PROJECT_BINARY_DIR}/tools/install/${script})
endforeach()
install(PROGRAMS ${eyot_scripts} DESTINATION ${CMAKE_INSTALL_BINDIR})

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/eyot.pc.in ${PROJECT_BINARY_DIR}/eyot.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/eyot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# OpenSHMEM.
install(TARGETS eyot-shmem EXPORT EyotTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/eyot-shmem DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.fh")
if(EYOT_FC)
  install(TARGETS eyot-shmemf EXPORT EyotTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${EYOT_FORTRAN_MODULE} DESTINATION ${CMAKE_INSTALL_LIBDIR}/eyot/fortran)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/eyot-shmem.pc.in ${PROJECT_BINARY_DIR}/eyot-shmem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/eyot-shmem.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# UPC.
install(TARGETS eyot-upc EXPORT EyotTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/eyot-upc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# MPI's calls.
install(TARGETS eyot-mpi EXPORT EyotTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/eyot-mpi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/EyotConfig.cmake.in ${PROJECT_BINARY_DIR}/EyotConfig.cmake INSTALL_DESTINATION ${eyot_package_dir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/EyotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT EyotTargets NAMESPACE Eyot:: DESTINATION ${eyot_package_dir})
install(FILES ${PROJECT_BINARY_DIR}/EyotConfig.cmake ${PROJECT_BINARY_DIR}/EyotConfigVersion.cmake ${CMAKE_CURRENT_LIST_DIR}/eyot-add-program.cmake
  DESTINATION ${eyot_package_dir})

if(EYOT_PAGES)
  # The other name of eyotcc.
  file(WRITE ${EYOT_PAGES_DIR}/eyotcxx.1 ".so man1/eyotcc.1\n")
  file(WRITE ${EYOT_PAGES_DIR}/completions/eyotcxx ". \"\${BASH_SOURCE[0]%/*}/eyotcc\"\n")
  file(WRITE ${EYOT_PAGES_DIR}/eyot-oshc++.1 ".so man1/eyot-oshcc.1\n")
  file(WRITE ${EYOT_PAGES_DIR}/eyot-mpicxx.1 ".so man1/eyot-mpicc.1\n")
  file(WRITE ${EYOT_PAGES_DIR}/completions/eyot-mpicxx ". \"\${BASH_SOURCE[0]%/*}/eyot-mpicc\"\n")
  file(WRITE ${EYOT_PAGES_DIR}/completions/eyot-oshc++ ". \"\${BASH_SOURCE[0]%/*}/eyot-oshcc\"\n")
  install(FILES ${EYOT_PAGES} ${EYOT_PAGES_DIR}/eyotcxx.1 ${EYOT_PAGES_DIR}/eyot-oshc++.1 ${EYOT_PAGES_DIR}/eyot-mpicxx.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${EYOT_COMPLETIONS} ${EYOT_PAGES_DIR}/completions/eyotcxx ${EYOT_PAGES_DIR}/completions/eyot-oshc++ ${EYOT_PAGES_DIR}/completions/eyot-mpicxx
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(PROJECT_IS_TOP_LEVEL)
  # The same folders as in the sources, so that links between pages hold.
  install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.tsv")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.[ch]" PATTERN "*.upc" PATTERN "*.yml")

  # Last: the list of what was installed, and the target that removes it.
  install(CODE "set(EYOT_STEP after)" ALL_COMPONENTS)
  install(SCRIPT ${eyot_list_step} ALL_COMPONENTS)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DPREFIX=${CMAKE_INSTALL_PREFIX} -DLIST=${eyot_list}
    -P ${CMAKE_CURRENT_LIST_DIR}/eyot-uninstall.cmake VERBATIM)
endif()
