# The same libraries out of a folder that `./workbook gpu-check --pack DIR` filled, for
# machines where nothing can be installed.
set(BUILD_GMOCK OFF CACHE BOOL "" FORCE)
set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
add_subdirectory(${WORKBOOK_PACK}/googletest ${CMAKE_BINARY_DIR}/googletest
  EXCLUDE_FROM_ALL)

add_library(workbook_pack INTERFACE)
target_include_directories(workbook_pack SYSTEM INTERFACE ${WORKBOOK_PACK}/include)
target_link_libraries(workbook_settings INTERFACE workbook_pack)
add_library(CLI11::CLI11 ALIAS workbook_pack)
add_library(nlohmann_json::nlohmann_json ALIAS workbook_pack)

# The node's own zlib, if it can be compiled against.
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  add_library(workbook_zlib INTERFACE)
  target_link_libraries(workbook_zlib INTERFACE ${WORKBOOK_PACK}/lib/libz.a)
  target_include_directories(workbook_zlib SYSTEM INTERFACE ${WORKBOOK_PACK}/include)
  add_library(ZLIB::ZLIB ALIAS workbook_zlib)
endif()
