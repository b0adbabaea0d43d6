# What the workbook does not write itself, found on the system or in the pack.
if(WORKBOOK_PACK)
  include(pack)
else()
  find_package(GTest REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(ZLIB REQUIRED)
endif()
find_package(benchmark QUIET)
# Beside our own pipeline of a loop (chapter 05); not where nothing can be installed.
if(WORKBOOK_BACKEND STREQUAL "host" AND NOT WORKBOOK_PACK)
  find_package(TBB REQUIRED)
else()
  find_package(TBB QUIET)
endif()
add_custom_target(benches)

add_library(workbook_thrust INTERFACE)
if(WORKBOOK_BACKEND STREQUAL "host")
  find_package(Thrust REQUIRED CONFIG)
  thrust_create_target(workbook_thrust_cpp HOST CPP DEVICE CPP)
  target_link_libraries(workbook_thrust INTERFACE workbook_thrust_cpp)
  # Debian's dnnl-config asks for OpenCL, which nothing here uses.
  find_library(DNNL_LIBRARY dnnl REQUIRED)
  find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.h REQUIRED)
  add_library(workbook_dnnl INTERFACE)
  target_link_libraries(workbook_dnnl INTERFACE ${DNNL_LIBRARY})
  target_include_directories(workbook_dnnl SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
else()
  find_package(CUDAToolkit REQUIRED)
  target_link_libraries(workbook_thrust INTERFACE CUDA::cudart)
  # CUDA 13 keeps Thrust in include/cccl, which nvcc finds and g++ does not.
  target_include_directories(workbook_thrust SYSTEM INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:${CUDAToolkit_INCLUDE_DIRS}>)
endif()

# Debian's packages for the lab as WebAssembly, as the script ./workbook installs them.
set(WORKBOOK_WASM_PACKAGES "clang lld libc++-dev-wasm32 libclang-rt-dev-wasm32")
