# Meshes over MPI (src/mpi, libkiln-mpi.so) are built where MPI is; PT-Scotch, METIS and parallel HDF5
# are each used where they are found. What is absent says so when it is called.
set(KILN_MPI AUTO CACHE STRING "Build meshes over MPI: AUTO (where MPI is), ON, OFF")
set_property(CACHE KILN_MPI PROPERTY STRINGS AUTO ON OFF)
set(KILN_WITH_MPI OFF)
set(KILN_WITH_SCOTCH OFF)
set(KILN_WITH_METIS OFF)
set(KILN_WITH_PARALLEL_HDF5 OFF)
if(KILN_MPI STREQUAL "OFF" OR KILN_PORTABLE OR KILN_FUZZ)
  message(STATUS "Meshes over MPI: ${KILN_WITH_MPI}")
  return()
endif()

set(MPI_CXX_SKIP_MPICXX ON)  # bindings for C++ that MPI has no more
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  set(KILN_WITH_MPI ON)
elseif(KILN_MPI STREQUAL "ON")
  message(FATAL_ERROR "KILN_MPI is ON, but MPI was not found (Debian: libopenmpi-dev)")
endif()
if(NOT KILN_WITH_MPI)
  message(STATUS "Meshes over MPI: ${KILN_WITH_MPI}")
  return()
endif()

# What kiln-mpi.pc requires.
set(KILN_MPI_PC)
foreach(package ompi-c mpich)
  pkg_check_modules(KILN_PC_${package} QUIET ${package})
  if(KILN_PC_${package}_FOUND AND NOT KILN_MPI_PC)
    set(KILN_MPI_PC ${package})
  endif()
endforeach()

# PT-Scotch is a library of one MPI: Debian builds it for Open MPI.
find_path(KILN_ptscotch_INCLUDE ptscotch.h PATH_SUFFIXES scotch)
find_library(KILN_ptscotch ptscotch)
find_library(KILN_scotch scotch)
find_library(KILN_ptscotcherr ptscotcherr)
if(KILN_ptscotch_INCLUDE AND KILN_ptscotch AND KILN_scotch AND KILN_ptscotcherr)
  set(KILN_WITH_SCOTCH ON)
  add_library(kiln_dep_ptscotch INTERFACE)
  target_include_directories(kiln_dep_ptscotch SYSTEM INTERFACE ${KILN_ptscotch_INCLUDE})
  target_link_libraries(kiln_dep_ptscotch INTERFACE ${KILN_ptscotch} ${KILN_scotch} ${KILN_ptscotcherr})
endif()

find_path(KILN_metis_INCLUDE metis.h)
find_library(KILN_metis metis)
if(KILN_metis_INCLUDE AND KILN_metis)
  set(KILN_WITH_METIS ON)
  add_library(kiln_dep_metis INTERFACE)
  target_include_directories(kiln_dep_metis SYSTEM INTERFACE ${KILN_metis_INCLUDE})
  target_link_libraries(kiln_dep_metis INTERFACE ${KILN_metis})
endif()

# Its symbols have versions of their own, so that it can be in a process with the serial library.
pkg_check_modules(KILN_HDF5_OPENMPI QUIET IMPORTED_TARGET hdf5-openmpi)
if(KILN_HDF5_OPENMPI_FOUND)
  set(KILN_WITH_PARALLEL_HDF5 ON)
endif()
message(STATUS "Meshes over MPI: ${KILN_WITH_MPI} (PT-Scotch: ${KILN_WITH_SCOTCH}, METIS: \
${KILN_WITH_METIS}, parallel HDF5: ${KILN_WITH_PARALLEL_HDF5})")
