# Test programs run once, and what takes time is what they call: they are compiled
# quickly. GoogleTest's header alone takes a second in each of some 250 files, so it is
# compiled ahead.

# After the target's other options. Under sanitizers the tests' own loops count too, and
# those builds, as clang-tidy's, show that each file includes what it needs; they also
# give the warnings that g++ 12 gives falsely at -O1.
function(workbook_compile_quickly target)
  if(WORKBOOK_SANITIZE OR CMAKE_CXX_CLANG_TIDY)
    return()
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-O1> $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>)
  # As in tests of exercises, which need it: a header is compiled ahead for one setting.
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  if(TARGET workbook_gtest_header AND NOT target STREQUAL workbook_gtest_header)
    target_precompile_headers(${target} REUSE_FROM workbook_gtest_header)
  endif()
endfunction()

# ccache cannot keep what used a header compiled ahead.
if(NOT WORKBOOK_SANITIZE AND NOT CMAKE_CXX_CLANG_TIDY
    AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gtest_header.cpp CONTENT "")
  add_library(workbook_gtest_header OBJECT ${CMAKE_BINARY_DIR}/gtest_header.cpp)
  target_link_libraries(workbook_gtest_header PRIVATE workbook_settings GTest::gtest)
  workbook_compile_quickly(workbook_gtest_header)
  target_precompile_headers(workbook_gtest_header PRIVATE <gtest/gtest.h>)
endif()
