# cmake -DFROM=FILE -DTO=FILE.h -DNAME=NAME -P embed.cmake: FILE as the C array NAME, without a NUL.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "static const unsigned char ${NAME}[] = {\n${bytes}};\n")
