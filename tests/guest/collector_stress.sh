# SPDX-License-Identifier: MIT
# Threads on two processors at once, each trace audited: from inside and from outside. One trace in 130 begins within 16
# branches of the lock that they share. There a prediction is wrong if another thread takes or leaves it meanwhile; such a
# trace is dropped. Of 5,728 audits from inside 0.8 % were wrong: 3 % of 300 are chance once in 4,000 rounds.
[ "$(nproc)" = 2 ] || fail "the guest has $(nproc) processors"
wrong=3
for round in 1 2; do
  same stress 300 "-c 500us" ./habits stress
done
wrong=1.5 # 2 of 1,214
same outside_stress 150 "--ptrace -c 1ms" ./habits stress
exit $failed
