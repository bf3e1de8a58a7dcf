# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="tmux"

title() {
  tmux -V | sed 's/\(.*\)/\1: a server of its own, windows, panes, output of their shells/'
}

prepare() {
  :
}

ask() {
  tmux -S socket -f /dev/null "$@"
}

run() {
  export HOME="$PWD" SHELL=/bin/sh TERM=screen
  unset TMUX
  "$@" tmux -S socket -f /dev/null -D >log 2>&1 &
  server=$!
  wait_until ask new-session -d -x 100 -y 40 -s one 'sh' || {
    cat log
    return 1
  }
  for i in 1 2 3; do
    ask new-window -t one: "seq $((i * 3000)); echo end of \$((6 * $i)); cat"
    ask split-window -t one: "yes line | head -n 4000 | cat -n; echo part $i; cat"
  done
  for i in 1 2 3; do
    for pane in 0 1; do
      wait_until sh -c "tmux -S socket capture-pane -p -t one:$i.$pane | grep -q '^end of\|^part'"
      ask capture-pane -p -t "one:$i.$pane" | grep -v '^Pane\|^$' | tail -n 5
    done
  done
  ask list-windows -F '#{window_index} #{window_panes}'
  ask kill-server
  status=0
  wait $server || status=$?
  # a server that is killed ends with either, as it comes: 27 and 33 of 60 without softlbr
  [ $status != 1 ] || status=0
  echo "status $status"
}
