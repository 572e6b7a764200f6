# Run by ctest: adds a case for each suite of a GoogleTest program, and several for a large one.
#
# A process for each test would be simpler, but a process' first compile takes most of a second
# (PoCL reads its library of built-in functions), and there are thousands of tests.
#
# From the file that kiln_suites() writes: program, prefix, timeout, label, environment (a list),
# optimised, few and long (regular expressions).

set(most_tests 60)

execute_process(COMMAND ${program} --gtest_list_tests
                OUTPUT_VARIABLE listed RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  add_test("${prefix}list_of_tests" ${program} --gtest_list_tests)  # fails, and says why
  return()
endif()

# Lines are "Suite.  # TypeParam = …", and "  test  # GetParam() = …" for each of its tests.
string(REGEX REPLACE "  # [^\n]*" "" listed "${listed}")
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(suites)
foreach(line ${lines})
  if(line MATCHES "^([^ ]+)\\.$")
    set(suite ${CMAKE_MATCH_1})
  elseif(line MATCHES "^  " AND NOT "${suite}.${line}" MATCHES "(^|[./ ])DISABLED_")
    list(APPEND suites ${suite})
    math(EXPR "tests_of_${suite}" "0${tests_of_${suite}} + 1")
  endif()
endforeach()
list(REMOVE_DUPLICATES suites)

foreach(suite ${suites})
  math(EXPR shards "(${tests_of_${suite}} + ${most_tests} - 1) / ${most_tests}")
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set(name "${prefix}${suite}")
    set(variables ${environment})
    if(optimised AND NOT suite MATCHES "${optimised}" AND NOT DEFINED ENV{KILN_LONG})
      list(APPEND variables POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable)
    endif()
    if(shards GREATER 1)
      math(EXPR number "${shard} + 1")
      string(APPEND name ".${number}_of_${shards}")
      list(APPEND variables GTEST_TOTAL_SHARDS=${shards} GTEST_SHARD_INDEX=${shard})
    endif()
    if(few AND suite MATCHES "${few}" AND NOT DEFINED ENV{KILN_LONG})
      list(APPEND variables RC_PARAMS=max_success=40)
    endif()
    add_test("${name}" ${program} "--gtest_filter=${suite}.*")
    set_tests_properties("${name}" PROPERTIES
      TIMEOUT ${timeout} LABELS ${label} ENVIRONMENT "${variables}")
    if(long AND suite MATCHES "${long}" AND NOT DEFINED ENV{KILN_LONG})
      set_tests_properties("${name}" PROPERTIES DISABLED TRUE)
    endif()
  endforeach()
endforeach()
