
;; Function other (other, funcdef_no=3, decl_uid=2013, cgraph_uid=4, symbol_order=3)

Abnormal edge 4 to 1 put to tree
Abnormal edge 3 to 1 put to tree
Normal edge 2 to 4 put to tree
5 basic blocks
6 edges
0 ignored edges
3 instrumentation edges
int other (int x)
{
  unsigned int x.5_1;
  unsigned int _2;
  int iftmp.4_3;
  int iftmp.4_8;

;;   basic block 2, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW, VISITED)
;;    pred:       ENTRY [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line 7
  [a file.y:7:20] # DEBUG BEGIN_STMT
  [a file.y:7:33] x.5_1 = (unsigned int) x_5(D);
  [a file.y:7:33] _2 = x.5_1 + 4294967292;
  [a file.y:7:53] if (_2 <= 4)
    goto <bb 3>; [33.00%]
  else
    goto <bb 4>; [67.00%]
;;    succ:       3 [33.0% (guessed)]  count:354334800 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                4 [67.0% (guessed)]  count:719407024 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 3, loop depth 0, count 354334800 (estimated locally), maybe hot
;;    prev block 2, next block 4, flags: (NEW, VISITED)
;;    pred:       2 [33.0% (guessed)]  count:354334800 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;   starting at line 7, discriminator 1
  [a file.y:7:44] iftmp.4_8 = add_1 (x_5(D));
;;    succ:       4 [always]  count:354334800 (estimated locally) (FALLTHRU,EXECUTABLE)
;;                EXIT [never (guessed)]  count:0 (estimated locally) (FAKE)

;;   basic block 4, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 3, next block 1, flags: (NEW, VISITED)
;;    pred:       3 [always]  count:354334800 (estimated locally) (FALLTHRU,EXECUTABLE)
;;                2 [67.0% (guessed)]  count:719407024 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;;   starting at line 7, discriminator 4
  # iftmp.4_3 = PHI <[a file.y:7:44] iftmp.4_8(3), [a file.y:7:53] x_5(D)(2)>
  [a file.y:7:53] return iftmp.4_3;
;;    succ:       EXIT [always]  count:1073741824 (estimated locally) (EXECUTABLE) a file.y:7:53

}


Edge 0 to 2 instrumented
Edge 2 to 3 instrumented
Edge 3 to 4 instrumented
3 edges instrumented

;; Function values (values, funcdef_no=2, decl_uid=2005, cgraph_uid=3, symbol_order=2)

Abnormal edge 7 to 1 put to tree
Normal edge 6 to 3 put to tree
Normal edge 5 to 6 put to tree
Normal edge 4 to 5 put to tree
Normal edge 6 to 7 put to tree
Normal edge 2 to 6 put to tree
8 basic blocks
9 edges
0 ignored edges
3 instrumentation edges
void values (char * to, const char * from, unsigned int n, unsigned int by)
{
  unsigned int i;
  long unsigned int _1;
  unsigned int _2;
  sizetype _3;
  const char * _4;
  char _5;
  unsigned int _6;
  sizetype _7;
  char * _8;
  char iftmp.3_10;

;;   basic block 2, loop depth 0, count 118111600 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW, VISITED)
;;    pred:       ENTRY [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line 37
  [forms.c:37:2] # DEBUG BEGIN_STMT
  [forms.c:37:2] _1 = (long unsigned int) n_12(D);
  [forms.c:37:2] memcpy (to_14(D), from_15(D), _1);
  [forms.c:38:2] # DEBUG BEGIN_STMT
  [forms.c:38:7] # DEBUG BEGIN_STMT
  [forms.c:38:16] # DEBUG i => 0
  [forms.c:38:2] goto <bb 6>; [100.00%]
;;    succ:       6 [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:38:2

;;   basic block 3, loop depth 1, count 955630225 (estimated locally), maybe hot
;;    prev block 2, next block 4, flags: (NEW, VISITED)
;;    pred:       6 [89.0% (guessed)]  count:955630224 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;   starting at line 38, discriminator 7
  [forms.c:38:35] # DEBUG BEGIN_STMT
  [forms.c:38:55] _2 = i_9 % by_17(D);
  [forms.c:38:55] _3 = (sizetype) _2;
  [forms.c:38:52] _4 = from_15(D) + _3;
  [forms.c:38:52] _5 = [forms.c:38:52] *_4;
  [forms.c:38:46] if (_5 == 91)
    goto <bb 5>; [34.00%]
  else
    goto <bb 4>; [66.00%]
;;    succ:       5 [34.0% (guessed)]  count:324914280 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                4 [66.0% (guessed)]  count:630715945 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 4, loop depth 1, count 630715945 (estimated locally), maybe hot
;;    prev block 3, next block 5, flags: (NEW, VISITED)
;;    pred:       3 [66.0% (guessed)]  count:630715945 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;; , discriminator 3
;;    succ:       5 [always]  count:630715945 (estimated locally) (FALLTHRU,EXECUTABLE)

;;   basic block 5, loop depth 1, count 955630225 (estimated locally), maybe hot
;;    prev block 4, next block 6, flags: (NEW, VISITED)
;;    pred:       3 [34.0% (guessed)]  count:324914280 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                4 [always]  count:630715945 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line 38, discriminator 5
  # iftmp.3_10 = PHI <[forms.c:38:46] 1(3), [forms.c:38:46] 2(4)>
  [forms.c:38:40] _6 = i_9 / by_17(D);
  [forms.c:38:40] _7 = (sizetype) _6;
  [forms.c:38:37] _8 = to_14(D) + _7;
  [forms.c:38:46] [forms.c:38:37] *_8 = iftmp.3_10;
  [forms.c:38:31] # DEBUG BEGIN_STMT
  [forms.c:38:31] i_19 = i_9 + 1;
  [forms.c:38:31] # DEBUG i => i_19
;;    succ:       6 [always]  count:955630225 (estimated locally) (FALLTHRU,DFS_BACK,EXECUTABLE)

;;   basic block 6, loop depth 1, count 1073741824 (estimated locally), maybe hot
;;    prev block 5, next block 7, flags: (NEW, VISITED)
;;    pred:       2 [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:38:2
;;                5 [always]  count:955630225 (estimated locally) (FALLTHRU,DFS_BACK,EXECUTABLE)
;;   starting at line 38, discriminator 6
  # i_9 = PHI <[forms.c:38:16] 0(2), [forms.c:38:31] i_19(5)>
  # DEBUG i => i_9
  [forms.c:38:25] # DEBUG BEGIN_STMT
  [forms.c:38:25] if (i_9 < n_12(D))
    goto <bb 3>; [89.00%]
  else
    goto <bb 7>; [11.00%]
;;    succ:       3 [89.0% (guessed)]  count:955630224 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                7 [11.0% (guessed)]  count:118111600 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 7, loop depth 0, count 118111600 (estimated locally), maybe hot
;;    prev block 6, next block 1, flags: (NEW, VISITED)
;;    pred:       6 [11.0% (guessed)]  count:118111600 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;;   starting at line 39
  [forms.c:39:1] return;
;;    succ:       EXIT [always]  count:118111600 (estimated locally) (EXECUTABLE) forms.c:39:1

}


Stmt memcpy (to_14(D), from_15(D), _1);
Stmt memcpy (to_14(D), from_15(D), _1);
Stmt memcpy (to_14(D), from_15(D), _1);
Stmt _2 = i_9 % by_17(D);
Stmt _2 = i_9 % by_17(D);
Stmt _2 = i_9 % by_17(D);
Stmt _6 = i_9 / by_17(D);
Edge 0 to 2 instrumented
Edge 3 to 5 instrumented (and split)
Edge 3 to 4 instrumented
3 edges instrumented

;; Function calls (calls, funcdef_no=1, decl_uid=1995, cgraph_uid=2, symbol_order=1)

Abnormal edge 7 to 1 put to tree
Abnormal edge 5 to 1 put to tree
Abnormal edge 4 to 1 put to tree
Abnormal edge 3 to 1 put to tree
Normal edge 0 to 2 put to tree
Normal edge 6 to 7 put to tree
8 basic blocks
12 edges
0 ignored edges
6 instrumentation edges
int calls (int x, int (*operation) (int) op)
{
  int _1;
  int _6;
  int _9;
  int _11;

;;   basic block 2, loop depth 0, count 1073741817 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW, VISITED)
;;    pred:       ENTRY [always]  count:1073741817 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line 24
  [forms.c:24:2] # DEBUG BEGIN_STMT
  [forms.c:24:2] switch (x_3(D)) <[forms.c:29:2] default: <L2> [33.33%], [forms.c:25:2] case 1: <L0> [33.33%], [forms.c:27:2] case 2: <L1> [33.33%]>
;;    succ:       5 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;                3 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;                4 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)

;;   basic block 3, loop depth 0, count 357913942 (estimated locally), maybe hot
;;    prev block 2, next block 4, flags: (NEW, VISITED)
;;    pred:       2 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;   starting at line 25
[forms.c:25:2] <L0>:
  [forms.c:26:3] # DEBUG BEGIN_STMT
  [forms.c:26:10] _9 = op_7(D) (3);
  [forms.c:26:10] goto <bb 7>; [100.00%]
;;    succ:       7 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:26:10
;;                EXIT [never (guessed)]  count:0 (estimated locally) (FAKE)

;;   basic block 4, loop depth 0, count 357913942 (estimated locally), maybe hot
;;    prev block 3, next block 5, flags: (NEW, VISITED)
;;    pred:       2 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;   starting at line 27
[forms.c:27:2] <L1>:
  [forms.c:28:3] # DEBUG BEGIN_STMT
  [forms.c:28:10] _6 = add_1 (2);
  [forms.c:28:10] goto <bb 7>; [100.00%]
;;    succ:       7 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:28:10
;;                EXIT [never (guessed)]  count:0 (estimated locally) (FAKE)

;;   basic block 5, loop depth 0, count 357913942 (estimated locally), maybe hot
;;    prev block 4, next block 6, flags: (NEW, VISITED)
;;    pred:       2 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;   starting at line 29
[forms.c:29:2] <L2>:
  [forms.c:30:3] # DEBUG BEGIN_STMT
  [forms.c:30:3] __asm__ __volatile__("nop # [a.c:1:2]
;;   basic block 9, loop
	nop");
;;    succ:       6 [always]  count:357913942 (estimated locally) (FALLTHRU)
;;                EXIT [never (guessed)]  count:0 (estimated locally) (FAKE)

;;   basic block 6, loop depth 0, count 357913942 (estimated locally), maybe hot
;;    prev block 5, next block 7, flags: (NEW)
;;    pred:       5 [always]  count:357913942 (estimated locally) (FALLTHRU)
;;   starting at line 31
  [forms.c:31:3] # DEBUG BEGIN_STMT
  [forms.c:31:27] _11 = MAX_EXPR <x_3(D), 7>;
;;    succ:       7 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:31:27

;;   basic block 7, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 6, next block 1, flags: (NEW, VISITED)
;;    pred:       3 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:26:10
;;                4 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:28:10
;;                6 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:31:27
;;   starting at line -1
  # _1 = PHI <[forms.c:26:10] _9(3), [forms.c:28:10] _6(4), [forms.c:31:27] _11(6)>
  return _1;
;;    succ:       EXIT [always]  count:1073741824 (estimated locally) (EXECUTABLE)

}


Stmt _9 = op_7(D) (3);
Edge 2 to 5 instrumented
Edge 2 to 3 instrumented
Edge 2 to 4 instrumented
Edge 3 to 7 instrumented
Edge 4 to 7 instrumented
Edge 5 to 6 instrumented
6 edges instrumented

;; Function goes (goes, funcdef_no=0, decl_uid=1988, cgraph_uid=1, symbol_order=0)

Adding fake entry edge to bb 3
Adding fake exit edge to bb 4
Adding fake entry edge to bb 5
Splitting bb 5 after labels
Abnormal edge 4 to 1 put to tree
Abnormal edge 0 to 5 put to tree
Abnormal edge 0 to 3 put to tree
Abnormal edge 6 to 1 put to tree
Normal edge 2 to 4 put to tree
7 basic blocks
10 edges
2 ignored edges
3 instrumentation edges
int goes (const unsigned char * p, int n)
{
  static void * const labels.0[2] = {[forms.c:12:33] &add, [forms.c:12:40] &end};
  unsigned char _1;
  int _2;
  void * _3;
  unsigned char _4;
  int _5;
  void * _6;
  void * gotovar.2_9;

;;   basic block 2, loop depth 0, count 118111600 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW, VISITED)
;;    pred:       ENTRY [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line 14
  [forms.c:12:2] # DEBUG BEGIN_STMT
  [forms.c:14:2] # DEBUG BEGIN_STMT
  [forms.c:14:17] p_11 = p_10(D) + 1;
  [forms.c:14:17] # DEBUG p => p_11
  [forms.c:14:15] _1 = [forms.c:14:15] *p_10(D);
  [forms.c:14:15] _2 = (int) _1;
  [forms.c:14:14] _3 = [forms.c:14:14] labels.0[_2];
  [forms.c:14:2] goto <bb 4>; [100.00%]
;;    succ:       4 [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:14:2

;;   basic block 3, loop depth 1, count 955630225 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 1191853423 (estimated locally), should be 955630225 (estimated locally)
;;    prev block 2, next block 4, flags: (NEW, VISITED)
;;    pred:       4 [89.0% (guessed)]  count:955630224 (estimated locally) (ABNORMAL,EXECUTABLE)
;;                ENTRY count:236223199 (estimated locally) (FAKE)
;;   starting at line 15
[forms.c:15:1] add:
  [forms.c:16:2] # DEBUG BEGIN_STMT
  [forms.c:16:4] n_15 = n_8(ab) + 3;
  [forms.c:16:4] # DEBUG n => n_15
  [forms.c:17:2] # DEBUG BEGIN_STMT
  [forms.c:17:17] p_16 = p_7 + 1;
  [forms.c:17:17] # DEBUG p => p_16
  [forms.c:17:15] _4 = [forms.c:17:15] *p_7;
  [forms.c:17:15] _5 = (int) _4;
  [forms.c:17:14] _6 = [forms.c:17:14] labels.0[_5];
;;    succ:       4 [always]  count:955630225 (estimated locally) (FALLTHRU,DFS_BACK,EXECUTABLE) forms.c:17:2

;;   basic block 4, loop depth 1, count 1073741824 (estimated locally), maybe hot
;;    prev block 3, next block 5, flags: (NEW, VISITED)
;;    pred:       2 [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:14:2
;;                3 [always]  count:955630225 (estimated locally) (FALLTHRU,DFS_BACK,EXECUTABLE) forms.c:17:2
;;   starting at line -1
  # p_7 = PHI <[forms.c:14:17] p_11(2), [forms.c:17:17] p_16(3)>
  # n_8(ab) = PHI <n_13(D)(2), [forms.c:16:4] n_15(3)>
  # gotovar.2_9 = PHI <_3(2), _6(3)>
  # DEBUG n => n_8(ab)
  # DEBUG p => p_7
  goto gotovar.2_9;
;;    succ:       3 [89.0% (guessed)]  count:955630224 (estimated locally) (ABNORMAL,EXECUTABLE)
;;                5 [11.0% (guessed)]  count:118111600 (estimated locally) (ABNORMAL,EXECUTABLE)
;;                EXIT count:2147483640 (estimated locally) (FAKE)

;;   basic block 5, loop depth 0, count 118111600 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 354334799 (estimated locally), should be 118111600 (estimated locally)
;;    prev block 4, next block 6, flags: (NEW, VISITED)
;;    pred:       4 [11.0% (guessed)]  count:118111600 (estimated locally) (ABNORMAL,EXECUTABLE)
;;                ENTRY count:236223199 (estimated locally) (FAKE)
;;   starting at line 18
  # n_14(ab) = PHI <n_8(ab)(4), (0)>
[forms.c:18:1] end:
;;    succ:       6 [always]  count:118111600 (estimated locally) (FALLTHRU)

;;   basic block 6, loop depth 0, count 118111600 (estimated locally), maybe hot
;;    prev block 5, next block 1, flags: (NEW)
;;    pred:       5 [always]  count:118111600 (estimated locally) (FALLTHRU)
;;   starting at line 19
  [forms.c:19:2] # DEBUG BEGIN_STMT
  [forms.c:19:9] return n_14(ab);
;;    succ:       EXIT [always]  count:118111600 (estimated locally) (EXECUTABLE) forms.c:19:9

}


Edge 0 to 2 instrumented
Edge 3 to 4 instrumented
Edge 5 to 6 instrumented
3 edges instrumented
Removing basic block 7
;; basic block 7, loop depth 0
;;  pred:      
;;  succ:       2


Removing basic block 10
;; basic block 10, loop depth 0
;;  pred:      
;;  succ:       5


fix_loop_structure: fixing up loops for function

Updating SSA:
creating PHI node in block #4 for .MEM
creating PHI node in block #6 for .MEM
Registering new PHI nodes in block #0
Registering new PHI nodes in block #2
Updating SSA information for statement _18 = __gcov_indirect_call.D.2044;
Registering new PHI nodes in block #3
Updating SSA information for statement __gcov_indirect_call_profiler_v4 (1577378526, other);
Registering new PHI nodes in block #4
Updating SSA information for statement PROF_edge_counter_9 = __gcov0.other[0];
Updating SSA information for statement __gcov0.other[0] = PROF_edge_counter_10;
Updating SSA information for statement _15 = __gcov7.other[0];
Registering new PHI nodes in block #5
Updating SSA information for statement time_profile_16 = __gcov_time_profiler_counter;
Updating SSA information for statement __gcov7.other[0] = time_profile_17;
Updating SSA information for statement __gcov_time_profiler_counter = time_profile_17;
Registering new PHI nodes in block #6
Registering new PHI nodes in block #7
Updating SSA information for statement PROF_edge_counter_11 = __gcov0.other[1];
Updating SSA information for statement __gcov0.other[1] = PROF_edge_counter_12;
Updating SSA information for statement iftmp.4_8 = add_1 (x_5(D));
Updating SSA information for statement PROF_edge_counter_13 = __gcov0.other[2];
Updating SSA information for statement __gcov0.other[2] = PROF_edge_counter_14;
Registering new PHI nodes in block #8
Updating SSA information for statement return iftmp.4_3;

Symbols to be put in SSA form
{ D.2035 }
Incremental SSA update started at block: 0
Number of blocks in CFG: 9
Number of blocks to update: 8 ( 89%)
Affected blocks: 0 2 3 4 5 6 7 8


Introduced new external node (__gcov_indirect_call_profiler_v4/22).
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
creating PHI node in block #10 for .MEM
Registering new PHI nodes in block #0
Registering new PHI nodes in block #2
Updating SSA information for statement _37 = __gcov_indirect_call.D.2044;
Registering new PHI nodes in block #3
Updating SSA information for statement __gcov_indirect_call_profiler_v4 (2115804184, values);
Registering new PHI nodes in block #4
Updating SSA information for statement PROF_edge_counter_20 = __gcov0.values[0];
Updating SSA information for statement __gcov0.values[0] = PROF_edge_counter_21;
Updating SSA information for statement _34 = __gcov7.values[0];
Registering new PHI nodes in block #5
Updating SSA information for statement time_profile_35 = __gcov_time_profiler_counter;
Updating SSA information for statement __gcov7.values[0] = time_profile_36;
Updating SSA information for statement __gcov_time_profiler_counter = time_profile_36;
Registering new PHI nodes in block #6
Updating SSA information for statement __gcov_topn_values_profiler (&__gcov3.values[0], _26);
Updating SSA information for statement __gcov_average_profiler (&__gcov5.values[0], _27);
Updating SSA information for statement __gcov_ior_profiler (&__gcov6.values[0], _28);
Updating SSA information for statement memcpy (to_14(D), from_15(D), _1);
Registering new PHI nodes in block #11
Registering new PHI nodes in block #12
Updating SSA information for statement return;
Registering new PHI nodes in block #7
Updating SSA information for statement __gcov_topn_values_profiler (&__gcov3.values[3], _29);
Updating SSA information for statement __gcov_pow2_profiler (&__gcov2.values[0], _30);
Updating SSA information for statement __gcov_interval_profiler (&__gcov1.values[0], _32, 0, 2);
Updating SSA information for statement _5 = *_4;
Registering new PHI nodes in block #9
Updating SSA information for statement PROF_edge_counter_24 = __gcov0.values[2];
Updating SSA information for statement __gcov0.values[2] = PROF_edge_counter_25;
Registering new PHI nodes in block #8
Updating SSA information for statement PROF_edge_counter_22 = __gcov0.values[1];
Updating SSA information for statement __gcov0.values[1] = PROF_edge_counter_23;
Registering new PHI nodes in block #10
Updating SSA information for statement __gcov_topn_values_profiler (&__gcov3.values[6], _33);
Updating SSA information for statement *_8 = iftmp.3_10;

Symbols to be put in SSA form
{ D.2034 }
Incremental SSA update started at block: 0
Number of blocks in CFG: 13
Number of blocks to update: 12 ( 92%)
Affected blocks: 0 2 3 4 5 6 7 8 9 10 11 12


Introduced new external node (__gcov_topn_values_profiler/24).
Introduced new external node (__gcov_average_profiler/25).
Introduced new external node (__gcov_ior_profiler/26).
Introduced new external node (__gcov_pow2_profiler/27).
Introduced new external node (__gcov_interval_profiler/28).
Merging blocks 5 and 6
Removing basic block 10
;; basic block 10, loop depth 0
;;  pred:      
;;  succ:       2


Removing basic block 13
;; basic block 13, loop depth 0
;;  pred:      
;;  succ:       8


fix_loop_structure: fixing up loops for function

Updating SSA:
creating PHI node in block #4 for .MEM
creating PHI node in block #6 for .MEM
Registering new PHI nodes in block #0
Registering new PHI nodes in block #2
Updating SSA information for statement _28 = __gcov_indirect_call.D.2044;
Registering new PHI nodes in block #3
Updating SSA information for statement __gcov_indirect_call_profiler_v4 (540939162, calls);
Registering new PHI nodes in block #4
Updating SSA information for statement _25 = __gcov7.calls[0];
Registering new PHI nodes in block #5
Updating SSA information for statement time_profile_26 = __gcov_time_profiler_counter;
Updating SSA information for statement __gcov7.calls[0] = time_profile_27;
Updating SSA information for statement __gcov_time_profiler_counter = time_profile_27;
Registering new PHI nodes in block #6
Registering new PHI nodes in block #8
Updating SSA information for statement PROF_edge_counter_16 = __gcov0.calls[2];
Updating SSA information for statement __gcov0.calls[2] = PROF_edge_counter_17;
Updating SSA information for statement _6 = add_1 (2);
Updating SSA information for statement PROF_edge_counter_20 = __gcov0.calls[4];
Updating SSA information for statement __gcov0.calls[4] = PROF_edge_counter_21;
Registering new PHI nodes in block #7
Updating SSA information for statement PROF_edge_counter_14 = __gcov0.calls[1];
Updating SSA information for statement __gcov0.calls[1] = PROF_edge_counter_15;
Updating SSA information for statement __gcov_indirect_call.D.2045 = &__gcov4.calls[0];
Updating SSA information for statement __gcov_indirect_call.D.2044 = PROF_24;
Updating SSA information for statement _9 = op_7(D) (3);
Updating SSA information for statement PROF_edge_counter_18 = __gcov0.calls[3];
Updating SSA information for statement __gcov0.calls[3] = PROF_edge_counter_19;
Registering new PHI nodes in block #9
Updating SSA information for statement PROF_edge_counter_12 = __gcov0.calls[0];
Updating SSA information for statement __gcov0.calls[0] = PROF_edge_counter_13;
Updating SSA information for statement __asm__ __volatile__("nop # [a.c:1:2]
;;   basic block 9, loop
	nop");
Updating SSA information for statement PROF_edge_counter_22 = __gcov0.calls[5];
Updating SSA information for statement __gcov0.calls[5] = PROF_edge_counter_23;
Registering new PHI nodes in block #10
Updating SSA information for statement return _1;

Symbols to be put in SSA form
{ D.2033 }
Incremental SSA update started at block: 0
Number of blocks in CFG: 11
Number of blocks to update: 10 ( 91%)
Affected blocks: 0 2 3 4 5 6 7 8 9 10


Merging blocks 5 and 6
Removing basic block 9
;; basic block 9, loop depth 0
;;  pred:      
;;  succ:       2


Removing basic block 12
;; basic block 12, loop depth 0
;;  pred:      
;;  succ:       7


fix_loop_structure: fixing up loops for function

Updating SSA:
creating PHI node in block #4 for .MEM
creating PHI node in block #6 for .MEM
creating PHI node in block #8 for .MEM
Registering new PHI nodes in block #0
Registering new PHI nodes in block #2
Updating SSA information for statement _26 = __gcov_indirect_call.D.2044;
Registering new PHI nodes in block #3
Updating SSA information for statement __gcov_indirect_call_profiler_v4 (1745201201, goes);
Registering new PHI nodes in block #4
Updating SSA information for statement PROF_edge_counter_17 = __gcov0.goes[0];
Updating SSA information for statement __gcov0.goes[0] = PROF_edge_counter_18;
Updating SSA information for statement _23 = __gcov7.goes[0];
Registering new PHI nodes in block #5
Updating SSA information for statement time_profile_24 = __gcov_time_profiler_counter;
Updating SSA information for statement __gcov7.goes[0] = time_profile_25;
Updating SSA information for statement __gcov_time_profiler_counter = time_profile_25;
Registering new PHI nodes in block #6
Updating SSA information for statement _1 = *p_10(D);
Updating SSA information for statement _3 = labels[_2];
Registering new PHI nodes in block #8
Registering new PHI nodes in block #9
Updating SSA information for statement PROF_edge_counter_21 = __gcov0.goes[2];
Updating SSA information for statement __gcov0.goes[2] = PROF_edge_counter_22;
Updating SSA information for statement return n_14(ab);
Registering new PHI nodes in block #7
Updating SSA information for statement _4 = *p_7;
Updating SSA information for statement _6 = labels[_5];
Updating SSA information for statement PROF_edge_counter_19 = __gcov0.goes[1];
Updating SSA information for statement __gcov0.goes[1] = PROF_edge_counter_20;

Symbols to be put in SSA form
{ D.2032 }
Incremental SSA update started at block: 0
Number of blocks in CFG: 10
Number of blocks to update: 9 ( 90%)
Affected blocks: 0 2 3 4 5 6 7 8 9


Symbol table:

__gcov_interval_profiler/28 (__gcov_interval_profiler) @0x7f1885f44cc0
  Type: function
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: values/2 (955630225 (estimated locally),8.09 per call) 
  Calls: 
__gcov_pow2_profiler/27 (__gcov_pow2_profiler) @0x7f1885f44bb0
  Type: function
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: values/2 (955630225 (estimated locally),8.09 per call) 
  Calls: 
__gcov_ior_profiler/26 (__gcov_ior_profiler) @0x7f1885f44aa0
  Type: function
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: values/2 (118111600 (estimated locally),1.00 per call) 
  Calls: 
__gcov_average_profiler/25 (__gcov_average_profiler) @0x7f1885f44990
  Type: function
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: values/2 (118111600 (estimated locally),1.00 per call) 
  Calls: 
__gcov_topn_values_profiler/24 (__gcov_topn_values_profiler) @0x7f1885f44880
  Type: function
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: values/2 (955630225 (estimated locally),8.09 per call) values/2 (955630225 (estimated locally),8.09 per call) values/2 (118111600 (estimated locally),1.00 per call) 
  Calls: 
__gcov_time_profiler_counter/23 (__gcov_time_profiler_counter) @0x7f1885f64980
  Type: variable
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: other/3 (read) other/3 (write) values/2 (read) values/2 (write) calls/1 (read) calls/1 (write) goes/0 (read) goes/0 (write) 
  Availability: not_available
  Varpool flags:
__gcov_indirect_call_profiler_v4/22 (__gcov_indirect_call_profiler_v4) @0x7f1885f44770
  Type: function
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: goes/0 (118111600 (estimated locally),1.00 per call) calls/1 (1073741817 (estimated locally),1.00 per call) values/2 (118111600 (estimated locally),1.00 per call) other/3 (1073741824 (estimated locally),1.00 per call) 
  Calls: 
__gcov7.goes/21 (__gcov7.goes) @0x7f1885f64900
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: goes/0 (read) goes/0 (write) 
  Availability: available
  Varpool flags:
__gcov0.goes/20 (__gcov0.goes) @0x7f1885f64880
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: goes/0 (read) goes/0 (write) goes/0 (read) goes/0 (write) goes/0 (read) goes/0 (write) 
  Availability: available
  Varpool flags:
__gcov7.calls/19 (__gcov7.calls) @0x7f1885f64800
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: calls/1 (read) calls/1 (write) 
  Availability: available
  Varpool flags:
__gcov4.calls/18 (__gcov4.calls) @0x7f1885f64780
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: calls/1 (addr) 
  Availability: available
  Varpool flags:
__gcov0.calls/17 (__gcov0.calls) @0x7f1885f64700
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: calls/1 (read) calls/1 (write) calls/1 (read) calls/1 (write) calls/1 (read) calls/1 (write) calls/1 (read) calls/1 (write) calls/1 (read) calls/1 (write) calls/1 (read) calls/1 (write) 
  Availability: available
  Varpool flags:
__gcov7.values/16 (__gcov7.values) @0x7f1885f64680
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: values/2 (read) values/2 (write) 
  Availability: available
  Varpool flags:
__gcov6.values/15 (__gcov6.values) @0x7f1885f64600
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: values/2 (addr) 
  Availability: available
  Varpool flags:
__gcov5.values/14 (__gcov5.values) @0x7f1885f64580
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: values/2 (addr) 
  Availability: available
  Varpool flags:
__gcov3.values/13 (__gcov3.values) @0x7f1885f64500
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: values/2 (addr) values/2 (addr) values/2 (addr) 
  Availability: available
  Varpool flags:
__gcov2.values/12 (__gcov2.values) @0x7f1885f64480
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: values/2 (addr) 
  Availability: available
  Varpool flags:
__gcov1.values/11 (__gcov1.values) @0x7f1885f64400
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: values/2 (addr) 
  Availability: available
  Varpool flags:
__gcov0.values/10 (__gcov0.values) @0x7f1885f64380
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: values/2 (read) values/2 (write) values/2 (read) values/2 (write) values/2 (read) values/2 (write) 
  Availability: available
  Varpool flags:
__gcov7.other/9 (__gcov7.other) @0x7f1885f64300
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: other/3 (read) other/3 (write) 
  Availability: available
  Varpool flags:
__gcov0.other/8 (__gcov0.other) @0x7f1885f64280
  Type: variable definition analyzed
  Visibility: semantic_interposition
  References: 
  Referring: other/3 (read) other/3 (write) other/3 (read) other/3 (write) other/3 (read) other/3 (write) 
  Availability: available
  Varpool flags:
__gcov_indirect_call/7 (__gcov_indirect_call) @0x7f1885f64200
  Type: variable
  Visibility: semantic_interposition external public artificial
  References: 
  Referring: other/3 (read) values/2 (read) calls/1 (read) calls/1 (write) calls/1 (write) goes/0 (read) 
  Availability: not_available
  Varpool flags: tls-initial-exec
memcpy/6 (memcpy) @0x7f1885f44660
  Type: function
  Visibility: semantic_interposition external public
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: values/2 (118111600 (estimated locally),1.00 per call) 
  Calls: 
add_1/5 (add_1) @0x7f1885f44550
  Type: function
  Visibility: semantic_interposition external public
  References: 
  Referring: 
  Availability: not_available
  Function flags:
  Called by: calls/1 (357913942 (estimated locally),0.33 per call) other/3 (354334800 (estimated locally),0.33 per call) 
  Calls: 
labels.0/4 (labels) @0x7f18868f3d80
  Type: variable definition analyzed
  Visibility: semantic_interposition prevailing_def_ironly
  References: 
  Referring: goes/0 (read) goes/0 (read) 
  Availability: available
  Varpool flags: initialized read-only const-value-known
other/3 (other) @0x7f1885f44440
  Type: function definition analyzed
  Visibility: externally_visible semantic_interposition public
  Address is taken.
  References: __gcov_indirect_call/7 (read) other/3 (addr) __gcov0.other/8 (read) __gcov0.other/8 (write) __gcov7.other/9 (read) __gcov_time_profiler_counter/23 (read) __gcov7.other/9 (write) __gcov_time_profiler_counter/23 (write) __gcov0.other/8 (read) __gcov0.other/8 (write) __gcov0.other/8 (read) __gcov0.other/8 (write) 
  Referring: other/3 (addr) 
  Availability: available
  Profile id: 1577378526
  Function flags: count:1073741824 (estimated locally) body
  Called by: 
  Calls: add_1/5 (354334800 (estimated locally),0.33 per call) __gcov_indirect_call_profiler_v4/22 (1073741824 (estimated locally),1.00 per call) 
values/2 (values) @0x7f1885f44330
  Type: function definition analyzed
  Visibility: externally_visible semantic_interposition public
  Address is taken.
  References: __gcov_indirect_call/7 (read) values/2 (addr) __gcov0.values/10 (read) __gcov0.values/10 (write) __gcov7.values/16 (read) __gcov_time_profiler_counter/23 (read) __gcov7.values/16 (write) __gcov_time_profiler_counter/23 (write) __gcov3.values/13 (addr) __gcov5.values/14 (addr) __gcov6.values/15 (addr) __gcov3.values/13 (addr) __gcov2.values/12 (addr) __gcov1.values/11 (addr) __gcov0.values/10 (read) __gcov0.values/10 (write) __gcov0.values/10 (read) __gcov0.values/10 (write) __gcov3.values/13 (addr) 
  Referring: values/2 (addr) 
  Availability: available
  Profile id: 2115804184
  Function flags: count:118111600 (estimated locally) body
  Called by: 
  Calls: __gcov_topn_values_profiler/24 (955630225 (estimated locally),8.09 per call) __gcov_interval_profiler/28 (955630225 (estimated locally),8.09 per call) __gcov_pow2_profiler/27 (955630225 (estimated locally),8.09 per call) __gcov_topn_values_profiler/24 (955630225 (estimated locally),8.09 per call) memcpy/6 (118111600 (estimated locally),1.00 per call) __gcov_ior_profiler/26 (118111600 (estimated locally),1.00 per call) __gcov_average_profiler/25 (118111600 (estimated locally),1.00 per call) __gcov_topn_values_profiler/24 (118111600 (estimated locally),1.00 per call) __gcov_indirect_call_profiler_v4/22 (118111600 (estimated locally),1.00 per call) 
calls/1 (calls) @0x7f1885f44220
  Type: function definition analyzed
  Visibility: externally_visible semantic_interposition public
  Address is taken.
  References: __gcov_indirect_call/7 (read) calls/1 (addr) __gcov7.calls/19 (read) __gcov_time_profiler_counter/23 (read) __gcov7.calls/19 (write) __gcov_time_profiler_counter/23 (write) __gcov0.calls/17 (read) __gcov0.calls/17 (write) __gcov_indirect_call/7 (write) __gcov4.calls/18 (addr) __gcov_indirect_call/7 (write) __gcov0.calls/17 (read) __gcov0.calls/17 (write) __gcov0.calls/17 (read) __gcov0.calls/17 (write) __gcov0.calls/17 (read) __gcov0.calls/17 (write) __gcov0.calls/17 (read) __gcov0.calls/17 (write) __gcov0.calls/17 (read) __gcov0.calls/17 (write) 
  Referring: calls/1 (addr) 
  Availability: available
  Profile id: 540939162
  Function flags: count:1073741817 (estimated locally) body
  Called by: 
  Calls: add_1/5 (357913942 (estimated locally),0.33 per call) __gcov_indirect_call_profiler_v4/22 (1073741817 (estimated locally),1.00 per call) 
   Indirect call(357913942 (estimated locally),0.33 per call) num speculative call targets: 0
goes/0 (goes) @0x7f1885f44110
  Type: function definition analyzed
  Visibility: externally_visible semantic_interposition public
  Address is taken.
  References: __gcov_indirect_call/7 (read) goes/0 (addr) __gcov0.goes/20 (read) __gcov0.goes/20 (write) __gcov7.goes/21 (read) __gcov_time_profiler_counter/23 (read) __gcov7.goes/21 (write) __gcov_time_profiler_counter/23 (write) labels.0/4 (read) labels.0/4 (read) __gcov0.goes/20 (read) __gcov0.goes/20 (write) __gcov0.goes/20 (read) __gcov0.goes/20 (write) 
  Referring: goes/0 (addr) 
  Availability: available
  Profile id: 1745201201
  Function flags: count:118111600 (estimated locally) body
  Called by: 
  Calls: __gcov_indirect_call_profiler_v4/22 (118111600 (estimated locally),1.00 per call) 
int other (int x)
{
  unsigned int x.5_1;
  unsigned int _2;
  int iftmp.4_3;
  int iftmp.4_8;
  long int PROF_edge_counter_9;
  long int PROF_edge_counter_10;
  long int PROF_edge_counter_11;
  long int PROF_edge_counter_12;
  long int PROF_edge_counter_13;
  long int PROF_edge_counter_14;
  long int _15;
  long int time_profile_16;
  long int time_profile_17;
  void * _18;

;;   basic block 2, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW)
;;    pred:       ENTRY [always]  count:1073741824 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  _18 = __gcov_indirect_call.D.2044;
  if (_18 != 0B)
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
  __gcov_indirect_call_profiler_v4 (1577378526, other);
;;    succ:       4 [always]  count:1073741824 (estimated locally) (FALLTHRU)

;;   basic block 4, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 1932735288 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 3, next block 5, flags: (NEW)
;;    pred:       2 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)
;;                3 [always]  count:1073741824 (estimated locally) (FALLTHRU)
;;   starting at line -1
  PROF_edge_counter_9 = __gcov0.other[0];
  PROF_edge_counter_10 = PROF_edge_counter_9 + 1;
  __gcov0.other[0] = PROF_edge_counter_10;
  _15 = __gcov7.other[0];
  if (_15 == 0)
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
  time_profile_16 = __gcov_time_profiler_counter;
  time_profile_17 = time_profile_16 + 1;
  __gcov7.other[0] = time_profile_17;
  __gcov_time_profiler_counter = time_profile_17;
;;    succ:       6 [always]  count:1073741824 (estimated locally) (FALLTHRU)

;;   basic block 6, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 1932735288 (estimated locally), should be 1073741824 (estimated locally)
;;    prev block 5, next block 7, flags: (NEW, VISITED)
;;    pred:       4 [80.0% (guessed)]  count:858993464 (estimated locally) (FALSE_VALUE)
;;                5 [always]  count:1073741824 (estimated locally) (FALLTHRU)
;;   starting at line 7
  [a file.y:7:20] # DEBUG BEGIN_STMT
  [a file.y:7:33] x.5_1 = (unsigned int) x_5(D);
  [a file.y:7:33] _2 = x.5_1 + 4294967292;
  [a file.y:7:53] if (_2 <= 4)
    goto <bb 7>; [33.00%]
  else
    goto <bb 8>; [67.00%]
;;    succ:       7 [33.0% (guessed)]  count:354334800 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                8 [67.0% (guessed)]  count:719407024 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 7, loop depth 0, count 354334800 (estimated locally), maybe hot
;;    prev block 6, next block 8, flags: (NEW, VISITED)
;;    pred:       6 [33.0% (guessed)]  count:354334800 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;   starting at line -1, discriminator 1
  PROF_edge_counter_11 = __gcov0.other[1];
  PROF_edge_counter_12 = PROF_edge_counter_11 + 1;
  __gcov0.other[1] = PROF_edge_counter_12;
  [a file.y:7:44] iftmp.4_8 = add_1 (x_5(D));
  PROF_edge_counter_13 = __gcov0.other[2];
  PROF_edge_counter_14 = PROF_edge_counter_13 + 1;
  __gcov0.other[2] = PROF_edge_counter_14;
;;    succ:       8 [always]  count:354334800 (estimated locally) (FALLTHRU,EXECUTABLE)

;;   basic block 8, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 7, next block 1, flags: (NEW, VISITED)
;;    pred:       7 [always]  count:354334800 (estimated locally) (FALLTHRU,EXECUTABLE)
;;                6 [67.0% (guessed)]  count:719407024 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;;   starting at line 7, discriminator 4
  # iftmp.4_3 = PHI <[a file.y:7:44] iftmp.4_8(7), [a file.y:7:53] x_5(D)(6)>
  [a file.y:7:53] return iftmp.4_3;
;;    succ:       EXIT [always]  count:1073741824 (estimated locally) (EXECUTABLE) a file.y:7:53

}


void values (char * to, const char * from, unsigned int n, unsigned int by)
{
  unsigned int i;
  long unsigned int _1;
  unsigned int _2;
  sizetype _3;
  const char * _4;
  char _5;
  unsigned int _6;
  sizetype _7;
  char * _8;
  char iftmp.3_10;
  long int PROF_edge_counter_20;
  long int PROF_edge_counter_21;
  long int PROF_edge_counter_22;
  long int PROF_edge_counter_23;
  long int PROF_edge_counter_24;
  long int PROF_edge_counter_25;
  long int _26;
  long int _27;
  long int _28;
  long int _29;
  long int _30;
  unsigned int _31;
  long int _32;
  long int _33;
  long int _34;
  long int time_profile_35;
  long int time_profile_36;
  void * _37;

;;   basic block 2, loop depth 0, count 118111600 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW)
;;    pred:       ENTRY [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  _37 = __gcov_indirect_call.D.2044;
  if (_37 != 0B)
    goto <bb 3>; [20.00%]
  else
    goto <bb 4>; [80.00%]
;;    succ:       3 [20.0% (guessed)]  count:23622319 (estimated locally) (TRUE_VALUE)
;;                4 [80.0% (guessed)]  count:94489281 (estimated locally) (FALSE_VALUE)

;;   basic block 3, loop depth 0, count 118111600 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 23622319 (estimated locally), should be 118111600 (estimated locally)
;;    prev block 2, next block 4, flags: (NEW)
;;    pred:       2 [20.0% (guessed)]  count:23622319 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  __gcov_indirect_call_profiler_v4 (2115804184, values);
;;    succ:       4 [always]  count:118111600 (estimated locally) (FALLTHRU)

;;   basic block 4, loop depth 0, count 118111600 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 212600881 (estimated locally), should be 118111600 (estimated locally)
;;    prev block 3, next block 5, flags: (NEW)
;;    pred:       2 [80.0% (guessed)]  count:94489281 (estimated locally) (FALSE_VALUE)
;;                3 [always]  count:118111600 (estimated locally) (FALLTHRU)
;;   starting at line -1
  PROF_edge_counter_20 = __gcov0.values[0];
  PROF_edge_counter_21 = PROF_edge_counter_20 + 1;
  __gcov0.values[0] = PROF_edge_counter_21;
  _34 = __gcov7.values[0];
  if (_34 == 0)
    goto <bb 5>; [20.00%]
  else
    goto <bb 6>; [80.00%]
;;    succ:       5 [20.0% (guessed)]  count:23622319 (estimated locally) (TRUE_VALUE)
;;                6 [80.0% (guessed)]  count:94489281 (estimated locally) (FALSE_VALUE)

;;   basic block 5, loop depth 0, count 118111600 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 23622319 (estimated locally), should be 118111600 (estimated locally)
;;    prev block 4, next block 6, flags: (NEW)
;;    pred:       4 [20.0% (guessed)]  count:23622319 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  time_profile_35 = __gcov_time_profiler_counter;
  time_profile_36 = time_profile_35 + 1;
  __gcov7.values[0] = time_profile_36;
  __gcov_time_profiler_counter = time_profile_36;
;;    succ:       6 [always]  count:118111600 (estimated locally) (FALLTHRU)

;;   basic block 6, loop depth 0, count 118111600 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 212600881 (estimated locally), should be 118111600 (estimated locally)
;;    prev block 5, next block 7, flags: (NEW, VISITED)
;;    pred:       4 [80.0% (guessed)]  count:94489281 (estimated locally) (FALSE_VALUE)
;;                5 [always]  count:118111600 (estimated locally) (FALLTHRU)
;;   starting at line 37
  [forms.c:37:2] # DEBUG BEGIN_STMT
  [forms.c:37:2] _1 = (long unsigned int) n_12(D);
  _26 = (long int) _1;
  __gcov_topn_values_profiler (&__gcov3.values[0], _26);
  _27 = (long int) _1;
  __gcov_average_profiler (&__gcov5.values[0], _27);
  _28 = (long int) to_14(D);
  __gcov_ior_profiler (&__gcov6.values[0], _28);
  [forms.c:37:2] memcpy (to_14(D), from_15(D), _1);
  [forms.c:38:2] # DEBUG BEGIN_STMT
  [forms.c:38:7] # DEBUG BEGIN_STMT
  [forms.c:38:16] # DEBUG i => 0
  [forms.c:38:2] goto <bb 11>; [100.00%]
;;    succ:       11 [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:38:2

;;   basic block 7, loop depth 1, count 955630225 (estimated locally), maybe hot
;;    prev block 6, next block 8, flags: (NEW, VISITED)
;;    pred:       11 [89.0% (guessed)]  count:955630224 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;   starting at line -1, discriminator 7
  [forms.c:38:35] # DEBUG BEGIN_STMT
  _29 = (long int) by_17(D);
  __gcov_topn_values_profiler (&__gcov3.values[3], _29);
  _30 = (long int) by_17(D);
  __gcov_pow2_profiler (&__gcov2.values[0], _30);
  _31 = i_9 / by_17(D);
  _32 = (long int) _31;
  __gcov_interval_profiler (&__gcov1.values[0], _32, 0, 2);
  [forms.c:38:55] _2 = i_9 % by_17(D);
  [forms.c:38:55] _3 = (sizetype) _2;
  [forms.c:38:52] _4 = from_15(D) + _3;
  [forms.c:38:52] _5 = [forms.c:38:52] *_4;
  [forms.c:38:46] if (_5 == 91)
    goto <bb 8>; [34.00%]
  else
    goto <bb 9>; [66.00%]
;;    succ:       8 [34.0% (guessed)]  count:324914280 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                9 [66.0% (guessed)]  count:630715945 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 8, loop depth 1, count 324914280 (estimated locally), maybe hot
;;    prev block 7, next block 9, flags: (NEW)
;;    pred:       7 [34.0% (guessed)]  count:324914280 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;   starting at line -1
  PROF_edge_counter_22 = __gcov0.values[1];
  PROF_edge_counter_23 = PROF_edge_counter_22 + 1;
  __gcov0.values[1] = PROF_edge_counter_23;
  goto <bb 10>; [100.00%]
;;    succ:       10 [always]  count:324914280 (estimated locally) (FALLTHRU)

;;   basic block 9, loop depth 1, count 630715945 (estimated locally), maybe hot
;;    prev block 8, next block 10, flags: (NEW, VISITED)
;;    pred:       7 [66.0% (guessed)]  count:630715945 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;;   starting at line -1, discriminator 3
  PROF_edge_counter_24 = __gcov0.values[2];
  PROF_edge_counter_25 = PROF_edge_counter_24 + 1;
  __gcov0.values[2] = PROF_edge_counter_25;
;;    succ:       10 [always]  count:630715945 (estimated locally) (FALLTHRU,EXECUTABLE)

;;   basic block 10, loop depth 1, count 955630225 (estimated locally), maybe hot
;;    prev block 9, next block 11, flags: (NEW, VISITED)
;;    pred:       8 [always]  count:324914280 (estimated locally) (FALLTHRU)
;;                9 [always]  count:630715945 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line -1, discriminator 5
  # iftmp.3_10 = PHI <[forms.c:38:46] 1(8), [forms.c:38:46] 2(9)>
  _33 = (long int) by_17(D);
  __gcov_topn_values_profiler (&__gcov3.values[6], _33);
  [forms.c:38:40] _6 = i_9 / by_17(D);
  [forms.c:38:40] _7 = (sizetype) _6;
  [forms.c:38:37] _8 = to_14(D) + _7;
  [forms.c:38:46] [forms.c:38:37] *_8 = iftmp.3_10;
  [forms.c:38:31] # DEBUG BEGIN_STMT
  [forms.c:38:31] i_19 = i_9 + 1;
  [forms.c:38:31] # DEBUG i => i_19
;;    succ:       11 [always]  count:955630225 (estimated locally) (FALLTHRU,DFS_BACK,EXECUTABLE)

;;   basic block 11, loop depth 1, count 1073741824 (estimated locally), maybe hot
;;    prev block 10, next block 12, flags: (NEW, VISITED)
;;    pred:       6 [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:38:2
;;                10 [always]  count:955630225 (estimated locally) (FALLTHRU,DFS_BACK,EXECUTABLE)
;;   starting at line 38, discriminator 6
  # i_9 = PHI <[forms.c:38:16] 0(6), [forms.c:38:31] i_19(10)>
  # DEBUG i => i_9
  [forms.c:38:25] # DEBUG BEGIN_STMT
  [forms.c:38:25] if (i_9 < n_12(D))
    goto <bb 7>; [89.00%]
  else
    goto <bb 12>; [11.00%]
;;    succ:       7 [89.0% (guessed)]  count:955630224 (estimated locally) (TRUE_VALUE,EXECUTABLE)
;;                12 [11.0% (guessed)]  count:118111600 (estimated locally) (FALSE_VALUE,EXECUTABLE)

;;   basic block 12, loop depth 0, count 118111600 (estimated locally), maybe hot
;;    prev block 11, next block 1, flags: (NEW, VISITED)
;;    pred:       11 [11.0% (guessed)]  count:118111600 (estimated locally) (FALSE_VALUE,EXECUTABLE)
;;   starting at line 39
  [forms.c:39:1] return;
;;    succ:       EXIT [always]  count:118111600 (estimated locally) (EXECUTABLE) forms.c:39:1

}


int calls (int x, int (*operation) (int) op)
{
  int _1;
  int _6;
  int _9;
  int _11;
  long int PROF_edge_counter_12;
  long int PROF_edge_counter_13;
  long int PROF_edge_counter_14;
  long int PROF_edge_counter_15;
  long int PROF_edge_counter_16;
  long int PROF_edge_counter_17;
  long int PROF_edge_counter_18;
  long int PROF_edge_counter_19;
  long int PROF_edge_counter_20;
  long int PROF_edge_counter_21;
  long int PROF_edge_counter_22;
  long int PROF_edge_counter_23;
  void * PROF_24;
  long int _25;
  long int time_profile_26;
  long int time_profile_27;
  void * _28;

;;   basic block 2, loop depth 0, count 1073741817 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW)
;;    pred:       ENTRY [always]  count:1073741817 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  _28 = __gcov_indirect_call.D.2044;
  if (_28 != 0B)
    goto <bb 3>; [20.00%]
  else
    goto <bb 4>; [80.00%]
;;    succ:       3 [20.0% (guessed)]  count:214748359 (estimated locally) (TRUE_VALUE)
;;                4 [80.0% (guessed)]  count:858993458 (estimated locally) (FALSE_VALUE)

;;   basic block 3, loop depth 0, count 1073741817 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 214748359 (estimated locally), should be 1073741817 (estimated locally)
;;    prev block 2, next block 4, flags: (NEW)
;;    pred:       2 [20.0% (guessed)]  count:214748359 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  __gcov_indirect_call_profiler_v4 (540939162, calls);
;;    succ:       4 [always]  count:1073741817 (estimated locally) (FALLTHRU)

;;   basic block 4, loop depth 0, count 1073741817 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 1932735275 (estimated locally), should be 1073741817 (estimated locally)
;;    prev block 3, next block 5, flags: (NEW)
;;    pred:       2 [80.0% (guessed)]  count:858993458 (estimated locally) (FALSE_VALUE)
;;                3 [always]  count:1073741817 (estimated locally) (FALLTHRU)
;;   starting at line -1
  _25 = __gcov7.calls[0];
  if (_25 == 0)
    goto <bb 5>; [20.00%]
  else
    goto <bb 6>; [80.00%]
;;    succ:       5 [20.0% (guessed)]  count:214748359 (estimated locally) (TRUE_VALUE)
;;                6 [80.0% (guessed)]  count:858993458 (estimated locally) (FALSE_VALUE)

;;   basic block 5, loop depth 0, count 1073741817 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 214748359 (estimated locally), should be 1073741817 (estimated locally)
;;    prev block 4, next block 6, flags: (NEW)
;;    pred:       4 [20.0% (guessed)]  count:214748359 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  time_profile_26 = __gcov_time_profiler_counter;
  time_profile_27 = time_profile_26 + 1;
  __gcov7.calls[0] = time_profile_27;
  __gcov_time_profiler_counter = time_profile_27;
;;    succ:       6 [always]  count:1073741817 (estimated locally) (FALLTHRU)

;;   basic block 6, loop depth 0, count 1073741817 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 1932735275 (estimated locally), should be 1073741817 (estimated locally)
;;    prev block 5, next block 7, flags: (NEW, VISITED)
;;    pred:       4 [80.0% (guessed)]  count:858993458 (estimated locally) (FALSE_VALUE)
;;                5 [always]  count:1073741817 (estimated locally) (FALLTHRU)
;;   starting at line 24
  [forms.c:24:2] # DEBUG BEGIN_STMT
  [forms.c:24:2] switch (x_3(D)) <[forms.c:29:2] default: <L2> [33.33%], [forms.c:25:2] case 1: <L0> [33.33%], [forms.c:27:2] case 2: <L1> [33.33%]>
;;    succ:       9 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;                7 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;                8 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)

;;   basic block 7, loop depth 0, count 357913942 (estimated locally), maybe hot
;;    prev block 6, next block 8, flags: (NEW, VISITED)
;;    pred:       6 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;   starting at line 25
[forms.c:25:2] <L0>:
  PROF_edge_counter_14 = __gcov0.calls[1];
  PROF_edge_counter_15 = PROF_edge_counter_14 + 1;
  __gcov0.calls[1] = PROF_edge_counter_15;
  [forms.c:26:3] # DEBUG BEGIN_STMT
  __gcov_indirect_call.D.2045 = &__gcov4.calls[0];
  PROF_24 = op_7(D);
  __gcov_indirect_call.D.2044 = PROF_24;
  [forms.c:26:10] _9 = op_7(D) (3);
  PROF_edge_counter_18 = __gcov0.calls[3];
  PROF_edge_counter_19 = PROF_edge_counter_18 + 1;
  __gcov0.calls[3] = PROF_edge_counter_19;
  [forms.c:26:10] goto <bb 10>; [100.00%]
;;    succ:       10 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:26:10

;;   basic block 8, loop depth 0, count 357913942 (estimated locally), maybe hot
;;    prev block 7, next block 9, flags: (NEW, VISITED)
;;    pred:       6 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;   starting at line 27
[forms.c:27:2] <L1>:
  PROF_edge_counter_16 = __gcov0.calls[2];
  PROF_edge_counter_17 = PROF_edge_counter_16 + 1;
  __gcov0.calls[2] = PROF_edge_counter_17;
  [forms.c:28:3] # DEBUG BEGIN_STMT
  [forms.c:28:10] _6 = add_1 (2);
  PROF_edge_counter_20 = __gcov0.calls[4];
  PROF_edge_counter_21 = PROF_edge_counter_20 + 1;
  __gcov0.calls[4] = PROF_edge_counter_21;
  [forms.c:28:10] goto <bb 10>; [100.00%]
;;    succ:       10 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:28:10

;;   basic block 9, loop depth 0, count 357913942 (estimated locally), maybe hot
;;    prev block 8, next block 10, flags: (NEW, VISITED)
;;    pred:       6 [33.3% (adjusted)]  count:357913942 (estimated locally) (EXECUTABLE)
;;   starting at line 29
[forms.c:29:2] <L2>:
  PROF_edge_counter_12 = __gcov0.calls[0];
  PROF_edge_counter_13 = PROF_edge_counter_12 + 1;
  __gcov0.calls[0] = PROF_edge_counter_13;
  [forms.c:30:3] # DEBUG BEGIN_STMT
  [forms.c:30:3] __asm__ __volatile__("nop # [a.c:1:2]
;;   basic block 9, loop
	nop");
  PROF_edge_counter_22 = __gcov0.calls[5];
  PROF_edge_counter_23 = PROF_edge_counter_22 + 1;
  __gcov0.calls[5] = PROF_edge_counter_23;
  [forms.c:31:3] # DEBUG BEGIN_STMT
  [forms.c:31:27] _11 = MAX_EXPR <x_3(D), 7>;
;;    succ:       10 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:31:27

;;   basic block 10, loop depth 0, count 1073741824 (estimated locally), maybe hot
;;    prev block 9, next block 1, flags: (NEW, VISITED)
;;    pred:       7 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:26:10
;;                8 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:28:10
;;                9 [always]  count:357913942 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:31:27
;;   starting at line -1
  # _1 = PHI <[forms.c:26:10] _9(7), [forms.c:28:10] _6(8), [forms.c:31:27] _11(9)>
  return _1;
;;    succ:       EXIT [always]  count:1073741824 (estimated locally) (EXECUTABLE)

}


int goes (const unsigned char * p, int n)
{
  static void * const labels.0[2] = {[forms.c:12:33] &add, [forms.c:12:40] &end};
  unsigned char _1;
  int _2;
  void * _3;
  unsigned char _4;
  int _5;
  void * _6;
  void * gotovar.2_9;
  long int PROF_edge_counter_17;
  long int PROF_edge_counter_18;
  long int PROF_edge_counter_19;
  long int PROF_edge_counter_20;
  long int PROF_edge_counter_21;
  long int PROF_edge_counter_22;
  long int _23;
  long int time_profile_24;
  long int time_profile_25;
  void * _26;

;;   basic block 2, loop depth 0, count 118111600 (estimated locally), maybe hot
;;    prev block 0, next block 3, flags: (NEW)
;;    pred:       ENTRY [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE)
;;   starting at line -1
  _26 = __gcov_indirect_call.D.2044;
  if (_26 != 0B)
    goto <bb 3>; [20.00%]
  else
    goto <bb 4>; [80.00%]
;;    succ:       3 [20.0% (guessed)]  count:23622319 (estimated locally) (TRUE_VALUE)
;;                4 [80.0% (guessed)]  count:94489281 (estimated locally) (FALSE_VALUE)

;;   basic block 3, loop depth 0, count 118111600 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 23622319 (estimated locally), should be 118111600 (estimated locally)
;;    prev block 2, next block 4, flags: (NEW)
;;    pred:       2 [20.0% (guessed)]  count:23622319 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  __gcov_indirect_call_profiler_v4 (1745201201, goes);
;;    succ:       4 [always]  count:118111600 (estimated locally) (FALLTHRU)

;;   basic block 4, loop depth 0, count 118111600 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 212600881 (estimated locally), should be 118111600 (estimated locally)
;;    prev block 3, next block 5, flags: (NEW)
;;    pred:       2 [80.0% (guessed)]  count:94489281 (estimated locally) (FALSE_VALUE)
;;                3 [always]  count:118111600 (estimated locally) (FALLTHRU)
;;   starting at line -1
  PROF_edge_counter_17 = __gcov0.goes[0];
  PROF_edge_counter_18 = PROF_edge_counter_17 + 1;
  __gcov0.goes[0] = PROF_edge_counter_18;
  _23 = __gcov7.goes[0];
  if (_23 == 0)
    goto <bb 5>; [20.00%]
  else
    goto <bb 6>; [80.00%]
;;    succ:       5 [20.0% (guessed)]  count:23622319 (estimated locally) (TRUE_VALUE)
;;                6 [80.0% (guessed)]  count:94489281 (estimated locally) (FALSE_VALUE)

;;   basic block 5, loop depth 0, count 118111600 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 23622319 (estimated locally), should be 118111600 (estimated locally)
;;    prev block 4, next block 6, flags: (NEW)
;;    pred:       4 [20.0% (guessed)]  count:23622319 (estimated locally) (TRUE_VALUE)
;;   starting at line -1
  time_profile_24 = __gcov_time_profiler_counter;
  time_profile_25 = time_profile_24 + 1;
  __gcov7.goes[0] = time_profile_25;
  __gcov_time_profiler_counter = time_profile_25;
;;    succ:       6 [always]  count:118111600 (estimated locally) (FALLTHRU)

;;   basic block 6, loop depth 0, count 118111600 (estimated locally), maybe hot
;;   Invalid sum of incoming counts 212600881 (estimated locally), should be 118111600 (estimated locally)
;;    prev block 5, next block 7, flags: (NEW, VISITED)
;;    pred:       4 [80.0% (guessed)]  count:94489281 (estimated locally) (FALSE_VALUE)
;;                5 [always]  count:118111600 (estimated locally) (FALLTHRU)
;;   starting at line 14
  [forms.c:12:2] # DEBUG BEGIN_STMT
  [forms.c:14:2] # DEBUG BEGIN_STMT
  [forms.c:14:17] p_11 = p_10(D) + 1;
  [forms.c:14:17] # DEBUG p => p_11
  [forms.c:14:15] _1 = [forms.c:14:15] *p_10(D);
  [forms.c:14:15] _2 = (int) _1;
  [forms.c:14:14] _3 = [forms.c:14:14] labels.0[_2];
  [forms.c:14:2] goto <bb 8>; [100.00%]
;;    succ:       8 [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:14:2

;;   basic block 7, loop depth 1, count 955630225 (estimated locally), maybe hot
;;    prev block 6, next block 8, flags: (NEW, VISITED)
;;    pred:       8 [89.0% (guessed)]  count:955630224 (estimated locally) (ABNORMAL,EXECUTABLE)
;;   starting at line 15
[forms.c:15:1] add:
  [forms.c:16:2] # DEBUG BEGIN_STMT
  [forms.c:16:4] n_15 = n_8(ab) + 3;
  [forms.c:16:4] # DEBUG n => n_15
  [forms.c:17:2] # DEBUG BEGIN_STMT
  [forms.c:17:17] p_16 = p_7 + 1;
  [forms.c:17:17] # DEBUG p => p_16
  [forms.c:17:15] _4 = [forms.c:17:15] *p_7;
  [forms.c:17:15] _5 = (int) _4;
  [forms.c:17:14] _6 = [forms.c:17:14] labels.0[_5];
  PROF_edge_counter_19 = __gcov0.goes[1];
  PROF_edge_counter_20 = PROF_edge_counter_19 + 1;
  __gcov0.goes[1] = PROF_edge_counter_20;
;;    succ:       8 [always]  count:955630225 (estimated locally) (FALLTHRU,DFS_BACK,EXECUTABLE) forms.c:17:2

;;   basic block 8, loop depth 1, count 1073741824 (estimated locally), maybe hot
;;    prev block 7, next block 9, flags: (NEW, VISITED)
;;    pred:       6 [always]  count:118111600 (estimated locally) (FALLTHRU,EXECUTABLE) forms.c:14:2
;;                7 [always]  count:955630225 (estimated locally) (FALLTHRU,DFS_BACK,EXECUTABLE) forms.c:17:2
;;   starting at line -1
  # p_7 = PHI <[forms.c:14:17] p_11(6), [forms.c:17:17] p_16(7)>
  # n_8(ab) = PHI <n_13(D)(6), [forms.c:16:4] n_15(7)>
  # gotovar.2_9 = PHI <_3(6), _6(7)>
  # DEBUG n => n_8(ab)
  # DEBUG p => p_7
  goto gotovar.2_9;
;;    succ:       7 [89.0% (guessed)]  count:955630224 (estimated locally) (ABNORMAL,EXECUTABLE)
;;                9 [11.0% (guessed)]  count:118111600 (estimated locally) (ABNORMAL,EXECUTABLE)

;;   basic block 9, loop depth 0, count 118111600 (estimated locally), maybe hot
;;    prev block 8, next block 1, flags: (NEW, VISITED)
;;    pred:       8 [11.0% (guessed)]  count:118111600 (estimated locally) (ABNORMAL,EXECUTABLE)
;;   starting at line 18
  # n_14(ab) = PHI <n_8(ab)(8)>
[forms.c:18:1] end:
  PROF_edge_counter_21 = __gcov0.goes[2];
  PROF_edge_counter_22 = PROF_edge_counter_21 + 1;
  __gcov0.goes[2] = PROF_edge_counter_22;
  [forms.c:19:2] # DEBUG BEGIN_STMT
  [forms.c:19:9] return n_14(ab);
;;    succ:       EXIT [always]  count:118111600 (estimated locally) (EXECUTABLE) forms.c:19:9

}


