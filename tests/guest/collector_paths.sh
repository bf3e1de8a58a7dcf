# SPDX-License-Identifier: MIT
# Traces of cycle.c are pieces of the path that single steps show: by look-ahead, by breakpoints at all branches, and by
# the paper's algorithm; from inside and from outside.
setarch -R ./cycle_branches $begin ./cycle 3 >path || fail "the path by single steps"
record full 15 --depth=32 --stack=32 --audit=1 -c 1ms --timer-correction=off -- ./cycle 200 >cycle.out
record outside 10 --ptrace --depth=32 --stack=32 --audit=1 -c 500us --timer-correction=off -- ./cycle 60 >cycle.out
record static 0 --depth=128 --stack=128 --lookahead=static -c 1ms -- ./cycle 20 >cycle.out
record off 0 --depth=64 --lookahead=off -c 500us -- ./cycle 20 >cycle.out
record static_outside 0 --ptrace --depth=64 --lookahead=static -c 500us -- ./cycle 40 >cycle.out
python3 collector_cycle.py path 200 0 full.data outside.data || fail "traces that are no pieces of the path"
python3 collector_cycle.py path 100 0 static.data off.data static_outside.data || fail "traces without look-ahead"
record long 0 --depth=2048 --stack=2048 --audit=1 -c 5ms -- ./cycle 4000 >cycle.out
python3 collector_cycle.py path 2048 2048 long.data || fail "long traces that are no pieces of the path"
# Behind svc the kernel's time ends, for which its timer waited.
for way in "" --ptrace; do
  record in_kernel 0 $way --depth=16 -c 500us --timer-correction=off -- ./in_kernel 300000
  python3 -c "
import json
c = json.load(open('in_kernel.json'))['counters']
print('%d traces, %d samples were the kernel\'s' % (c['traces'], c['in_kernel']))
assert c['traces'] > 100 and c['in_kernel'] > 20" || fail "in_kernel $way"
done
exit $failed
