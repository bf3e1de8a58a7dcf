
;; Function compared (_Z8comparedRK6holderIlLi5EES2_, funcdef_no=2, decl_uid=2413, cgraph_uid=2, symbol_order=1)

Abnormal edge 5 to 1 put to tree
Normal edge 2 to 4 put to tree
Normal edge 0 to 2 put to tree
Normal edge 3 to 5 put to tree
6 basic blocks
7 edges
0 ignored edges
3 instrumentation edges
bool compared (const struct holder & a, const struct holder & b)
{
  long int _1;
  bool iftmp.0_2;
  long int _6;
  long int _7;

;;   basic block 2, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW, REACHABLE, VISITED)
;;    pred:       ENTRY [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line 11
  [forms.cc:26:2] # DEBUG BEGIN_STMT
  [forms.cc:26:2] # DEBUG this => a_4(D)
  [forms.cc:26:2] # DEBUG other => b_5(D)
  [forms.cc:9:7] # DEBUG INLINE_ENTRY _ZNK6holderIlLi5EEltERKS0_
  [forms.cc:11:15] _6 = [forms.cc:11:15] [forms.cc:11:10] a_4(D)->items[0];
  [forms.cc:11:32] _7 = [forms.cc:11:32] [forms.cc:11:27] b_5(D)->items[0];
  [forms.cc:26:11] # DEBUG this => NULL
  [forms.cc:26:11] # DEBUG other => NULL
  [forms.cc:26:15] if (_6 < _7)
    goto <bb 3>; [50.00%]
  else
    goto <bb 4>; [50.00%]
;;    succ:       3 [50.0% (guessed)]  count:536870912 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                4 [50.0% (guessed)]  count:536870912 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 3, loop depth 0, count 536870913 (estimated locally), maybe hot
;;    prev block 2, next block 4, flags: (NEW, REACHABLE, VISITED)
;;    pred:       2 [50.0% (guessed)]  count:536870912 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;   starting at line 26, discriminator 1
  [forms.cc:26:27] _1 = [forms.cc:26:27] [forms.cc:26:20] b_5(D)->items[1];
  [forms.cc:26:15] if (_1 > 3)
    goto <bb 5>; [50.00%]
  else
    goto <bb 4>; [50.00%]
;;    succ:       5 [50.0% (guessed)]  count:268435457 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                4 [50.0% (guessed)]  count:268435457 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 4, loop depth 0, count 805306369 (estimated locally), maybe hot
;;    prev block 3, next block 5, flags: (NEW, REACHABLE, VISITED)
;;    pred:       2 [50.0% (guessed)]  count:536870912 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;;                3 [50.0% (guessed)]  count:268435457 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;; , discriminator 4
;;    succ:       5 [always]  count:805306369 (estimated locally) (FALLTHRU,EXECUTABLE)

;;   basic block 5, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 4, next block 1, flags: (NEW, REACHABLE, VISITED)
;;    pred:       3 [50.0% (guessed)]  count:268435457 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                4 [always]  count:805306369 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line 26, discriminator 6
  # iftmp.0_2 = PHI <[forms.cc:26:15] 1(3), [forms.cc:26:15] 0(4)>
  [forms.cc:26:31] return iftmp.0_2;
;;    succ:       EXIT [always]  count:1073741824 (estimated locally) (EXECUTABLE) forms.cc:26:31

}


Edge 2 to 3 instrumented
Edge 3 to 4 instrumented (and split)
Edge 4 to 5 instrumented
3 edges instrumented

;; Function caught (_Z6caughtP4basei, funcdef_no=1, decl_uid=2401, cgraph_uid=1, symbol_order=0)

fix_loop_structure: fixing up loops for function
Abnormal edge 3 to 1 put to tree
Abnormal edge 7 to 1 put to tree
Abnormal edge 6 to 1 put to tree
Abnormal edge 2 to 1 put to tree
Abnormal edge 5 to 1 put to tree
Normal edge 4 to 6 put to tree
8 basic blocks
12 edges
0 ignored edges
6 instrumentation edges
int caught (struct base * b, int x)
{
  int e;
  int (*) () * _1;
  int (*) () _2;
  void * _3;
  int _4;
  int _10;
  int * _12;
  int _14;

;;   basic block 2, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW, VISITED)
;;    pred:       ENTRY [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line 18
  [forms.cc:17:2] # DEBUG BEGIN_STMT
  [forms.cc:18:3] # DEBUG BEGIN_STMT
  [forms.cc:18:16] _1 = b_7(D)->_vptr.base;
  [forms.cc:18:16] _2 = [forms.cc:18:16] *_1;
  [forms.cc:18:16] _10 = OBJ_TYPE_REF(_2;(struct base)b_7(D)->0B) (b_7(D), x_8(D));
;;    succ:       4 [never]  count:0 (precise) (EH,EXECUTABLE)
;;                3 [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)
;;                EXIT [never (guessed)]  count:0 (estimated locally) (FAKE)

;;   basic block 3, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 2, next block 4, flags: (NEW, VISITED)
;;    pred:       2 [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)
;;                7 [never]  count:0 (precise) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  # _4 = PHI <[forms.cc:18:16] _10(2), [forms.cc:20:22] _14(7)>
  return _4;
;;    succ:       EXIT [always]  count:1073741824 (estimated locally) (EXECUTABLE)

;;   basic block 4, loop depth 0, count 0 (precise), probably never executed
;;    prev block 3, next block 5, flags: (NEW, VISITED)
;;    pred:       2 [never]  count:0 (precise) (EH,EXECUTABLE)
;;   starting at line -1
<L1>:
  [forms.cc:19:4] eh_dispatch 1
;;    succ:       6 [never]  count:0 (precise) (EXECUTABLE)
;;                5 [never]  count:0 (precise) (FALLTHRU,EXECUTABLE)

;;   basic block 5, loop depth 0, count 0 (precise), probably never executed
;;    prev block 4, next block 6, flags: (NEW, VISITED)
;;    pred:       4 [never]  count:0 (precise) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  resx 1
;;    succ:       EXIT [never (guessed)]  count:0 (precise) (FAKE)

;;   basic block 6, loop depth 0, count 0 (precise), probably never executed
;;    prev block 5, next block 7, flags: (NEW, VISITED)
;;    pred:       4 [never]  count:0 (precise) (EXECUTABLE)
;;   starting at line -1, discriminator 1
<L2>:
  [forms.cc:19:15] _3 = __builtin_eh_pointer (1);
  [forms.cc:19:15] _12 = __cxa_begin_catch (_3);
;;    succ:       7 [always]  count:0 (precise) (FALLTHRU)
;;                EXIT [never (guessed)]  count:0 (precise) (FAKE)

;;   basic block 7, loop depth 0, count 0 (precise), probably never executed
;;    prev block 6, next block 1, flags: (NEW)
;;    pred:       6 [always]  count:0 (precise) (FALLTHRU)
;;   starting at line 19, discriminator 1
  [forms.cc:19:15] e_13 = [forms.cc:19:15] *_12;
  [forms.cc:19:15] # DEBUG e => e_13
  [forms.cc:20:3] # DEBUG BEGIN_STMT
  [forms.cc:20:22] _14 = MAX_EXPR <e_13, 3>;
  [forms.cc:21:2] __cxa_end_catch ();
  goto <bb 3>; [0.00%]
;;    succ:       3 [never]  count:0 (precise) (FALLTHRU,EXECUTABLE)
;;                EXIT [never (guessed)]  count:0 (precise) (FAKE)

}


Stmt _10 = OBJ_TYPE_REF(_2;b_7(D)->0B) (b_7(D), x_8(D));
Edge 0 to 2 instrumented
Edge 2 to 4 instrumented
Edge 2 to 3 instrumented (and split)
Edge 4 to 5 instrumented
Edge 6 to 7 instrumented
Edge 7 to 3 instrumented
6 edges instrumented
Removing basic block 8
;; basic block 8, loop depth 0
;;  pred:      
;;  succ:       2


Removing basic block 12
;; basic block 12, loop depth 0
;;  pred:      
;;  succ:       6


fix_loop_structure: fixing up loops for function

Updating SSA:
creating PHI node in block #4 for .MEM
creating PHI node in block #6 for .MEM
creating PHI node in block #9 for .MEM
creating PHI node in block #10 for .MEM
Registering new PHI nodes in block #0
Registering new PHI nodes in block #2
Updating SSA information for statement _17 = __gcov_indirect_call.D.2451;
Registering new PHI nodes in block #3
Updating SSA information for statement __gcov_indirect_call_profiler_v4 (1323679870, compared);
Registering new PHI nodes in block #4
Updating SSA information for statement _14 = __gcov7._Z8comparedRK6holderIlLi5EES2_[0];
Registering new PHI nodes in block #5
Updating SSA information for statement time_profile_15 = __gcov_time_profiler_counter;
Updating SSA information for statement __gcov7._Z8comparedRK6holderIlLi5EES2_[0] = time_profile_16;
Updating SSA information for statement __gcov_time_profiler_counter = time_profile_16;
Registering new PHI nodes in block #6
Updating SSA information for statement _6 = a_4(D)->items[0];
Updating SSA information for statement _7 = b_5(D)->items[0];
Registering new PHI nodes in block #7
Updating SSA information for statement PROF_edge_counter_8 = __gcov0._Z8comparedRK6holderIlLi5EES2_[0];
Updating SSA information for statement __gcov0._Z8comparedRK6holderIlLi5EES2_[0] = PROF_edge_counter_9;
Updating SSA information for statement _1 = b_5(D)->items[1];
Registering new PHI nodes in block #8
Updating SSA information for statement PROF_edge_counter_10 = __gcov0._Z8comparedRK6holderIlLi5EES2_[1];
Updating SSA information for statement __gcov0._Z8comparedRK6holderIlLi5EES2_[1] = PROF_edge_counter_11;
Registering new PHI nodes in block #9
Updating SSA information for statement PROF_edge_counter_12 = __gcov0._Z8comparedRK6holderIlLi5EES2_[2];
Updating SSA information for statement __gcov0._Z8comparedRK6holderIlLi5EES2_[2] = PROF_edge_counter_13;
Registering new PHI nodes in block #10
Updating SSA information for statement return iftmp.0_2;

Symbols to be put in SSA form
{ D.2440 }
Incremental SSA update started at block: 0
Number of blocks in CFG: 11
Number of blocks to update: 10 ( 91%)
Affected blocks: 0 2 3 4 5 6 7 8 9 10


Introduced new external node (__gcov_indirect_call_profiler_v4/18).
Merging blocks 6 and 7
Removing basic block 10
;; basic block 10, loop depth 0
;;  pred:      
;;  succ:       2


Removing basic block 14
;; basic block 14, loop depth 0
;;  pred:      
;;  succ:       8


fix_loop_structure: fixing up loops for function

Updating SSA:
creating PHI node in block #4 for .MEM
creating PHI node in block #6 for .MEM
Registering new PHI nodes in block #0
Registering new PHI nodes in block #2
Updating SSA information for statement _32 = __gcov_indirect_call.D.2451;
Registering new PHI nodes in block #3
Updating SSA information for statement __gcov_indirect_call_profiler_v4 (1639714435, caught);
Registering new PHI nodes in block #4
Updating SSA information for statement PROF_edge_counter_16 = __gcov0._Z6caughtP4basei[0];
Updating SSA information for statement __gcov0._Z6caughtP4basei[0] = PROF_edge_counter_17;
Updating SSA information for statement _29 = __gcov7._Z6caughtP4basei[0];
Registering new PHI nodes in block #5
Updating SSA information for statement time_profile_30 = __gcov_time_profiler_counter;
Updating SSA information for statement __gcov7._Z6caughtP4basei[0] = time_profile_31;
Updating SSA information for statement __gcov_time_profiler_counter = time_profile_31;
Registering new PHI nodes in block #6
Updating SSA information for statement _1 = b_7(D)->_vptr.base;
Updating SSA information for statement _2 = *_1;
Updating SSA information for statement __gcov_indirect_call.D.2452 = &__gcov4._Z6caughtP4basei[0];
Updating SSA information for statement __gcov_indirect_call.D.2451 = PROF_28;
Updating SSA information for statement _10 = OBJ_TYPE_REF(_2;b_7(D)->0B) (b_7(D), x_8(D));
Registering new PHI nodes in block #7
Updating SSA information for statement PROF_edge_counter_20 = __gcov0._Z6caughtP4basei[2];
Updating SSA information for statement __gcov0._Z6caughtP4basei[2] = PROF_edge_counter_21;
Registering new PHI nodes in block #9
Updating SSA information for statement PROF_edge_counter_18 = __gcov0._Z6caughtP4basei[1];
Updating SSA information for statement __gcov0._Z6caughtP4basei[1] = PROF_edge_counter_19;
Registering new PHI nodes in block #10
Updating SSA information for statement PROF_edge_counter_22 = __gcov0._Z6caughtP4basei[3];
Updating SSA information for statement __gcov0._Z6caughtP4basei[3] = PROF_edge_counter_23;
Registering new PHI nodes in block #11
Updating SSA information for statement _3 = __builtin_eh_pointer (1);
Updating SSA information for statement _12 = __cxa_begin_catch (_3);
Updating SSA information for statement PROF_edge_counter_24 = __gcov0._Z6caughtP4basei[4];
Updating SSA information for statement __gcov0._Z6caughtP4basei[4] = PROF_edge_counter_25;
Updating SSA information for statement e_13 = *_12;
Updating SSA information for statement __cxa_end_catch ();
Updating SSA information for statement PROF_edge_counter_26 = __gcov0._Z6caughtP4basei[5];
Updating SSA information for statement __gcov0._Z6caughtP4basei[5] = PROF_edge_counter_27;
Registering new PHI nodes in block #8
Updating SSA information for statement return _4;

Symbols to be put in SSA form
{ D.2438 }
Incremental SSA update started at block: 0
Number of blocks in CFG: 12
Number of blocks to update: 11 ( 92%)
Affected blocks: 0 2 3 4 5 6 7 8 9 10 11


Symbol table:

__gcov_time_profiler_counter/19 (long int __gcov_time_profiler_counter) @0x7f2643b8a380
  Type: variable
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: _Z8comparedRK6holderIlLi5EES2_/1 (read) _Z8comparedRK6holderIlLi5EES2_/1 (write) _Z6caughtP4basei/0 (read) _Z6caughtP4basei/0 (write) 
  Availability: not_available
  Varpool flags:
__gcov_indirect_call_profiler_v4/18 (__gcov_indirect_call_profiler_v4) @0x7f2643b74cc0
  Type: function
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: _Z6caughtP4basei/0 (1073741824 (estimated locally),1.00 per call) _Z8comparedRK6holderIlLi5EES2_/1 (1073741824 (estimated locally),1.00 per call) 
  Calls: 
__gcov7._Z6caughtP4basei/17 (long int __gcov7._Z6caughtP4basei [1]) @0x7f2643b8a300
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: _Z6caughtP4basei/0 (read) _Z6caughtP4basei/0 (write) 
  Availability: available
  Varpool flags:
__gcov4._Z6caughtP4basei/16 (long int __gcov4._Z6caughtP4basei [3]) @0x7f2643b8a280
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: _Z6caughtP4basei/0 (addr) 
  Availability: available
  Varpool flags:
__gcov0._Z6caughtP4basei/15 (long int __gcov0._Z6caughtP4basei [6]) @0x7f2643b8a200
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: _Z6caughtP4basei/0 (read) _Z6caughtP4basei/0 (write) _Z6caughtP4basei/0 (read) _Z6caughtP4basei/0 (write) _Z6caughtP4basei/0 (read) _Z6caughtP4basei/0 (write) _Z6caughtP4basei/0 (read) _Z6caughtP4basei/0 (write) _Z6caughtP4basei/0 (read) _Z6caughtP4basei/0 (write) _Z6caughtP4basei/0 (read) _Z6caughtP4basei/0 (write) 
  Availability: available
  Varpool flags:
__gcov7._Z8comparedRK6holderIlLi5EES2_/14 (long int __gcov7._Z8comparedRK6holderIlLi5EES2_ [1]) @0x7f2643b8a180
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: _Z8comparedRK6holderIlLi5EES2_/1 (read) _Z8comparedRK6holderIlLi5EES2_/1 (write) 
  Availability: available
  Varpool flags:
__gcov0._Z8comparedRK6holderIlLi5EES2_/13 (long int __gcov0._Z8comparedRK6holderIlLi5EES2_ [3]) @0x7f2643b8a100
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: _Z8comparedRK6holderIlLi5EES2_/1 (read) _Z8comparedRK6holderIlLi5EES2_/1 (write) _Z8comparedRK6holderIlLi5EES2_/1 (read) _Z8comparedRK6holderIlLi5EES2_/1 (write) _Z8comparedRK6holderIlLi5EES2_/1 (read) _Z8comparedRK6holderIlLi5EES2_/1 (write) 
  Availability: available
  Varpool flags:
__gcov_indirect_call/12 (indirect_call_tuple __gcov_indirect_call) @0x7f2643b8a080
  Type: variable
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: _Z8comparedRK6holderIlLi5EES2_/1 (read) _Z6caughtP4basei/0 (read) _Z6caughtP4basei/0 (write) _Z6caughtP4basei/0 (write) 
  Availability: not_available
  Varpool flags: tls-initial-exec
__cxa_pure_virtual/11 (void __cxa_pure_virtual()) @0x7f2643b74bb0
  Type: function
  Visibility: semantic_interposition external public weak visibility_specified artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags: indirect_call_target
  Called by: 
  Calls: 
_ZTIi/10 (const __fundamental_type_info_pseudo_2 _ZTIi) @0x7f26443add00
  Type: variable
  Body removed by symtab_remove_unreachable_nodes
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: _Z6caughtP4basei/0 (addr) 
  Availability: not_available
  Varpool flags: read-only
__gxx_personality_v0/9 (__gxx_personality_v0) @0x7f2643b74aa0
  Type: function
  Visibility: semantic_interposition external public artificial
  Address is taken.
  References: 
  Referring: _Z6caughtP4basei/0 (addr) 
  Availability: not_available
  Function flags:
  Called by: 
  Calls: 
__cxa_end_catch/8 (void __cxa_end_catch()) @0x7f2643b74990
  Type: function
  Visibility: semantic_interposition external public visibility_specified artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: _Z6caughtP4basei/0 (0 (precise),0.00 per call) 
  Calls: 
__cxa_begin_catch/7 (void* __cxa_begin_catch(void*)) @0x7f2643b74880
  Type: function
  Visibility: semantic_interposition external public visibility_specified artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: _Z6caughtP4basei/0 (0 (precise),0.00 per call) 
  Calls: 
__builtin_eh_pointer/6 (void* __builtin_eh_pointer(int)) @0x7f2643b74770
  Type: function
  Visibility: semantic_interposition external public visibility_specified artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: _Z6caughtP4basei/0 (0 (precise),0.00 per call) 
  Calls: 
_Z8comparedRK6holderIlLi5EES2_/1 (bool compared(const holder<long int, 5>&, const holder<long int, 5>&)) @0x7f2643b74440
  Type: function definition analyzed
  Visibility: externally_visible semantic_interposition public
  Address is taken.
  References: __gcov_indirect_call/12 (read) _Z8comparedRK6holderIlLi5EES2_/1 (addr) __gcov7._Z8comparedRK6holderIlLi5EES2_/14 (read) __gcov_time_profiler_counter/19 (read) __gcov7._Z8comparedRK6holderIlLi5EES2_/14 (write) __gcov_time_profiler_counter/19 (write) __gcov0._Z8comparedRK6holderIlLi5EES2_/13 (read) __gcov0._Z8comparedRK6holderIlLi5EES2_/13 (write) __gcov0._Z8comparedRK6holderIlLi5EES2_/13 (read) __gcov0._Z8comparedRK6holderIlLi5EES2_/13 (write) __gcov0._Z8comparedRK6holderIlLi5EES2_/13 (read) __gcov0._Z8comparedRK6holderIlLi5EES2_/13 (write) 
  Referring: _Z8comparedRK6holderIlLi5EES2_/1 (addr) 
  Availability: available
  Profile id: 1323679870
  Function flags: count:1073741824 (estimated locally) body
  Called by: 
  Calls: __gcov_indirect_call_profiler_v4/18 (1073741824 (estimated locally),1.00 per call) 
_Z6caughtP4basei/0 (int caught(base*, int)) @0x7f2643b74330
  Type: function definition analyzed
  Visibility: externally_visible semantic_interposition public
  Address is taken.
  References: __gcov_indirect_call/12 (read) _Z6caughtP4basei/0 (addr) __gcov0._Z6caughtP4basei/15 (read) __gcov0._Z6caughtP4basei/15 (write) __gcov7._Z6caughtP4basei/17 (read) __gcov_time_profiler_counter/19 (read) __gcov7._Z6caughtP4basei/17 (write) __gcov_time_profiler_counter/19 (write) __gcov_indirect_call/12 (write) __gcov4._Z6caughtP4basei/16 (addr) __gcov_indirect_call/12 (write) __gcov0._Z6caughtP4basei/15 (read) __gcov0._Z6caughtP4basei/15 (write) __gcov0._Z6caughtP4basei/15 (read) __gcov0._Z6caughtP4basei/15 (write) __gcov0._Z6caughtP4basei/15 (read) __gcov0._Z6caughtP4basei/15 (write) __gcov0._Z6caughtP4basei/15 (read) __gcov0._Z6caughtP4basei/15 (write) __gcov0._Z6caughtP4basei/15 (read) __gcov0._Z6caughtP4basei/15 (write) __gxx_personality_v0/9 (addr) _ZTIi/10 (addr) 
  Referring: _Z6caughtP4basei/0 (addr) 
  Availability: available
  Profile id: 1639714435
  Function flags: count:1073741824 (estimated locally) body
  Called by: 
  Calls: __cxa_end_catch/8 (0 (precise),0.00 per call) __cxa_begin_catch/7 (0 (precise),0.00 per call) __builtin_eh_pointer/6 (0 (precise),0.00 per call) __gcov_indirect_call_profiler_v4/18 (1073741824 (estimated locally),1.00 per call) 
   Polymorphic indirect call of type struct base token:0(1073741824 (estimated locally),1.00 per call) num speculative call targets: 0
    Outer type (dynamic):struct base (or a derived type) (maybe in construction) offset 0
bool compared (const struct holder & a, const struct holder & b)
{
  long int _1;
  bool iftmp.0_2;
  long int _6;
  long int _7;
  long int PROF_edge_counter_8;
  long int PROF_edge_counter_9;
  long int PROF_edge_counter_10;
  long int PROF_edge_counter_11;
  long int PROF_edge_counter_12;
  long int PROF_edge_counter_13;
  long int _14;
  long int time_profile_15;
  long int time_profile_16;
  void * _17;

;;   basic block 2, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW)
;;    pred:       ENTRY [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  _17 = __gcov_indirect_call.D.2451;
  if (_17 != 0B)
    goto <bb 3>; [20.00%]
  else
    goto <bb 4>; [80.00%]
;;    succ:       3 [20.0% (guessed)]  count:214748360 (estimated locally) (TRUE_VALUE)
;;                4 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)

;;   basic block 3, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 214748360 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 2, next block 4, flags: (NEW)
;;    pred:       2 [20.0% (guessed)]  count:214748360 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  __gcov_indirect_call_profiler_v4 (1323679870, _Z8comparedRK6holderIlLi5EES2_);
;;    succ:       4 [always]  count:1073741824 (estimated locally) (FALLTHRU)

;;   basic block 4, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 1932735288 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 3, next block 5, flags: (NEW)
;;    pred:       2 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)
;;                3 [always]  count:1073741824 (estimated locally) (FALLTHRU)
;;   starting at line -1
  _14 = __gcov7._Z8comparedRK6holderIlLi5EES2_[0];
  if (_14 == 0)
    goto <bb 5>; [20.00%]
  else
    goto <bb 6>; [80.00%]
;;    succ:       5 [20.0% (guessed)]  count:214748360 (estimated locally) (TRUE_VALUE)
;;                6 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)

;;   basic block 5, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 214748360 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 4, next block 6, flags: (NEW)
;;    pred:       4 [20.0% (guessed)]  count:214748360 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  time_profile_15 = __gcov_time_profiler_counter;
  time_profile_16 = time_profile_15 + 1;
  __gcov7._Z8comparedRK6holderIlLi5EES2_[0] = time_profile_16;
  __gcov_time_profiler_counter = time_profile_16;
;;    succ:       6 [always]  count:1073741824 (estimated locally) (FALLTHRU)

;;   basic block 6, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 1932735288 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 5, next block 7, flags: (NEW, REACHABLE, VISITED)
;;    pred:       4 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)
;;                5 [always]  count:1073741824 (estimated locally) (FALLTHRU)
;;   starting at line 11
  [forms.cc:26:2] # DEBUG BEGIN_STMT
  [forms.cc:26:2] # DEBUG this => a_4(D)
  [forms.cc:26:2] # DEBUG other => b_5(D)
  [forms.cc:9:7] # DEBUG INLINE_ENTRY _ZNK6holderIlLi5EEltERKS0_
  [forms.cc:11:15] _6 = [forms.cc:11:15] [forms.cc:11:10] a_4(D)->items[0];
  [forms.cc:11:32] _7 = [forms.cc:11:32] [forms.cc:11:27] b_5(D)->items[0];
  [forms.cc:26:11] # DEBUG this => NULL
  [forms.cc:26:11] # DEBUG other => NULL
  [forms.cc:26:15] if (_6 < _7)
    goto <bb 7>; [50.00%]
  else
    goto <bb 9>; [50.00%]
;;    succ:       7 [50.0% (guessed)]  count:536870912 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                9 [50.0% (guessed)]  count:536870912 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 7, loop depth 0, count 536870913 (estimated locally), maybe hot
;;    prev block 6, next block 8, flags: (NEW, REACHABLE, VISITED)
;;    pred:       6 [50.0% (guessed)]  count:536870912 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;   starting at line -1, discriminator 1
  PROF_edge_counter_8 = __gcov0._Z8comparedRK6holderIlLi5EES2_[0];
  PROF_edge_counter_9 = PROF_edge_counter_8 + 1;
  __gcov0._Z8comparedRK6holderIlLi5EES2_[0] = PROF_edge_counter_9;
  [forms.cc:26:27] _1 = [forms.cc:26:27] [forms.cc:26:20] b_5(D)->items[1];
  [forms.cc:26:15] if (_1 > 3)
    goto <bb 10>; [50.00%]
  else
    goto <bb 8>; [50.00%]
;;    succ:       10 [50.0% (guessed)]  count:268435457 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                8 [50.0% (guessed)]  count:268435457 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 8, loop depth 0, count 268435457 (estimated locally), maybe hot
;;    prev block 7, next block 9, flags: (NEW)
;;    pred:       7 [50.0% (guessed)]  count:268435457 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;;   starting at line -1
  PROF_edge_counter_10 = __gcov0._Z8comparedRK6holderIlLi5EES2_[1];
  PROF_edge_counter_11 = PROF_edge_counter_10 + 1;
  __gcov0._Z8comparedRK6holderIlLi5EES2_[1] = PROF_edge_counter_11;
;;    succ:       9 [always]  count:268435457 (estimated locally) (FALLTHRU)

;;   basic block 9, loop depth 0, count 805306369 (estimated locally), maybe hot
;;    prev block 8, next block 10, flags: (NEW, REACHABLE, VISITED)
;;    pred:       6 [50.0% (guessed)]  count:536870912 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;;                8 [always]  count:268435457 (estimated locally) (FALLTHRU)
;;   starting at line -1, discriminator 4
  PROF_edge_counter_12 = __gcov0._Z8comparedRK6holderIlLi5EES2_[2];
  PROF_edge_counter_13 = PROF_edge_counter_12 + 1;
  __gcov0._Z8comparedRK6holderIlLi5EES2_[2] = PROF_edge_counter_13;
;;    succ:       10 [always]  count:805306369 (estimated locally) (FALLTHRU,EXECUTABLE)

;;   basic block 10, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 9, next block 1, flags: (NEW, REACHABLE, VISITED)
;;    pred:       7 [50.0% (guessed)]  count:268435457 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                9 [always]  count:805306369 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line 26, discriminator 6
  # iftmp.0_2 = PHI <[forms.cc:26:15] 1(7), [forms.cc:26:15] 0(9)>
  [forms.cc:26:31] return iftmp.0_2;
;;    succ:       EXIT [always]  count:1073741824 (estimated locally) (EXECUTABLE) forms.cc:26:31

}


int caught (struct base * b, int x)
{
  int e;
  int (*) () * _1;
  int (*) () _2;
  void * _3;
  int _4;
  int _10;
  int * _12;
  int _14;
  long int PROF_edge_counter_16;
  long int PROF_edge_counter_17;
  long int PROF_edge_counter_18;
  long int PROF_edge_counter_19;
  long int PROF_edge_counter_20;
  long int PROF_edge_counter_21;
  long int PROF_edge_counter_22;
  long int PROF_edge_counter_23;
  long int PROF_edge_counter_24;
  long int PROF_edge_counter_25;
  long int PROF_edge_counter_26;
  long int PROF_edge_counter_27;
  void * PROF_28;
  long int _29;
  long int time_profile_30;
  long int time_profile_31;
  void * _32;

;;   basic block 2, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW)
;;    pred:       ENTRY [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  _32 = __gcov_indirect_call.D.2451;
  if (_32 != 0B)
    goto <bb 3>; [20.00%]
  else
    goto <bb 4>; [80.00%]
;;    succ:       3 [20.0% (guessed)]  count:214748360 (estimated locally) (TRUE_VALUE)
;;                4 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)

;;   basic block 3, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 214748360 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 2, next block 4, flags: (NEW)
;;    pred:       2 [20.0% (guessed)]  count:214748360 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  __gcov_indirect_call_profiler_v4 (1639714435, _Z6caughtP4basei);
;;    succ:       4 [always]  count:1073741824 (estimated locally) (FALLTHRU)

;;   basic block 4, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 1932735288 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 3, next block 5, flags: (NEW)
;;    pred:       2 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)
;;                3 [always]  count:1073741824 (estimated locally) (FALLTHRU)
;;   starting at line -1
  PROF_edge_counter_16 = __gcov0._Z6caughtP4basei[0];
  PROF_edge_counter_17 = PROF_edge_counter_16 + 1;
  __gcov0._Z6caughtP4basei[0] = PROF_edge_counter_17;
  _29 = __gcov7._Z6caughtP4basei[0];
  if (_29 == 0)
    goto <bb 5>; [20.00%]
  else
    goto <bb 6>; [80.00%]
;;    succ:       5 [20.0% (guessed)]  count:214748360 (estimated locally) (TRUE_VALUE)
;;                6 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)

;;   basic block 5, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 214748360 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 4, next block 6, flags: (NEW)
;;    pred:       4 [20.0% (guessed)]  count:214748360 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  time_profile_30 = __gcov_time_profiler_counter;
  time_profile_31 = time_profile_30 + 1;
  __gcov7._Z6caughtP4basei[0] = time_profile_31;
  __gcov_time_profiler_counter = time_profile_31;
;;    succ:       6 [always]  count:1073741824 (estimated locally) (FALLTHRU)

;;   basic block 6, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 1932735288 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 5, next block 7, flags: (NEW, VISITED)
;;    pred:       4 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)
;;                5 [always]  count:1073741824 (estimated locally) (FALLTHRU)
;;   starting at line 18
  [forms.cc:17:2] # DEBUG BEGIN_STMT
  [forms.cc:18:3] # DEBUG BEGIN_STMT
  [forms.cc:18:16] _1 = b_7(D)->_vptr.base;
  [forms.cc:18:16] _2 = [forms.cc:18:16] *_1;
  __gcov_indirect_call.D.2452 = &__gcov4._Z6caughtP4basei[0];
  PROF_28 = [obj_type_ref] OBJ_TYPE_REF(_2;(struct base)b_7(D)->0B);
  __gcov_indirect_call.D.2451 = PROF_28;
  [forms.cc:18:16] _10 = OBJ_TYPE_REF(_2;(struct base)b_7(D)->0B) (b_7(D), x_8(D));
;;    succ:       9 [never]  count:0 (precise) (EH,EXECUTABLE)
;;                7 [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)

;;   basic block 7, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 6, next block 8, flags: (NEW)
;;    pred:       6 [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  PROF_edge_counter_20 = __gcov0._Z6caughtP4basei[2];
  PROF_edge_counter_21 = PROF_edge_counter_20 + 1;
  __gcov0._Z6caughtP4basei[2] = PROF_edge_counter_21;
;;    succ:       8 [always]  count:1073741824 (estimated locally) (FALLTHRU)

;;   basic block 8, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 7, next block 9, flags: (NEW, VISITED)
;;    pred:       7 [always]  count:1073741824 (estimated locally) (FALLTHRU)
;;                11 [never]  count:0 (precise) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  # _4 = PHI <[forms.cc:18:16] _10(7), [forms.cc:20:22] _14(11)>
  return _4;
;;    succ:       EXIT [always]  count:1073741824 (estimated locally) (EXECUTABLE)

;;   basic block 9, loop depth 0, count 0 (precise), probably never executed
;;    prev block 8, next block 10, flags: (NEW, VISITED)
;;    pred:       6 [never]  count:0 (precise) (EH,EXECUTABLE)
;;   starting at line -1
<L1>:
  PROF_edge_counter_18 = __gcov0._Z6caughtP4basei[1];
  PROF_edge_counter_19 = PROF_edge_counter_18 + 1;
  __gcov0._Z6caughtP4basei[1] = PROF_edge_counter_19;
  [forms.cc:19:4] eh_dispatch 1
;;    succ:       11 [never]  count:0 (precise) (EXECUTABLE)
;;                10 [never]  count:0 (precise) (FALLTHRU,EXECUTABLE)

;;   basic block 10, loop depth 0, count 0 (precise), probably never executed
;;    prev block 9, next block 11, flags: (NEW, VISITED)
;;    pred:       9 [never]  count:0 (precise) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  PROF_edge_counter_22 = __gcov0._Z6caughtP4basei[3];
  PROF_edge_counter_23 = PROF_edge_counter_22 + 1;
  __gcov0._Z6caughtP4basei[3] = PROF_edge_counter_23;
  resx 1
;;    succ:      

;;   basic block 11, loop depth 0, count 0 (precise), probably never executed
;;    prev block 10, next block 1, flags: (NEW, VISITED)
;;    pred:       9 [never]  count:0 (precise) (EXECUTABLE)
;;   starting at line -1, discriminator 1
<L2>:
  [forms.cc:19:15] _3 = __builtin_eh_pointer (1);
  [forms.cc:19:15] _12 = __cxa_begin_catch (_3);
  PROF_edge_counter_24 = __gcov0._Z6caughtP4basei[4];
  PROF_edge_counter_25 = PROF_edge_counter_24 + 1;
  __gcov0._Z6caughtP4basei[4] = PROF_edge_counter_25;
  [forms.cc:19:15] e_13 = [forms.cc:19:15] *_12;
  [forms.cc:19:15] # DEBUG e => e_13
  [forms.cc:20:3] # DEBUG BEGIN_STMT
  [forms.cc:20:22] _14 = MAX_EXPR <e_13, 3>;
  [forms.cc:21:2] __cxa_end_catch ();
  PROF_edge_counter_26 = __gcov0._Z6caughtP4basei[5];
  PROF_edge_counter_27 = PROF_edge_counter_26 + 1;
  __gcov0._Z6caughtP4basei[5] = PROF_edge_counter_27;
  goto <bb 8>; [0.00%]
;;    succ:       8 [never]  count:0 (precise) (FALLTHRU,EXECUTABLE)

}


