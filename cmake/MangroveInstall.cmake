# Installation, and the package files behind find_package(mangrove).

if(NOT MANGROVE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

get_property(targets GLOBAL PROPERTY mangrove_installed_targets)
if(TARGET mangrove_io)
  list(APPEND targets mangrove_io)
  get_property(io_include TARGET mangrove_io PROPERTY SOURCE_DIR)
  set_property(GLOBAL APPEND PROPERTY mangrove_include_directories ${io_include}/include)
endif()
list(REMOVE_DUPLICATES targets)
set(cuda_targets ${targets})
list(FILTER targets EXCLUDE REGEX "_cuda$")
list(FILTER cuda_targets INCLUDE REGEX "_cuda$")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/mangrove)

# Two sets, so that a machine without a CUDA toolkit can use the CPU half of an installation.
install(TARGETS ${targets} EXPORT mangrove-cpu INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mangrove-cpu FILE mangrove-cpu.cmake NAMESPACE mangrove:: DESTINATION ${package_folder})
if(MANGROVE_HAS_CUDA)
  install(TARGETS ${cuda_targets} EXPORT mangrove-cuda INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT mangrove-cuda FILE mangrove-cuda.cmake NAMESPACE mangrove:: DESTINATION ${package_folder})
endif()

get_property(include_directories GLOBAL PROPERTY mangrove_include_directories)
list(REMOVE_DUPLICATES include_directories)
foreach(folder IN LISTS include_directories)
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} OPTIONAL)
endforeach()
if(TARGET mangrove)
  install(TARGETS mangrove)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mangrove-config.cmake.in mangrove-config.cmake
                              INSTALL_DESTINATION ${package_folder})
# Before 1.0 every minor version may change the interface.
write_basic_package_version_file(mangrove-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/mangrove-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/mangrove-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/MangroveCuda20.cmake
        DESTINATION ${package_folder})
