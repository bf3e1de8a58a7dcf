# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
needs="gdb gdbserver gcc"

title() {
  gdbserver --version | sed -n '1s/.*) \([0-9.]*\).*/gdbserver \1: a program stopped 20 times at a breakpoint/p'
}

prepare() {
  printf 'int count;\n__attribute__((noinline)) void here(int n) { count += n; }\nint main(void)\n{\n\tfor (int i = 0; i < 20; i++)\n\t\there(i);\n\treturn count %% 100;\n}\n' >"$input/work.c"
  gcc -g -O0 -o "$input/work" "$input/work.c"
  printf 'set pagination off\nset height 0\nbreak here\ncommands\nsilent\nprintf "at %%d\\n", n\ncontinue\nend\ncontinue\n' >"$input/script"
}

run() {
  port=$(free_port)
  "$@" gdbserver --once "127.0.0.1:$port" "$input/work" >log 2>&1 &
  server=$!
  wait_until grep -q Listening log
  gdb -nx -batch -ex "target remote 127.0.0.1:$port" -x "$input/script" "$input/work" 2>/dev/null | sed -n 's,^at.*,&,p;s,.*exited,exited,p'
  wait $server || :
}
