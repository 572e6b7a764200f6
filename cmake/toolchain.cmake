# Compiler settings that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# Modules that say UNITY are compiled in batches of 32 sources: what these include and the templates
# that they share, the larger part of their cost, are compiled once. Names in anonymous namespaces are
# then unique in a module.
option(KILN_UNITY "Compile the sources of modules in batches" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 32)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                    -Wno-missing-field-initializers)

# GCC looks for what it can free each time its memory has grown by a third, and goes through all of a
# precompiled header then: a quarter of what a batch of tests takes. It keeps all, half as much again.
add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=4194304>)

# -O3 makes the build longer and nothing here faster: kernels are compiled by the drivers.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

if(KILN_SANITIZE)
  # With -O2 -g the instrumented code takes nearly twice as long to compile.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -DNDEBUG")
  add_compile_options(-fsanitize=${KILN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KILN_SANITIZE})
  # GCC 12's instrumentation hides from it that a variant's inactive members are never read.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(KILN_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# The C++ runtime within a program. What a program links exports whatever its shared libraries could
# use as well: a static runtime's symbols would get in the way of the shared one that they (oneTBB)
# or libraries loaded later (libclang, drivers) bring, and half of each would run. So it is hidden.
set(KILN_STATIC_RUNTIME -static-libstdc++ -static-libgcc
    "LINKER:--exclude-libs,libstdc++.a:libgcc.a:libgcc_eh.a")
if(KILN_PORTABLE)
  add_link_options(${KILN_STATIC_RUNTIME})
endif()

if(KILN_FUZZ)
  # Coverage counters in every module; only the fuzz programs link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # It looks through precompiled headers only where it is told that it may.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
