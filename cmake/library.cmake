# libkiln.so: the modules from base to prebuild in one shared library, with nothing exported
# but what the public headers mark KILN_API, and what libclBLAS.so.2 (src/blas/clblas) and libclblast.so.1
# (src/blas/clblast) call. Target kiln_shared, for consumers kiln::kiln.
set(KILN_LIBRARY_MODULES base expr format device store kernel schedule tune spec blas layer prebuild graph)

# The version of clBLAS whose interface libclBLAS.so.2 has.
set(CLBLAS_VERSION 2.12.0)
# And of CLBlast, whose interface libclblast.so.1 (src/blas/clblast) has.
set(CLBLAST_VERSION 1.6.3)

function(kiln_shared_library)
  set(modules)
  set(objects)
  foreach(module ${KILN_LIBRARY_MODULES})
    if(TARGET kiln_${module})
      list(APPEND modules kiln_${module})
      list(APPEND objects $<TARGET_OBJECTS:kiln_${module}>)
    endif()
  endforeach()
  # All objects are named, used by the library itself or not; the archives follow only for the
  # libraries that they depend on.
  add_library(kiln_shared SHARED ${objects})
  add_library(kiln::kiln ALIAS kiln_shared)
  target_link_libraries(kiln_shared PRIVATE ${modules} PUBLIC tl::expected OpenCL::OpenCL)
  set(exports ${PROJECT_BINARY_DIR}/libkiln.map)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/libkiln.map.in ${exports} @ONLY)
  set_target_properties(kiln_shared PROPERTIES
    LINKER_LANGUAGE CXX LINK_DEPENDS ${exports}
    OUTPUT_NAME kiln EXPORT_NAME kiln
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_link_options(kiln_shared PRIVATE "LINKER:--version-script=${exports}"
                      "LINKER:--no-undefined" "LINKER:--as-needed")
  target_compile_features(kiln_shared INTERFACE cxx_std_20)
  target_include_directories(kiln_shared INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# libkiln-mesh.so: the mesh front end, whose libraries (HDF5, oneTBB) other programs are not to load. It
# calls libkiln.so for what that exports and for the one Resolver of a process; of the modules below
# it has hidden copies of its own. Target kiln_mesh_shared, for consumers kiln::mesh.
function(kiln_mesh_library)
  add_library(kiln_mesh_shared SHARED $<TARGET_OBJECTS:kiln_mesh>)
  add_library(kiln::mesh ALIAS kiln_mesh_shared)
  target_link_libraries(kiln_mesh_shared PUBLIC kiln_shared
    PRIVATE kiln_kernel kiln_schedule kiln_tune TBB::tbb HDF5::HDF5 ${CMAKE_DL_LIBS})
  set(exports ${PROJECT_BINARY_DIR}/libkiln-mesh.map)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/libkiln-mesh.map.in ${exports} @ONLY)
  # libkiln.so lies next to it, wherever that is.
  set_target_properties(kiln_mesh_shared PROPERTIES
    LINKER_LANGUAGE CXX LINK_DEPENDS ${exports}
    OUTPUT_NAME kiln-mesh EXPORT_NAME mesh
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    INSTALL_RPATH "$ORIGIN")
  target_link_options(kiln_mesh_shared PRIVATE "LINKER:--version-script=${exports}"
                      "LINKER:--no-undefined" "LINKER:--as-needed")
endfunction()

# libkiln-mpi.so: distributed meshes over MPI, whose libraries (MPI, PT-Scotch, METIS, parallel HDF5) other
# programs are not to load. It calls libkiln-mesh.so by its public headers. Target kiln_mpi_shared, for
# consumers kiln::mpi.
function(kiln_mpi_library)
  add_library(kiln_mpi_shared SHARED $<TARGET_OBJECTS:kiln_mpi>)
  add_library(kiln::mpi ALIAS kiln_mpi_shared)
  target_link_libraries(kiln_mpi_shared PUBLIC kiln_mesh_shared MPI::MPI_CXX
    PRIVATE kiln_base $<TARGET_NAME_IF_EXISTS:kiln_dep_ptscotch>
    $<TARGET_NAME_IF_EXISTS:kiln_dep_metis> $<TARGET_NAME_IF_EXISTS:PkgConfig::KILN_HDF5_OPENMPI>)
  set(exports ${PROJECT_BINARY_DIR}/libkiln-mpi.map)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/libkiln-mpi.map.in ${exports} @ONLY)
  set_target_properties(kiln_mpi_shared PROPERTIES
    LINKER_LANGUAGE CXX LINK_DEPENDS ${exports}
    OUTPUT_NAME kiln-mpi EXPORT_NAME mpi
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    INSTALL_RPATH "$ORIGIN")
  target_link_options(kiln_mpi_shared PRIVATE "LINKER:--version-script=${exports}"
                      "LINKER:--no-undefined" "LINKER:--as-needed")
endfunction()
