# What `cmake --install` lays down: the command, its helpers, the library with its headers, CMake
# package and pkg-config file, the schemas, man pages and completions, documents and examples.
include(CMakePackageConfigHelpers)

# Programs that only kiln itself starts.
set(KILN_LIBEXECDIR ${CMAKE_INSTALL_LIBEXECDIR}/kiln)
set(KILN_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kiln)

if(TARGET kiln)
  install(TARGETS kiln RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(target kiln-compile kiln-tune kiln-mesh kiln-mesh-mpi)
  if(TARGET ${target})
    install(TARGETS ${target} RUNTIME DESTINATION ${KILN_LIBEXECDIR})
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR}/kiln)
# Programs of the build find it as those of an install do.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/kiln)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/share/tuned ${PROJECT_BINARY_DIR}/share/kiln/tuned SYMBOLIC)

# As they lie in the source tree, so that links between documents, and from specification files to
# their kernels, hold.
set(KILN_DOCDIR ${CMAKE_INSTALL_DATADIR}/doc/kiln)
install(FILES README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE
        DESTINATION ${KILN_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${KILN_DOCDIR})

if(TARGET kiln_shared)
  install(TARGETS kiln_shared EXPORT kilnTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(TARGET kiln_mesh_shared)
    install(TARGETS kiln_mesh_shared EXPORT kilnTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kiln DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.hpp" PATTERN "mpi" EXCLUDE PATTERN "mpi.hpp" EXCLUDE)
  if(TARGET kiln_mpi_shared)
    install(FILES ${PROJECT_SOURCE_DIR}/include/kiln/mpi.hpp
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kiln)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kiln/mpi
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kiln FILES_MATCHING PATTERN "*.hpp")
  endif()
  install(EXPORT kilnTargets NAMESPACE kiln:: DESTINATION ${KILN_PACKAGE_DIR})
  if(TARGET kiln_mpi_shared)
    install(TARGETS kiln_mpi_shared EXPORT kilnMpiTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT kilnMpiTargets NAMESPACE kiln:: DESTINATION ${KILN_PACKAGE_DIR})
  endif()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kilnConfig.cmake.in
    ${PROJECT_BINARY_DIR}/kilnConfig.cmake INSTALL_DESTINATION ${KILN_PACKAGE_DIR})
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/kilnConfig.cmake ${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake
          DESTINATION ${KILN_PACKAGE_DIR})
  # Relative, so that the installed tree can be moved.
  file(RELATIVE_PATH KILN_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  set(pkgconfig kiln)
  if(TARGET kiln_mesh_shared)
    list(APPEND pkgconfig kiln-mesh)
  endif()
  if(TARGET kiln_mpi_shared)
    list(APPEND pkgconfig kiln-mpi)
  endif()
  foreach(package ${pkgconfig})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc
                   @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endforeach()
endif()

if(TARGET clBLAS)
  set(CLBLAS_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/clBLAS)
  install(TARGETS clBLAS LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES include/clBLAS.h include/clBLAS-complex.h include/clAmdBlas.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  # Written by hand, not exported: to a user of clBLAS, Kiln and what it needs are no dependency.
  # The lower-case file name is found under every spelling of the package's.
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/clblas-config.cmake.in
    ${PROJECT_BINARY_DIR}/clblas-config.cmake INSTALL_DESTINATION ${CLBLAS_PACKAGE_DIR}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/clblas-config-version.cmake
    VERSION ${CLBLAS_VERSION} COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/clblas-config.cmake
                ${PROJECT_BINARY_DIR}/clblas-config-version.cmake
          DESTINATION ${CLBLAS_PACKAGE_DIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/clBLAS.pc.in ${PROJECT_BINARY_DIR}/clBLAS.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/clBLAS.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(TARGET clblast)
  set(CLBLAST_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/CLBlast)
  install(TARGETS clblast LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES include/clblast.h include/clblast_c.h include/clblast_half.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/clblast-config.cmake.in
    ${PROJECT_BINARY_DIR}/clblast-config.cmake INSTALL_DESTINATION ${CLBLAST_PACKAGE_DIR}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/clblast-config-version.cmake
    VERSION ${CLBLAST_VERSION} COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/clblast-config.cmake
                ${PROJECT_BINARY_DIR}/clblast-config-version.cmake
          DESTINATION ${CLBLAST_PACKAGE_DIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/clblast.pc.in ${PROJECT_BINARY_DIR}/clblast.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/clblast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# The OpenCL layer. A file in OpenCL's folder of layers (/etc/OpenCL/layers, which packages fill) names
# it by its link in the folder "system": loaded so, it waits for KILN_LAYER=on.
if(TARGET kiln_layer_entry)
  set(KILN_LAYER_DIR ${CMAKE_INSTALL_LIBDIR}/kiln)
  install(TARGETS kiln_layer_entry LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS kiln_layer_serve kiln_layer_measure LIBRARY DESTINATION ${KILN_LAYER_DIR})
  install(DIRECTORY DESTINATION ${KILN_LAYER_DIR}/system)
  install(CODE "file(CREATE_LINK ../../libkiln-layer.so
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${KILN_LAYER_DIR}/system/libkiln-layer.so\" SYMBOLIC)")
endif()

# What a user runs: all of a build but tests and benchmarks.
add_custom_target(product)
foreach(target kiln kiln-compile kiln-tune kiln-mesh kiln-mesh-mpi kiln_shared kiln_mesh_shared kiln_mpi_shared clBLAS clblast
        kiln_layer_entry kiln_layer_serve kiln_layer_measure kiln_python kiln_documents)
  if(TARGET ${target})
    add_dependencies(product ${target})
  endif()
endforeach()
