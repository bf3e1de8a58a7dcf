# cmake -DPROFILE=FILE -DUSE=FLAGS -DFLAGS=FILE -P softlbr-flags.cmake: have the response file FLAGS hold the flags that
# USE the PROFILE, or none while there is no PROFILE. It is as new as what it says (softlbr-training.cmake).
set(wanted "")
if(EXISTS ${PROFILE})
  set(wanted "${USE}\n")
endif()
set(present none)
if(EXISTS ${FLAGS})
  file(READ ${FLAGS} present)
endif()
if(NOT present STREQUAL wanted OR (wanted AND ${PROFILE} IS_NEWER_THAN ${FLAGS}))
  file(WRITE ${FLAGS} "${wanted}")
endif()
