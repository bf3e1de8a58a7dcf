# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="vim"

title() {
  vim --version | sed -n '1s/VIM - Vi IMproved \([0-9.]*\).*/vim \1: macros, substitutions and a script on 20,000 lines/p'
}

prepare() {
  seq -f 'line %.0f of a file, with words and numbers' 20000 >"$input/text"
  cat >"$input/script.vim" <<'END'
set nocompatible nomore
%s/\<\(\w\)\(\w*\)\>/\U\1\L\2/g
g/7$/move 0
global/3 of/normal Aend
sort n /Line /
let sum = 0
for n in range(1, line('$'))
  let sum += len(getline(n)) * (n % 7)
endfor
call append(0, 'sum ' . sum)
w! result
qa!
END
}

run() {
  "$@" vim -u NONE -i NONE -n -es -S "$input/script.vim" "$input/text" </dev/null || :
  sha256sum result
  head -n 1 result
}
