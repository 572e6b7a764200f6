# kiln_without_own_targets(VARIABLE): takes the sources of sub-folders out of a list that have a
# CMakeLists.txt, and with it targets, of their own.
function(kiln_without_own_targets variable)
  foreach(source ${${variable}})
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR AND EXISTS ${folder}/CMakeLists.txt)
      list(REMOVE_ITEM ${variable} ${source})
    endif()
  endforeach()
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()

# kiln_in_batches(TARGET [SIZE]): its sources are compiled together, 32 at a time or SIZE.
function(kiln_in_batches target)
  if(KILN_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    if(ARGC GREATER 1)
      set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARGV1})
    endif()
  endif()
endfunction()

# One folder under src/ is one module, built as a static library of position-independent code.
# kiln_module(NAME [UNITY] [DEPENDS lower modules and libraries…] [PRIVATE libraries hidden in its sources…])
function(kiln_module name)
  cmake_parse_arguments(ARG "UNITY" "" "DEPENDS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp)
  kiln_without_absent(sources)
  kiln_without_own_targets(sources)
  if(NOT sources)
    return()
  endif()
  add_library(kiln_${name} STATIC ${sources})
  target_include_directories(kiln_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(kiln_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE})
  if(ARG_UNITY)
    kiln_in_batches(kiln_${name})
  endif()
endfunction()

# kiln_templates(NAME): the module carries its kernel templates, plain OpenCL C files, as text.
function(kiln_templates name)
  if(NOT TARGET kiln_${name})
    return()
  endif()
  file(GLOB templates CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/templates/*.cl)
  set(embedded ${CMAKE_CURRENT_BINARY_DIR}/template_texts.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_templates.cmake)
  add_custom_command(
    OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${embedded} -D MODULE=${name} "-DTEMPLATES=${templates}" -P ${script}
    DEPENDS ${templates} ${script}
    COMMENT "Embedding the kernel templates of ${name}" VERBATIM)
  target_sources(kiln_${name} PRIVATE ${embedded})
endfunction()

# kiln_suites(PROGRAM PREFIX LABEL [TIMEOUT seconds] [OPTIMISED regex] [FEW regex] [LONG regex]
#             [ENVIRONMENT variables…]): the suites of a GoogleTest program as cases of ctest. They
# share a PoCL cache folder of the build. Where KILN_LONG is not set,
#   OPTIMISED   only the suites that match have their kernels optimised by PoCL: most of what tests of
#               many variants of kernels take is PoCL's optimising
#   FEW         the suites that match try their properties 40 times in place of RapidCheck's 100
#   LONG        the suites that match are disabled, which ctest says of each
function(kiln_suites target prefix label)
  cmake_parse_arguments(ARG "" "TIMEOUT;OPTIMISED;FEW;LONG" "ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900)
  endif()
  list(APPEND ARG_ENVIRONMENT POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl-cache)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  file(GENERATE OUTPUT ${script} CONTENT "set(program \"$<TARGET_FILE:${target}>\")
set(prefix ${prefix})
set(label ${label})
set(timeout ${ARG_TIMEOUT})
set(environment \"${ARG_ENVIRONMENT}\")
set(optimised \"${ARG_OPTIMISED}\")
set(few \"${ARG_FEW}\")
set(long \"${ARG_LONG}\")
include(\"${PROJECT_SOURCE_DIR}/cmake/suites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# kiln_test(MODULE [OPTIMISED regex] [FEW regex] [LONG regex] [DEPENDS …]): all tests/MODULE/*.cpp as one GoogleTest
# program, one ctest case a suite. Tests have no store unless they make one.
function(kiln_test name)
  cmake_parse_arguments(ARG "" "OPTIMISED;FEW;LONG" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/*.cpp)
  kiln_without_absent(sources)
  kiln_without_own_targets(sources)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE ${ARG_DEPENDS} kiln_testing)
  # Test code need not be fast, but be built fast; that of BLAS computes what it compares with.
  target_compile_options(test_${name} PRIVATE $<IF:$<STREQUAL:${name},blas>,-O1,-O0>)
  kiln_in_batches(test_${name} 24)
  if(KILN_UNITY AND NOT name STREQUAL blas)
    target_precompile_headers(test_${name} REUSE_FROM kiln_test_headers)
  endif()
  target_include_directories(test_${name} PRIVATE ${CMAKE_BINARY_DIR}/tests/include)
  kiln_suites(test_${name} ${name}. ${name} OPTIMISED "${ARG_OPTIMISED}" FEW "${ARG_FEW}"
              LONG "${ARG_LONG}" ENVIRONMENT KILN_STORE=off KILN_TUNED=off)
endfunction()
