# SPDX-License-Identifier: Apache-2.0
# Every dependency of the project, in one place. All come from Debian 12 packages (scripts/setup).
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)  # module mode: Debian ships no CMake package for it
find_package(absl CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(ZLIB REQUIRED)  # captures in gzip
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)  # captures in zstd
pkg_check_modules(PCAP IMPORTED_TARGET libpcap)  # live capture, filters; without it neither
pkg_check_modules(ISAL IMPORTED_TARGET libisal)  # checksums at speed; without it our own tables

if(WEFT_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark CONFIG)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
