# Finds an installed ns-3, repairs its targets, and sets ${libNAME} for each module, as in an ns-3
# tree. Read by our build and, once installed, by find_package(edgepipe).

find_package(ns3 REQUIRED)

get_property(ns3_targets DIRECTORY PROPERTY IMPORTED_TARGETS)
list(FILTER ns3_targets INCLUDE REGEX "^ns3::lib")
foreach(target IN LISTS ns3_targets)
  string(REPLACE "ns3::" "" variable ${target})
  set(${variable} ${target})
  # The package exports headers and libraries of -dev packages that it does not depend on (GSL,
  # libxml2, SQLite, Python). edgepipe uses none of them, so they need not be installed.
  foreach(property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_LINK_LIBRARIES)
    get_target_property(values ${target} ${property})
    if(values)
      foreach(value IN LISTS values)
        if(IS_ABSOLUTE "${value}" AND NOT EXISTS "${value}")
          list(REMOVE_ITEM values "${value}")
        endif()
      endforeach()
      set_target_properties(${target} PROPERTIES ${property} "${values}")
    endif()
  endforeach()
endforeach()

# Debian builds its packages so (debian/rules: release profile, logs on) and exports none of it.
# It must be repeated: with NS3_LOG_ENABLE some classes (UdpClient) have one member more.
set_target_properties(ns3::libcore PROPERTIES
  INTERFACE_COMPILE_DEFINITIONS "NS3_BUILD_PROFILE_RELEASE;NS3_LOG_ENABLE"
)
