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
  if(ARG_UNITY AND KILN_UNITY)
    set_target_properties(kiln_${name} PROPERTIES UNITY_BUILD ON)
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

# kiln_test(MODULE [DEPENDS …]): all tests/MODULE/*.cpp as one GoogleTest program, one ctest case
# a test. Every test has its own PoCL cache folder and no store unless it makes one.
function(kiln_test name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
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
  target_compile_options(test_${name} PRIVATE -O1)  # test code need not be fast, but be built fast
  if(KILN_UNITY)
    set_target_properties(test_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  target_include_directories(test_${name} PRIVATE ${CMAKE_BINARY_DIR}/tests/include)
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    TEST_PREFIX ${name}.
    PROPERTIES TIMEOUT 900 LABELS ${name}
    ENVIRONMENT "KILN_STORE=off;POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl-cache")
endfunction()
