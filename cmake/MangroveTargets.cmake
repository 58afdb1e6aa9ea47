# How the libraries are made: one per room and backend, gathered by mangrove::cpu and mangrove::cuda.

# Warnings for a target of ours. They are private: users of the headers keep their own.
function(mangrove_set_warnings target)
  set(cxx_warnings -Wall -Wextra -Wpedantic)
  set(cuda_warnings -Xcompiler=-Wall,-Wextra)  # -Wpedantic dislikes the line markers that nvcc writes
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlapping copies inside of std::string's own functions (its bug 105651).
    list(APPEND cxx_warnings -Wno-restrict)
    list(APPEND cuda_warnings -Xcompiler=-Wno-restrict)
  endif()
  if(MANGROVE_WERROR)
    list(APPEND cxx_warnings -Werror)
    list(APPEND cuda_warnings -Werror=all-warnings)
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${cxx_warnings}>
                                           $<$<COMPILE_LANGUAGE:CUDA>:${cuda_warnings}>)
endfunction()

# Splits the sources under FOLDER: *.cu and *_cuda.cpp are for the CUDA backend, all other *.cpp for the CPU's.
function(mangrove_glob_sources folder cpu_sources cuda_sources)
  file(GLOB_RECURSE cpu CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE cuda CONFIGURE_DEPENDS ${folder}/*.cu ${folder}/*_cuda.cpp)
  list(FILTER cpu EXCLUDE REGEX "_cuda\\.cpp$")
  set(${cpu_sources} ${cpu} PARENT_SCOPE)
  set(${cuda_sources} ${cuda} PARENT_SCOPE)
endfunction()

# A static library, or an interface library while there are no SOURCES; ${TARGET_scope} tells which.
function(mangrove_add_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC;PRIVATE")
  string(REGEX REPLACE "^mangrove_" "" short_name ${target})
  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    mangrove_set_warnings(${target})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC})
  endif()
  add_library(mangrove::${short_name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${short_name})
  set_property(GLOBAL APPEND PROPERTY mangrove_installed_targets ${target})
  set(${target}_scope ${scope} PARENT_SCOPE)
endfunction()

# Makes mangrove_NAME of src/**.cpp and, with CUDA, mangrove_NAME_cuda of src/**.cu and src/**_cuda.cpp.
#   ROOMS         rooms that this one may include (their libraries of the same backend are linked publicly)
#   PUBLIC        libraries that the public headers need; PRIVATE those that only the sources need
#   CUDA_PUBLIC, CUDA_PRIVATE   the same for the CUDA library
function(mangrove_add_room)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "ROOMS;PUBLIC;PRIVATE;CUDA_PUBLIC;CUDA_PRIVATE")
  mangrove_glob_sources(${CMAKE_CURRENT_SOURCE_DIR}/src cpu_sources cuda_sources)

  list(TRANSFORM arg_ROOMS PREPEND mangrove_ OUTPUT_VARIABLE cpu_rooms)
  set(target mangrove_${arg_NAME})
  mangrove_add_library(${target} SOURCES ${cpu_sources} PUBLIC ${cpu_rooms} ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  set(${target}_scope ${${target}_scope} PARENT_SCOPE)
  target_compile_features(${target} ${${target}_scope} cxx_std_20)
  target_include_directories(${target} ${${target}_scope} $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
  set_property(GLOBAL APPEND PROPERTY mangrove_rooms ${arg_NAME})
  set_property(GLOBAL APPEND PROPERTY mangrove_include_directories ${CMAKE_CURRENT_SOURCE_DIR}/include)

  if(MANGROVE_HAS_CUDA)
    list(TRANSFORM cpu_rooms APPEND _cuda OUTPUT_VARIABLE cuda_rooms)
    mangrove_add_library(${target}_cuda SOURCES ${cuda_sources} PRIVATE ${arg_CUDA_PRIVATE}
                         PUBLIC ${target} ${cuda_rooms} ${arg_CUDA_PUBLIC})
    set(${target}_cuda_scope ${${target}_cuda_scope} PARENT_SCOPE)
  endif()
endfunction()

# mangrove::cpu and mangrove::cuda: all rooms up to here.
function(mangrove_add_umbrellas)
  get_property(rooms GLOBAL PROPERTY mangrove_rooms)
  list(TRANSFORM rooms PREPEND mangrove_)
  mangrove_add_library(mangrove_cpu PUBLIC ${rooms})
  if(MANGROVE_HAS_CUDA)
    list(TRANSFORM rooms APPEND _cuda OUTPUT_VARIABLE cuda_rooms)
    mangrove_add_library(mangrove_cuda PUBLIC mangrove_cpu ${cuda_rooms})
    target_compile_definitions(mangrove_cuda INTERFACE MANGROVE_HAS_CUDA=1)
  endif()
endfunction()

function(mangrove_add_optional_subdirectory folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()

# librmm.so and what it needs come with the wheels. They are copied into lib/ of the build folder, and programs look for
# them there by a relative path, so that a copy of the programs and lib/ runs on another machine.
function(mangrove_add_runtime_libraries)
  set(copies)
  foreach(library IN ITEMS rmm::rmm rapids_logger::rapids_logger)
    get_target_property(file ${library} LOCATION)
    cmake_path(GET file FILENAME name)
    set(copy ${PROJECT_BINARY_DIR}/lib/${name})
    add_custom_command(OUTPUT ${copy} COMMAND ${CMAKE_COMMAND} -E copy ${file} ${copy} DEPENDS ${file}
                       COMMENT "Copying ${name}" VERBATIM)
    list(APPEND copies ${copy})
    if(MANGROVE_INSTALL)
      install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()
  endforeach()
  add_custom_target(mangrove_runtime_libraries ALL DEPENDS ${copies})
endfunction()

function(mangrove_use_runtime_libraries target)
  if(MANGROVE_HAS_RAFT)
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                          INSTALL_RPATH "\$ORIGIN/../lib;\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    add_dependencies(${target} mangrove_runtime_libraries)
  endif()
endfunction()
