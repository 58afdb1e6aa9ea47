# Finds the CUDA compiler and RAFT. Sets MANGROVE_HAS_CUDA and MANGROVE_HAS_RAFT.

include(CheckLanguage)

set(MANGROVE_HAS_CUDA OFF)
set(MANGROVE_HAS_RAFT OFF)

if(NOT MANGROVE_CUDA STREQUAL OFF)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "The GPUs to compile for")
  endif()
  # A toolkit's own installer puts nothing on the PATH. The variable is what check_language tries; a compiler that does not
  # work counts as none.
  if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(MANGROVE_NVCC nvcc PATHS /usr/local/cuda/bin)
    if(MANGROVE_NVCC)
      set(ENV{CUDACXX} ${MANGROVE_NVCC})
    endif()
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    include(MangroveCuda20)
    find_package(CUDAToolkit REQUIRED)
    set(MANGROVE_HAS_CUDA ON)
  elseif(MANGROVE_CUDA STREQUAL AUTO)
    message(STATUS "No working CUDA compiler: building the CPU backend alone")
  else()
    message(FATAL_ERROR "MANGROVE_CUDA=ON, but no working CUDA compiler was found: put nvcc on the PATH or set "
                        "CUDACXX to it")
  endif()
endif()

if(MANGROVE_HAS_CUDA AND NOT MANGROVE_RAFT STREQUAL OFF)
  if(CMAKE_VERSION VERSION_LESS 4.0)
    # RAFT's package files stop an older CMake with an error instead of reporting themselves as not found.
    if(MANGROVE_RAFT STREQUAL ON)
      message(FATAL_ERROR "MANGROVE_RAFT=ON needs CMake 4.0 or newer, this is ${CMAKE_VERSION}")
    endif()
  else()
    # The wheels put their libraries into lib64 on systems whose own libraries lie in lib.
    set_property(GLOBAL PROPERTY FIND_LIBRARY_USE_LIB64_PATHS TRUE)
    if(MANGROVE_RAFT STREQUAL ON)
      find_package(raft REQUIRED)
    else()
      find_package(raft QUIET)
    endif()
    set(MANGROVE_HAS_RAFT ${raft_FOUND})
  endif()
endif()
