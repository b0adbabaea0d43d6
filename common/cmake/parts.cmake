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
    workbook_compile_quickly(${name}_test)
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
  if(benches AND TARGET benchmark::benchmark_main)
    add_executable(${name}_bench EXCLUDE_FROM_ALL ${benches})
    target_link_libraries(${name}_bench PRIVATE pipeline_${name} benchmark::benchmark_main)
    add_dependencies(benches ${name}_bench)
  endif()
endfunction()

# chapters/NN_name/main.cpp -> chNN, and test.cpp -> chNN_test.
function(workbook_chapters)
  foreach(kind main test)
    file(GLOB sources CONFIGURE_DEPENDS
      ${CMAKE_SOURCE_DIR}/chapters/[0-9][0-9]_*/${kind}.cpp)
    foreach(source ${sources})
      string(REGEX REPLACE ".*/chapters/([0-9][0-9])_.*" "ch\\1" chapter ${source})
      if(kind STREQUAL "main")
        set(program ${chapter})
        set(libraries "")
      else()
        set(program ${chapter}_test)
        set(libraries GTest::gtest_main)
        add_test(NAME ${chapter} COMMAND ${program})
      endif()
      add_executable(${program} ${source})
      target_link_libraries(${program}
        PRIVATE pipeline_classroom pipeline_runtime ${libraries})
      if(kind STREQUAL "test")
        # The test runs the program and holds what it prints against the page.
        get_filename_component(folder ${source} DIRECTORY)
        workbook_compile_quickly(${program})
        add_dependencies(${program} ${chapter})
        target_compile_definitions(${program} PRIVATE
          CHAPTER_PROGRAM="$<TARGET_FILE:${chapter}>"
          CHAPTER_PAGE="${folder}/README.md")
      endif()
    endforeach()
  endforeach()
endfunction()

# A worker has each inline function of its contract, called there or not. (clang-tidy,
# which reads the command, does not know the option.)
if(NOT CMAKE_CXX_CLANG_TIDY)
  set(WORKBOOK_KEEP_INLINE -fkeep-inline-functions)
endif()

# What contracts' inline functions and the wire's ends may need.
set(WORKBOOK_KIT_LIBRARIES $<TARGET_FILE:pipeline_rounds>
  $<TARGET_FILE:pipeline_timeline> $<TARGET_FILE:pipeline_schedule>)

# One program of an exercise: an answer, and the tests it is put to.
function(workbook_answer target number folder answer)
  add_executable(${target} ${answer})
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE ex${number}_tests workbook_exercise)
  # Not for clang-tidy: students' files, and starters and mistakes, which leave
  # arguments unused on purpose.
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/exercises CXX_CLANG_TIDY "")
endfunction()

# The two ends of the wire between the tests of an exercise and a worker that holds an
# answer, from its contract.
function(workbook_wire folder derived)
  add_custom_command(OUTPUT ${derived}/proxy.cpp ${derived}/shim.cpp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${derived}
    COMMAND derive_contract ${folder}/exercise.hpp ${derived}
    DEPENDS ${folder}/exercise.hpp derive_contract
    VERBATIM)
endfunction()

# One object to link an answer with: what `target` holds, and what that needs of
# `libraries`, but nothing else of the workbook, so that no answer can call what it is to
# write.
function(workbook_kit number derived target libraries)
  add_custom_command(OUTPUT ${derived}/kit.o
    COMMAND ${CMAKE_COMMAND} -E make_directory ${derived}
    COMMAND ${CMAKE_LINKER} -r -o ${derived}/kit.o
      $<TARGET_OBJECTS:${target}> ${libraries}
    DEPENDS ${target} $<TARGET_OBJECTS:${target}> ${libraries}
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(ex${number}_kit DEPENDS ${derived}/kit.o)
  # Whoever needs another kit makes it.
  get_property(judged GLOBAL PROPERTY WORKBOOK_JUDGED)
  if(TARGET grading_test AND number IN_LIST judged)
    add_dependencies(grading_test ex${number}_grade ex${number}_kit)
  endif()
endfunction()

# `./workbook grade` runs exNN_grade, the tests, and in a sandbox a worker: an answer
# that is linked with the kit, which is the shim and what exercise.hpp's own inline
# functions call.
function(workbook_grader number folder derived)
  set(hidden "")
  if(WORKBOOK_HIDDEN)  # an instructor's folder: see `./workbook grade --hidden`
    file(GLOB hidden CONFIGURE_DEPENDS ${WORKBOOK_HIDDEN}/${number}_*/*.cpp)
  endif()
  add_executable(ex${number}_grade EXCLUDE_FROM_ALL
    $<TARGET_OBJECTS:grade_main> ${derived}/proxy.cpp ${hidden})
  target_include_directories(ex${number}_grade PRIVATE ${folder})
  target_link_libraries(ex${number}_grade PRIVATE
    ex${number}_tests workbook_exercise pipeline_rounds)
  set_target_properties(ex${number}_grade PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/exercises)

  add_library(ex${number}_shim OBJECT EXCLUDE_FROM_ALL ${derived}/shim.cpp)
  target_include_directories(ex${number}_shim PRIVATE ${folder})
  target_link_libraries(ex${number}_shim PRIVATE workbook_settings)
  target_compile_options(ex${number}_shim PRIVATE ${WORKBOOK_KEEP_INLINE})
  workbook_kit(${number} ${derived} ex${number}_shim "${WORKBOOK_KIT_LIBRARIES}")
endfunction()

function(workbook_starter solution starter)
  get_filename_component(folder ${starter} DIRECTORY)
  add_custom_command(OUTPUT ${starter}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND derive_starter ${solution} ${starter}
    DEPENDS ${solution} derive_starter
    VERBATIM)
endfunction()

# exercises/NN_name and exercises/NNh_name (NN below is then NNh) ->
#   exNN                 the student's file; built by `check` alone, so that one that
#                        does not compile breaks nothing else
#   solNN                the solution
#   exNN_starter         what is left of the solution without its marked regions
#   exNN_mistake_NAME    the solution, with the wrong functions in mistakes/NAME.cpp
#                        in the place of its own
#   exNN_grade           the tests, with calls that go to a worker (grading/remote.hpp)
#   exNN_kit             what a student's file is linked with to make that worker
# all with the same test.cpp, which is compiled once. `exercises_test` runs them (but
# exNN) and proves that the tests find what they must find.
function(workbook_exercises)
  add_library(workbook_exercise INTERFACE)
  target_link_libraries(workbook_exercise INTERFACE
    pipeline_runtime pipeline_lab workbook_thrust GTest::gtest_main)
  add_executable(exercises_test ${CMAKE_SOURCE_DIR}/common/classroom/proof_main.cpp)
  target_link_libraries(exercises_test PRIVATE pipeline_classroom GTest::gtest)
  add_test(NAME exercises
    COMMAND exercises_test ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})

  # A folder that is not whole yet has no programs, which `exercises_test` reports.
  file(GLOB solutions CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/solutions/[0-9][0-9]_*/exercise.cpp
    ${CMAKE_SOURCE_DIR}/solutions/[0-9][0-9]h_*/exercise.cpp)
  file(GLOB tests CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/exercises/[0-9][0-9]_*/test.cpp
    ${CMAKE_SOURCE_DIR}/exercises/[0-9][0-9]h_*/test.cpp)
  file(GLOB answers CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/exercises/[0-9][0-9]_*/exercise.cpp
    ${CMAKE_SOURCE_DIR}/exercises/[0-9][0-9]h_*/exercise.cpp)
  foreach(solution ${solutions})
    get_filename_component(name ${solution} DIRECTORY)
    get_filename_component(name ${name} NAME)
    string(REGEX REPLACE "_.*" "" number ${name})
    set(folder ${CMAKE_SOURCE_DIR}/exercises/${name})
    if(NOT ${folder}/test.cpp IN_LIST tests)
      continue()
    endif()
    set(starter ${CMAKE_BINARY_DIR}/exercises/${name}/starter.cpp)
    file(GLOB mistakes CONFIGURE_DEPENDS ${folder}/mistakes/*.cpp)

    add_library(ex${number}_tests OBJECT ${folder}/test.cpp)
    target_include_directories(ex${number}_tests PRIVATE ${folder})
    target_link_libraries(ex${number}_tests PRIVATE workbook_exercise)
    # Answers may be anything: an index out of range ends the test, and reads nothing.
    target_compile_definitions(ex${number}_tests PRIVATE _GLIBCXX_ASSERTIONS)
    workbook_compile_quickly(ex${number}_tests)
    workbook_wire(${folder} ${CMAKE_BINARY_DIR}/exercises/${name})
    if(WORKBOOK_BACKEND STREQUAL "host" AND NOT WORKBOOK_SANITIZE)
      workbook_grader(${number} ${folder} ${CMAKE_BINARY_DIR}/exercises/${name})
    endif()

    workbook_starter(${solution} ${starter})
    # An unfinished function does not use its arguments yet; in the student's own file
    # no warning is an error.
    set_source_files_properties(${starter} ${mistakes} PROPERTIES
      COMPILE_OPTIONS -Wno-unused-parameter)
    set_source_files_properties(${folder}/exercise.cpp PROPERTIES
      COMPILE_OPTIONS "-Wno-unused-parameter;-Wno-error")
    # An exercise in Thrust is code for the device.
    file(STRINGS ${solution} thrust REGEX "#include <thrust/")
    if(thrust AND WORKBOOK_BACKEND STREQUAL "cuda")
      set_source_files_properties(
        ${starter} ${mistakes} ${folder}/exercise.cpp ${solution} PROPERTIES
        LANGUAGE CUDA COMPILE_OPTIONS -Xcompiler=-Wno-unused-parameter,-Wno-error)
    endif()

    if(${folder}/exercise.cpp IN_LIST answers)
      workbook_answer(ex${number} ${number} ${folder} ${folder}/exercise.cpp)
      set_target_properties(ex${number} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    # A mistake holds only the function that is wrong, and the solution has the rest:
    # the linker comes to libraries last, and with muldefs the first definition wins.
    # The solution is compiled as for a shared library, where any function may be
    # replaced by another of its name: its own calls then go by the name too, and are
    # neither inlined nor relied on to leave a register alone.
    add_library(ex${number}_solution STATIC ${solution})
    target_include_directories(ex${number}_solution PRIVATE ${folder})
    target_link_libraries(ex${number}_solution PRIVATE workbook_exercise)
    target_compile_options(ex${number}_solution PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fsemantic-interposition>)
    set_target_properties(ex${number}_solution PROPERTIES POSITION_INDEPENDENT_CODE ON)

    workbook_answer(sol${number} ${number} ${folder}
      $<TARGET_OBJECTS:ex${number}_solution>)
    workbook_answer(ex${number}_starter ${number} ${folder} ${starter})
    add_dependencies(exercises_test sol${number} ex${number}_starter)
    foreach(mistake ${mistakes})
      get_filename_component(mistake_name ${mistake} NAME_WE)
      set(target ex${number}_mistake_${mistake_name})
      workbook_answer(${target} ${number} ${folder} ${mistake})
      target_link_libraries(${target} PRIVATE ex${number}_solution)
      target_link_options(${target} PRIVATE LINKER:-z,muldefs)
      add_dependencies(exercises_test ${target})
    endforeach()
  endforeach()
endfunction()

# The answers that stand in where a test of exercise `number` is judged: the solution,
# and the solution with each of the mistakes, as programs in ${place} that serve calls.
# Those may be any, so that an index out of range ends them. ${place}/mistakes says what
# they are.
function(workbook_stand_ins number solution folder derived place)
  add_library(ex${number}_stand_in STATIC ${solution})
  set_target_properties(ex${number}_stand_in PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(ex${number}_stand_in PRIVATE -fsemantic-interposition)
  add_library(ex${number}_stand_in_main OBJECT ${derived}/shim.cpp)
  foreach(target ex${number}_stand_in ex${number}_stand_in_main)
    target_include_directories(${target} PRIVATE ${folder})
    target_link_libraries(${target} PRIVATE workbook_exercise)
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  endforeach()
  file(GLOB mistakes CONFIGURE_DEPENDS ${folder}/mistakes/*.cpp)
  file(REMOVE_RECURSE ${place}/mistakes)
  foreach(answer solution ${mistakes})
    get_filename_component(name ${answer} NAME_WE)
    set(target ex${number}_stand_in_${name})
    add_executable(${target} $<TARGET_OBJECTS:ex${number}_stand_in_main>)
    if(NOT answer STREQUAL "solution")
      target_sources(${target} PRIVATE ${answer})
      configure_file(${answer} ${place}/mistakes/${name}.cpp COPYONLY)
    endif()
    target_include_directories(${target} PRIVATE ${folder})
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
    target_link_libraries(${target} PRIVATE
      ex${number}_stand_in workbook_exercise pipeline_rounds)
    target_link_options(${target} PRIVATE LINKER:-z,muldefs)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${place} CXX_CLANG_TIDY "")
    add_dependencies(ex${number}t_tests ${target})
  endforeach()
endfunction()

# Two programs for the tests that a student wrote, or another answer of that kind: a
# worker that holds them, and what judges it, which starts it.
function(workbook_test_answer target number answer name)
  add_executable(${target}_worker ${answer} $<TARGET_OBJECTS:ex${number}_worker_main>)
  target_include_directories(${target}_worker PRIVATE
    ${CMAKE_SOURCE_DIR}/exercises ${CMAKE_SOURCE_DIR}/exercises/${name})
  target_link_libraries(${target}_worker PRIVATE
    pipeline_timeline pipeline_rounds GTest::gtest)
  add_executable(${target} $<TARGET_OBJECTS:ex${number}_tests>)
  target_link_libraries(${target} PRIVATE pipeline_rounds GTest::gtest)
  add_dependencies(${target} ${target}_worker ex${number}_tests)
  set_target_properties(${target} ${target}_worker PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/exercises CXX_CLANG_TIDY "")
endfunction()

# exercises/NNt_name, where the student writes the tests of exercise NN -> the same
# targets as above, of which exNNt and its like judge a worker exNNt_worker. There is no
# test.cpp: the cases are NN's mistakes (grading/rounds_main.cpp).
function(workbook_test_exercises)
  file(GLOB solutions CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/solutions/[0-9][0-9]t_*/exercise.cpp)
  foreach(solution ${solutions})
    get_filename_component(name ${solution} DIRECTORY)
    get_filename_component(name ${name} NAME)
    string(SUBSTRING ${name} 0 3 number)
    string(SUBSTRING ${name} 0 2 tested)
    set(folder ${CMAKE_SOURCE_DIR}/exercises/${name})
    set(derived ${CMAKE_BINARY_DIR}/exercises/${name})
    file(GLOB tested_solution ${CMAKE_SOURCE_DIR}/solutions/${tested}_*/exercise.cpp)
    get_filename_component(tested_name ${tested_solution} DIRECTORY)
    get_filename_component(tested_name ${tested_name} NAME)
    set(tested_folder ${CMAKE_SOURCE_DIR}/exercises/${tested_name})
    set(tested_derived ${CMAKE_BINARY_DIR}/exercises/${tested_name})

    add_library(ex${number}_tests OBJECT
      ${CMAKE_SOURCE_DIR}/common/grading/rounds_main.cpp)
    target_link_libraries(ex${number}_tests PRIVATE pipeline_rounds GTest::gtest)
    target_compile_definitions(ex${number}_tests PRIVATE
      STAND_INS="${name}/stand_ins")
    workbook_stand_ins(${tested} ${tested_solution} ${tested_folder} ${tested_derived}
      ${derived}/stand_ins)

    # The worker's end: the functions of the contract, which call, and a main program.
    add_library(ex${number}_worker_main OBJECT ${tested_derived}/proxy.cpp
      ${CMAKE_SOURCE_DIR}/common/grading/tests_worker_main.cpp)
    target_include_directories(ex${number}_worker_main PRIVATE ${tested_folder})
    target_link_libraries(ex${number}_worker_main PRIVATE
      workbook_settings GTest::gtest)
    set_source_files_properties(${tested_derived}/proxy.cpp PROPERTIES
      COMPILE_OPTIONS "${WORKBOOK_KEEP_INLINE}")
    if(WORKBOOK_BACKEND STREQUAL "host" AND NOT WORKBOOK_SANITIZE)
      add_executable(ex${number}_grade EXCLUDE_FROM_ALL
        $<TARGET_OBJECTS:ex${number}_tests>)
      target_link_libraries(ex${number}_grade PRIVATE pipeline_rounds GTest::gtest)
      add_dependencies(ex${number}_grade ex${number}_tests)
      set_target_properties(ex${number}_grade PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/exercises)
      # GoogleTest itself is in the kit, and an answer needs no other library.
      workbook_kit(${number} ${derived} ex${number}_worker_main
        "${WORKBOOK_KIT_LIBRARIES};$<TARGET_FILE:GTest::gtest>")
    endif()

    file(GLOB answer CONFIGURE_DEPENDS ${folder}/exercise.cpp)
    if(answer)
      set_source_files_properties(${answer} PROPERTIES COMPILE_OPTIONS -Wno-error)
      workbook_test_answer(ex${number} ${number} ${answer} ${name})
      set_target_properties(ex${number} ex${number}_worker PROPERTIES
        EXCLUDE_FROM_ALL ON)
    endif()
    workbook_starter(${solution} ${derived}/starter.cpp)
    workbook_test_answer(sol${number} ${number} ${solution} ${name})
    workbook_test_answer(ex${number}_starter ${number} ${derived}/starter.cpp ${name})
    add_dependencies(exercises_test sol${number} ex${number}_starter)
    file(GLOB mistakes CONFIGURE_DEPENDS ${folder}/mistakes/*.cpp)
    foreach(mistake ${mistakes})
      get_filename_component(mistake_name ${mistake} NAME_WE)
      set(target ex${number}_mistake_${mistake_name})
      workbook_test_answer(${target} ${number} ${mistake} ${name})
      add_dependencies(exercises_test ${target})
    endforeach()
  endforeach()
endfunction()
