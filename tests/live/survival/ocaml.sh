# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="ocaml ocamlopt"

title() {
  ocamlopt -version | sed 's/\(.*\)/ocaml \1: native program built and run, and its byte code/'
}

prepare() {
  cat >"$input/work.ml" <<'END'
module M = Map.Make (String)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let () =
  let m = ref M.empty and s = ref 1 in
  for i = 1 to 100000 do
    s := (!s * 1103515245 + 12345) land 0x7fffffff;
    let k = "k" ^ string_of_int (!s mod 5003) in
    m := M.update k (function None -> Some i | Some v -> Some (v + i)) !m
  done;
  Printf.printf "%d %d\n" (M.cardinal !m) (M.fold (fun k v a -> (a * 31 + v + String.length k) mod 1000003) !m 0);
  Printf.printf "%d\n" (fib 29);
  (try ignore (1 / (fib 0)) with Division_by_zero -> print_endline "zero");
  let l = List.init 200000 (fun i -> i * 7919 mod 100003) in
  Printf.printf "%d\n" (List.fold_left (fun a x -> (a * 17 + x) mod 999983) 0 (List.sort compare l))
END
}

run() {
  cp "$input/work.ml" .
  "$@" ocamlopt -o work work.ml || return
  "$@" ./work
  "$@" ocaml work.ml
}
