# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="erl erlc"

title() {
  erl -noshell -eval 'io:format("erlang ~s: JIT, 2000 processes, messages, binaries~n", [erlang:system_info(otp_release)]), halt().'
}

prepare() {
  cat >"$input/work.erl" <<'END'
-module(work).
-export([main/0]).
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
ring(0, First) -> First ! done, ok;
ring(N, First) -> P = spawn(fun() -> receive {go, V} -> First ! {sum, V * N rem 97} end end), P ! {go, N}, ring(N - 1, First).
collect(0, A) -> A;
collect(N, A) -> receive {sum, V} -> collect(N - 1, A + V) end.
main() ->
    io:format("~p~n", [fib(27)]),
    ring(2000, self()),
    receive done -> ok end,
    io:format("~p~n", [collect(2000, 0)]),
    L = lists:sort([N * 7919 rem 100003 || N <- lists:seq(1, 200000)]),
    io:format("~p~n", [erlang:phash2(L)]),
    B = << <<(N rem 251)>> || N <- lists:seq(1, 500000) >>,
    io:format("~p ~p~n", [erlang:md5(B), byte_size(zlib:compress(B))]),
    io:format("~p~n", [catch 1 div length([])]),
    halt().
END
}

run() {
  cp "$input/work.erl" .
  "$@" erlc work.erl || return
  HOME=$PWD "$@" erl +S 2:2 -noshell -s work main 2>&1 | grep -v 'work.erl'
}
