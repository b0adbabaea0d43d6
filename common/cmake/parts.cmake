# How folders become targets. Adding a part, a chapter or an exercise means adding a
# folder: no list is edited.

# workbook_part(NAME [CORE] [THRUST] [DEPENDS part…] [LIBRARIES target…])
#   x.cpp        in the static library pipeline_NAME
#   x_host.cpp   only in a host build; x_cuda.cpp only in a cuda build (compiled by nvcc
#                where the part says THRUST)
#   x_test.cpp   in the test program NAME_test;  x_bench.cpp in NAME_bench
# CORE: no exceptions, and the same bits on every compiler.
# THRUST: on cuda every source is compiled by nvcc.
function(workbook_part name)
  cmake_parse_arguments(arg "CORE;THRUST" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|_main)\\.cpp$")
  if(WORKBOOK_BACKEND STREQUAL "host")
    list(FILTER sources EXCLUDE REGEX "_cuda\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "_host\\.cpp$")
    if(arg_THRUST)
      set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
    endif()
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND pipeline_)

  if(sources)
    add_library(pipeline_${name} STATIC ${sources})
    target_link_libraries(pipeline_${name}
      PUBLIC workbook_settings ${arg_DEPENDS} ${arg_LIBRARIES})
    if(arg_CORE)
      target_compile_options(pipeline_${name} PRIVATE -fno-exceptions -ffp-contract=off)
    endif()
    if(arg_THRUST)
      target_link_libraries(pipeline_${name} PRIVATE workbook_thrust)
    endif()
  else()
    add_library(pipeline_${name} INTERFACE)
    target_link_libraries(pipeline_${name}
      INTERFACE workbook_settings ${arg_DEPENDS} ${arg_LIBRARIES})
  endif()
  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE pipeline_${name} GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
  if(benches AND TARGET benchmark::benchmark_main)
    add_executable(${name}_bench EXCLUDE_FROM_ALL ${benches})
    target_link_libraries(${name}_bench PRIVATE pipeline_${name} benchmark::benchmark_main)
  endif()
endfunction()

# chapters/NN_name -> chNN (the program) and chNN_test.
function(workbook_chapters)
  file(GLOB folders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/chapters/[0-9][0-9]_*)
  foreach(folder ${folders})
    get_filename_component(name ${folder} NAME)
    string(SUBSTRING ${name} 0 2 number)
    add_executable(ch${number} ${folder}/main.cpp)
    target_link_libraries(ch${number} PRIVATE pipeline_classroom pipeline_runtime)
    add_executable(ch${number}_test ${folder}/test.cpp)
    target_link_libraries(ch${number}_test
      PRIVATE pipeline_classroom pipeline_runtime GTest::gtest_main)
    add_test(NAME ch${number} COMMAND ch${number}_test)
  endforeach()
endfunction()

function(workbook_exercises)
endfunction()
