# cmake -DPROGRAM=softlbr -DTEMPLATES=DIRECTORY -DTO=DIRECTORY -P completions.cmake: the shells' completions, from
# the program's own tables of options (cli/completion.c). A cross build's program is run by EMULATOR.
execute_process(COMMAND ${EMULATOR} ${PROGRAM} --completion-table OUTPUT_VARIABLE TABLE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "([\\\\'])" "\\\\\\1" FISH_TABLE "${TABLE}")
foreach(shell bash zsh fish)
  configure_file(${TEMPLATES}/softlbr.${shell}.in ${TO}/softlbr.${shell} @ONLY)
endforeach()
