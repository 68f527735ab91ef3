# SPDX-License-Identifier: Apache-2.0
# The few ways a target of this project is made.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# Flags of our own code. Linked PRIVATE, so nothing leaks to whoever links us.
add_library(weft_flags INTERFACE)
target_compile_features(weft_flags INTERFACE cxx_std_20)
target_compile_options(weft_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion
                                            -Wnon-virtual-dtor -Woverloaded-virtual)
if(WEFT_SANITIZE)
  target_compile_options(weft_flags INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
  target_link_options(weft_flags INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()
if(WEFT_FUZZ)
  target_compile_options(weft_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What the scripts build when they need only a part of the tree.
add_custom_target(weft_programs)
add_custom_target(weft_threads_tests)  # tests labelled `threads`, for the tsan preset
add_custom_target(weft_fuzzers)

# weft_library(NAME SOURCES file... [DEPS target...] [PRIVATE_DEPS target...])
# A static library weft_NAME, used as weft::NAME. Headers are included from the root: "wire/bth.h".
function(weft_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  if(arg_SOURCES)
    add_library(weft_${name} STATIC ${arg_SOURCES})
    target_include_directories(weft_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(weft_${name} PUBLIC ${arg_DEPS} PRIVATE weft_flags ${arg_PRIVATE_DEPS})
    set_target_properties(weft_${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  else()
    add_library(weft_${name} INTERFACE)
    target_include_directories(weft_${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(weft_${name} INTERFACE ${arg_DEPS})
  endif()
  add_library(weft::${name} ALIAS weft_${name})
endfunction()

# weft_binary(NAME SOURCES file... [DEPS target...]): a program that is installed.
function(weft_binary name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE weft_flags ${arg_DEPS})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  add_dependencies(weft_programs ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# weft_test(NAME SOURCES file... [DEPS target...] [LABELS label...]): one GoogleTest program; the label
# is `unit` unless others are given. Tests read real files under WEFT_SHARED_DIR where it exists.
function(weft_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE weft_flags ${arg_DEPS} GTest::gmock GTest::gtest
                                        GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY
                                           ${CMAKE_BINARY_DIR}/tests)
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(weft_threads_tests ${name})
  endif()
  include(GoogleTest)
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()

# weft_fuzz(NAME SOURCES file... [DEPS target...]): with WEFT_FUZZ a libFuzzer program; without it a
# test that runs every file of the corpus tests/fuzz/corpus/NAME once.
function(weft_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE weft_flags ${arg_DEPS})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY
                                           ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(weft_fuzzers ${name})
  set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  if(WEFT_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz.${name}
             COMMAND ${PROJECT_SOURCE_DIR}/tests/fuzz/run-fuzz $<TARGET_FILE:${name}> ${corpus})
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_corpus.cc)
    add_test(NAME fuzz.${name} COMMAND ${name} ${corpus})
  endif()
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()

# weft_bench(NAME SOURCES file... [DEPS target...]): a Google Benchmark program, built where the
# library is there, run by scripts/bench.
function(weft_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  if(NOT TARGET benchmark::benchmark)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE weft_flags ${arg_DEPS} benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY
                                           ${CMAKE_BINARY_DIR}/bench)
endfunction()

# weft_golden(NAME EXIT code COMMAND program arg...): runs the command in tests/golden and compares
# what it prints (stdout and stderr) with NAME.out and its exit code with EXIT; UPDATE_GOLDEN=1 rewrites.
function(weft_golden name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXIT" "COMMAND")
  list(POP_FRONT arg_COMMAND program)
  add_test(NAME golden.${name}
           COMMAND ${PROJECT_SOURCE_DIR}/tests/golden/run-golden ${name} ${arg_EXIT}
                   $<TARGET_FILE:${program}> ${arg_COMMAND}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/golden)
  set_tests_properties(golden.${name} PROPERTIES LABELS golden TIMEOUT 60)
endfunction()
