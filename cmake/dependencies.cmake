# Third-party libraries, all from Debian 12's packages; ARCHITECTURE.md says why each is here.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(OpenCL REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
set(HDF5_USE_STATIC_LIBRARIES ${KILN_PORTABLE})
# The serial one, which libkiln-mesh.so has, whatever else is installed.
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 REQUIRED COMPONENTS C)
if(HDF5_IS_PARALLEL)
  message(FATAL_ERROR "found the parallel HDF5 library, expected the serial one (Debian: libhdf5-dev)")
endif()
# The C interface of libclang is loaded when a kernel is read for the first time, never linked:
# only its header is needed, of any release.
file(GLOB KILN_LLVM_INCLUDES /usr/lib/llvm-*/include)
find_path(KILN_CLANG_C_INCLUDE clang-c/Index.h PATHS ${KILN_LLVM_INCLUDES} REQUIRED)

# kiln_c_library(NAME header library): an imported target, plus NAME_static where an archive exists
# (programs link archives to start faster; shared libraries must not).
function(kiln_c_library name library)
  find_library(KILN_${name}_SHARED NAMES ${library} REQUIRED)
  find_library(KILN_${name}_STATIC NAMES lib${library}.a)
  if(NOT KILN_${name}_STATIC)
    set(KILN_${name}_STATIC ${KILN_${name}_SHARED})
  endif()
  # A program with the property KILN_ARCHIVES gets the archives through all modules.
  add_library(kiln_dep_${name} INTERFACE)
  target_link_libraries(kiln_dep_${name} INTERFACE
    $<IF:$<OR:$<BOOL:${KILN_PORTABLE}>,$<BOOL:$<TARGET_PROPERTY:KILN_ARCHIVES>>>,${KILN_${name}_STATIC},${KILN_${name}_SHARED}>)
  add_library(kiln_dep_${name}_static INTERFACE)
  target_link_libraries(kiln_dep_${name}_static INTERFACE ${KILN_${name}_STATIC})
endfunction()
kiln_c_library(sodium sodium)
kiln_c_library(xxhash xxhash)
kiln_c_library(sqlite3 sqlite3)
kiln_c_library(zlib z)

# The fleet's store on Redis is the one optional component: its sources and tests are in folders
# named redis, which builds without it leave out.
set(KILN_REDIS AUTO CACHE STRING "Build the shared store on Redis: AUTO (where hiredis is), ON, OFF")
set_property(CACHE KILN_REDIS PROPERTY STRINGS AUTO ON OFF)
set(KILN_WITH_REDIS OFF)
if(NOT KILN_REDIS STREQUAL "OFF")
  find_path(KILN_hiredis_INCLUDE hiredis/hiredis.h)
  find_library(KILN_hiredis_SHARED NAMES hiredis)
  if(KILN_hiredis_INCLUDE AND KILN_hiredis_SHARED)
    set(KILN_WITH_REDIS ON)
    kiln_c_library(hiredis hiredis)
  elseif(KILN_REDIS STREQUAL "ON")
    message(FATAL_ERROR "KILN_REDIS is ON, but hiredis was not found (Debian: libhiredis-dev)")
  endif()
endif()
message(STATUS "Shared store on Redis: ${KILN_WITH_REDIS}")

# kiln_without_absent(VARIABLE): takes the sources of components that are not built out of a list.
function(kiln_without_absent variable)
  if(NOT KILN_WITH_REDIS)
    list(FILTER ${variable} EXCLUDE REGEX "/redis/[^/]*$")
  endif()
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()
