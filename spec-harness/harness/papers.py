# SPDX-License-Identifier: MIT
"""The papers' own figures, to be laid beside ours.

Break Dancing: branch tracing profiler with hardware breakpoints; SPEC CPU2006, sampling intervals of
500k, 1000k, 2000k, 4000k and 5000k taken branches. Taming: hardware event sampling for FDO; SPEC 2000."""

# Break Dancing, Table 1, Intel Xeon E5-2690: overhead in per cent
OVERHEAD_INTEL = {
    "400.perlbench": (27.17, 15.08, 7.17, 3.64, 3.03), "401.bzip2": (15.01, 9.07, 3.42, 1.80, 1.48),
    "403.gcc": (20.23, 11.88, 5.64, 4.18, 3.08), "429.mcf": (6.24, 5.46, 0.84, 3.37, 0.44),
    "433.milc": (2.70, 2.38, 1.60, 3.36, 2.00), "444.namd": (8.69, 4.40, 2.30, 1.13, 0.96),
    "445.gobmk": (15.89, 8.13, 3.94, 2.23, 1.90), "447.dealII": (19.95, 10.62, 5.35, 2.90, 2.37),
    "450.soplex": (11.93, 5.54, 2.42, 2.61, 0.49), "453.povray": (23.48, 13.75, 8.69, 3.82, 2.90),
    "456.hmmer": (13.91, 5.40, 1.46, -0.41, -0.76), "458.sjeng": (21.13, 10.48, 5.32, 2.80, 2.38),
    "462.libquantum": (25.58, 15.79, 11.62, 8.38, 5.16),
    "464.h264ref": (16.23, 8.52, 4.75, 2.10, 1.84), "470.lbm": (2.35, 0.74, 0.61, 2.27, 0.16),
    "471.omnetpp": (13.66, 7.93, 4.65, 3.25, 2.39), "473.astar": (11.49, 6.33, 5.11, 1.86, 1.03),
    "482.sphinx3": (15.32, 8.33, 4.12, 2.81, 2.26),
    "483.xalancbmk": (50.09, 25.82, 13.86, 7.97, 5.71)}
OVERHEAD_INTEL_MEAN = (13.65, 7.45, 3.71, 2.98, 1.65)
# Table 3: a server with over 400 threads on two Skylake sockets: application, breakpoints, decoding,
# sampling, in per cent of the threads' time
SERVER = {"500k": (53.77, 44.64, 1.46, 0.12), "1000k": (87.62, 11.00, 1.27, 0.11),
          "2000k": (97.06, 2.22, 0.66, 0.06), "5000k": (98.88, 0.81, 0.28, 0.03)}
# Tables 4 and 5: profile_diff's similarity of software traces and hardware LBR, in per cent, at 500k
SIMILARITY_INTEL = {
    "400.perlbench": 85.91, "401.bzip2": 99.31, "403.gcc": 99.50, "429.mcf": 96.30, "433.milc": 98.49,
    "444.namd": 99.29, "445.gobmk": 95.56, "447.dealII": 97.00, "450.soplex": 99.05,
    "453.povray": 92.84, "456.hmmer": 99.73, "458.sjeng": 95.36, "462.libquantum": 99.65,
    "464.h264ref": 97.23, "470.lbm": 99.88, "471.omnetpp": 91.11, "473.astar": 97.84,
    "482.sphinx3": 98.01, "483.xalancbmk": 95.03}
SIMILARITY_AMD = {
    "400.perlbench": 87.71, "401.bzip2": 97.91, "403.gcc": 98.90, "429.mcf": 90.60, "433.milc": 98.72,
    "444.namd": 95.91, "445.gobmk": 85.68, "447.dealII": 92.27, "450.soplex": 98.32,
    "453.povray": 74.00, "456.hmmer": 99.84, "458.sjeng": 88.67, "462.libquantum": 98.03,
    "464.h264ref": 90.57, "470.lbm": 99.74, "471.omnetpp": 73.22, "473.astar": 95.84,
    "482.sphinx3": 92.53, "483.xalancbmk": 81.85}
SIMILARITY_MEAN = (96.62, 91.22)
# Figure 4's text, and Figure 5's: usefulness of SPEC 2006 as a whole; microseconds per breakpoint
USEFULNESS = 0.6
BREAKPOINT_US = 9.0
# Taming, Table 1: overhead of sampling and of instrumented builds in per cent, of Pin as a factor
INSTRUMENTATION = {
    "164.gzip": (1.7, 40.1, 51), "176.gcc": (1.1, 66.2, 87), "181.mcf": (0.6, 2.0, 14),
    "253.perlbmk": (-0.5, 165.6, 128), "256.bzip2": (0.6, 41.3, 45)}
INSTRUMENTATION_MEAN = (0.9, 90.5, 62)
# Taming, section 6.1: mean overlap of edges gained by minimum-cost flow over static heuristics, and by
# classifying blocks on top; overlap at binary and at source level with LBR sampling
FLOW_GAIN, CLASSIFICATION_GAIN = 8.46, 7.67
BINARY_OVERLAP, SOURCE_OVERLAP, SOURCE_OVERLAP_IMPROVED = 96.95, 84.13, 92.93
# Taming, Figure 6: speed-up by profiles of the ref and of the train input, SPEC CINT2006, per cent
REF_SPEEDUP, TRAIN_SPEEDUP = 6.42, 4.69
