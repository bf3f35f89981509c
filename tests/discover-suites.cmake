# cmake -DPROGRAM=FILE -DPREFIX=NAME -DTRACES=FOLDER -DLIST=FILE -P discover-suites.cmake: writes for
# ctest one test per suite of a GoogleTest program, those called Long* with the label `long`. One per TEST
# starts the program ten times as often.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n[^ \n]+\\." suites "${said}")
if(NOT suites)
  message(FATAL_ERROR "${PROGRAM}: found no suite of tests")
endif()
set(list "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "\n|\\.$" "" suite "${suite}")
  set(label "")
  if(suite MATCHES "^Long")
    set(label " LABELS long")
  endif()
  string(APPEND list "add_test([=[${PREFIX}.${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n"
         "set_tests_properties([=[${PREFIX}.${suite}]=] PROPERTIES TIMEOUT 2400"
         " ENVIRONMENT [=[EDGEPIPE_TRACES=${TRACES}]=]${label})\n")
endforeach()
file(WRITE ${LIST} "${list}")
