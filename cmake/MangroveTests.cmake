# How test programs are made and registered.

include(GoogleTest)

# ThreadSanitizer sees how oneTBB's threads synchronise only when oneTBB itself is compiled with it (scripts/tsan-tbb does
# that). With a plain one, nothing that happens under its tasks can be judged, so those reports are dropped: such a build
# finds races only outside of TBB.
set(mangrove_tsan_suppressions ${CMAKE_CURRENT_LIST_DIR}/tsan.supp)
if(MANGROVE_SANITIZE STREQUAL thread)
  get_target_property(mangrove_tbb_library TBB::tbb LOCATION)
  file(STRINGS ${mangrove_tbb_library} mangrove_tbb_tsan REGEX "__tsan_func_entry" LIMIT_COUNT 1)
  if(NOT mangrove_tbb_tsan)
    set(mangrove_tsan_suppressions ${CMAKE_CURRENT_LIST_DIR}/tsan-plain-tbb.supp)
    message(WARNING "${mangrove_tbb_library} is not compiled with ThreadSanitizer: races inside of TBB's tasks will not be "
                    "found. scripts/tsan-tbb makes one that is.")
  endif()
endif()

# What a test's process needs to know about the sanitizers. There are many of those processes: a second of ThreadSanitizer's
# at the end of each would be most of their time.
set(mangrove_test_environment
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1:allocator_may_return_null=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=suppressions=${mangrove_tsan_suppressions}:second_deadlock_stack=1:atexit_sleep_ms=20")

set(MANGROVE_TEST_TIMEOUT 900 CACHE STRING "Seconds after which one test is stopped")
# Where programs that run several tests in a process report on each of them, for scripts/test to count.
set(mangrove_test_reports ${PROJECT_BINARY_DIR}/test-reports)

# Tests compile in less than half the time when they are optimised little. What they call in the libraries is optimised all
# the same.
function(mangrove_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Og>
                                           "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Og -Xcicc -O1 -Xptxas -O1>")
endfunction()

# Registers the GoogleTest suites of the program NAME, each as one test. A template's suite is one for each of its types.
function(mangrove_discover_suites arg_NAME)
  get_target_property(folder ${arg_NAME} RUNTIME_OUTPUT_DIRECTORY)
  set(program ${folder}/${arg_NAME})
  set(suites ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_suites.cmake)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/test_suites.cmake.in ${suites} @ONLY)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suites})
endfunction()

# mangrove_add_test(NAME x SOURCES ... LIBRARIES ... [CUDA]): a GoogleTest program, built into tests/ of the build folder.
#
# The tests of the CPU are registered one by one, or suite by suite (MANGROVE_TEST_SUITES). Those of CUDA share one process,
# since making a CUDA context takes longer than most of them; without a GPU the program says so and counts as skipped.
function(mangrove_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "CUDA" "NAME" "SOURCES;LIBRARIES")
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} GTest::gtest)
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  mangrove_set_warnings(${arg_NAME})
  if(MANGROVE_QUICK_TESTS)
    mangrove_optimise_little(${arg_NAME})
  endif()
  if(arg_CUDA)
    target_sources(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests/cuda_main.cpp)
    mangrove_use_runtime_libraries(${arg_NAME})
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} --gtest_output=xml:${mangrove_test_reports}/${arg_NAME}.xml)
    set_tests_properties(${arg_NAME} PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK gpu LABELS cuda
                         TIMEOUT ${MANGROVE_TEST_TIMEOUT} ENVIRONMENT "${mangrove_test_environment}")
  else()
    target_link_libraries(${arg_NAME} PRIVATE GTest::gtest_main)
    if(MANGROVE_PRECOMPILE_TESTS)
      target_precompile_headers(${arg_NAME} PRIVATE <gtest/gtest.h>)
    endif()
    if(MANGROVE_TEST_SUITES)
      mangrove_discover_suites(${arg_NAME})
    else()
      gtest_discover_tests(${arg_NAME} TEST_PREFIX ${arg_NAME}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
                           PROPERTIES LABELS cpu TIMEOUT ${MANGROVE_TEST_TIMEOUT}
                                      ENVIRONMENT "${mangrove_test_environment}")
    endif()
  endif()
endfunction()

# The tests of one room: test_NAME of **.cpp and, with CUDA, test_NAME_cuda of **.cu and **_cuda.cpp.
function(mangrove_add_room_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "LIBRARIES;CUDA_LIBRARIES")
  mangrove_glob_sources(${CMAKE_CURRENT_SOURCE_DIR} cpu_sources cuda_sources)
  if(cpu_sources)
    mangrove_add_test(NAME test_${arg_NAME} SOURCES ${cpu_sources} LIBRARIES mangrove::cpu ${arg_LIBRARIES})
  endif()
  if(cuda_sources AND MANGROVE_HAS_CUDA)
    mangrove_add_test(NAME test_${arg_NAME}_cuda CUDA SOURCES ${cuda_sources}
                      LIBRARIES mangrove::cuda ${arg_LIBRARIES} ${arg_CUDA_LIBRARIES})
  endif()
endfunction()

# mangrove_add_fuzzer(NAME fuzz_x SOURCES ... LIBRARIES ... [CORPUS folder]): a libFuzzer program, and a test that runs it
# for MANGROVE_FUZZ_SECONDS from the corpus (which it does not change).
function(mangrove_add_fuzzer)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;CORPUS" "SOURCES;LIBRARIES")
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES})
  target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  mangrove_set_warnings(${arg_NAME})
  set(findings ${PROJECT_BINARY_DIR}/fuzz/${arg_NAME}.corpus)
  file(MAKE_DIRECTORY ${findings})
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} -max_total_time=${MANGROVE_FUZZ_SECONDS} -timeout=20 -rss_limit_mb=4096
                                    -print_final_stats=1 ${findings} ${arg_CORPUS})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS fuzz ENVIRONMENT "${mangrove_test_environment}")
endfunction()
