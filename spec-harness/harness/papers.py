# SPDX-License-Identifier: MIT
"""The papers' own figures, to be laid beside ours.

Break Dancing: branch tracing profiler with hardware breakpoints; SPEC CPU2006, sampling intervals of
500k, 1000k, 2000k, 4000k and 5000k taken branches. Taming: hardware event sampling for FDO; SPEC 2000."""

INTERVALS = ("500k", "1000k", "2000k", "4000k", "5000k")  # taken branches
# Break Dancing, Table 1, Intel Xeon E5-2690 and AMD EPYC 7B12: overhead in per cent
OVERHEAD_INTEL = {
    "400.perlbench": (27.17, 15.08, 7.17, 3.64, 3.03), "401.bzip2": (15.01, 9.07, 3.42, 1.8, 1.48),
    "403.gcc": (20.23, 11.88, 5.64, 4.18, 3.08), "429.mcf": (6.24, 5.46, 0.84, 3.37, 0.44),
    "433.milc": (2.7, 2.38, 1.6, 3.36, 2), "444.namd": (8.69, 4.4, 2.3, 1.13, 0.96),
    "445.gobmk": (15.89, 8.13, 3.94, 2.23, 1.9), "447.dealII": (19.95, 10.62, 5.35, 2.9, 2.37),
    "450.soplex": (11.93, 5.54, 2.42, 2.61, 0.49), "453.povray": (23.48, 13.75, 8.69, 3.82, 2.9),
    "456.hmmer": (13.91, 5.4, 1.46, -0.41, -0.76), "458.sjeng": (21.13, 10.48, 5.32, 2.8, 2.38),
    "462.libquantum": (25.58, 15.79, 11.62, 8.38, 5.16), "464.h264ref": (16.23, 8.52, 4.75, 2.1, 1.84),
    "470.lbm": (2.35, 0.74, 0.61, 2.27, 0.16), "471.omnetpp": (13.66, 7.93, 4.65, 3.25, 2.39),
    "473.astar": (11.49, 6.33, 5.11, 1.86, 1.03), "482.sphinx3": (15.32, 8.33, 4.12, 2.81, 2.26),
    "483.xalancbmk": (50.09, 25.82, 13.86, 7.97, 5.71)}
OVERHEAD_INTEL_MEAN = (13.65, 7.45, 3.71, 2.98, 1.65)
OVERHEAD_AMD = {
    "400.perlbench": (21.6, 10.8, 5.82, 3.21, 3.55), "401.bzip2": (13.14, 6.6, 3.33, 1.69, 1.28),
    "403.gcc": (17.39, 7.47, 4.41, 1.9, 0.98), "429.mcf": (5.26, 2.48, 2.03, 1.04, 1.11),
    "433.milc": (3.79, 1.99, 1.47, 1.29, 0.52), "444.namd": (9.37, 4.63, 2.75, 1.39, 1.1),
    "445.gobmk": (13.51, 6.96, 4.17, 2.11, 1.67), "447.dealII": (15.6, 9.04, 4.22, 2.08, 1.52),
    "450.soplex": (10.53, 6.2, 3.62, 2.06, 1.76), "453.povray": (17.18, 8.58, 6.17, 2.26, 1.6),
    "456.hmmer": (10.24, 5.71, 2.75, 1.4, 1.38), "458.sjeng": (14.11, 7.14, 5.48, 2.35, 1.54),
    "462.libquantum": (20.19, 10.85, 6.42, 3.38, 2.81), "464.h264ref": (13.93, 7.46, 4.02, 2.45, 1.9),
    "470.lbm": (3.83, 2.02, 1.02, 0.52, 0.38), "471.omnetpp": (9.08, 6.16, 5.44, 2.94, 2.84),
    "473.astar": (9.04, 4.8, 3.02, 1.73, 1.11), "482.sphinx3": (16.13, 8.1, 4.48, 2.95, 1.94),
    "483.xalancbmk": (30.9, 15.88, 8.96, 4.78, 3.7)}
OVERHEAD_AMD_MEAN = (11.78, 6.17, 3.73, 1.97, 1.49)
# Table 3: a server with over 400 threads on two Skylake sockets: application, breakpoints, decoding,
# sampling, in per cent of the threads' time
SERVER = {"500k": (53.77, 44.64, 1.46, 0.12), "1000k": (87.62, 11.00, 1.27, 0.11),
          "2000k": (97.06, 2.22, 0.66, 0.06), "5000k": (98.88, 0.81, 0.28, 0.03)}
# Tables 4 and 5: profile_diff's similarity of software traces on Intel and on AMD with hardware LBR on
# Intel, in per cent
SIMILARITY_INTEL = {
    "400.perlbench": (85.91, 85.9, 86.33, 85.77, 86.32), "401.bzip2": (99.31, 99.47, 99.55, 99.38, 99.55),
    "403.gcc": (99.5, 99.49, 99.44, 99.45, 99.52), "429.mcf": (96.3, 96.33, 96.48, 96.78, 96.17),
    "433.milc": (98.49, 98.41, 98.46, 98.65, 98.78), "444.namd": (99.29, 98.93, 99.12, 98.96, 99.24),
    "445.gobmk": (95.56, 95.41, 95.25, 95.22, 95.25), "447.dealII": (97, 97.44, 97.11, 97.14, 96.89),
    "450.soplex": (99.05, 99.16, 99.15, 98.89, 98.48), "453.povray": (92.84, 92.82, 92.83, 92.84, 92.88),
    "456.hmmer": (99.73, 99.76, 99.73, 99.76, 99.77), "458.sjeng": (95.36, 95.38, 95.34, 95.3, 95.44),
    "462.libquantum": (99.65, 99.72, 99.72, 99.67, 99.66),
    "464.h264ref": (97.23, 97.09, 97.2, 97.2, 97.29), "470.lbm": (99.88, 99.88, 99.88, 99.8, None),
    "471.omnetpp": (91.11, 91.05, 91.01, 90.98, 91), "473.astar": (97.84, 97.79, 97.75, 97.56, 97.62),
    "482.sphinx3": (98.01, 98, 98.02, 98.18, 97.52), "483.xalancbmk": (95.03, 95.2, 95.18, 95.1, 95.17)}
SIMILARITY_INTEL_MEAN = (96.62, 96.63, 96.65, 96.6, 96.41)
SIMILARITY_AMD = {
    "400.perlbench": (87.71, 87.67, 87.7, 87.32, 86.98), "401.bzip2": (97.91, 97.98, 97.66, 97.98, 97.98),
    "403.gcc": (98.9, 98.84, 98.96, 98.97, 99.13), "429.mcf": (90.6, 90.43, 90.07, 91.55, 90.55),
    "433.milc": (98.72, 98.57, 98.49, 98.61, 98.64), "444.namd": (95.91, 95.64, 95.71, 95.68, 95.78),
    "445.gobmk": (85.68, 86.04, 85.62, 85.86, 85.26), "447.dealII": (92.27, 92.4, 92.57, 92.88, 92.56),
    "450.soplex": (98.32, 98.12, 98.24, 98.27, 97.79), "453.povray": (74, 74.3, 74.46, 73.65, 74.19),
    "456.hmmer": (99.84, 99.82, 99.81, 99.8, 99.84), "458.sjeng": (88.67, 88.84, 88.45, 88.77, 88.76),
    "462.libquantum": (98.03, 98.05, 98.09, 98.12, 98.04),
    "464.h264ref": (90.57, 90.54, 90.57, 90.51, 90.38), "470.lbm": (99.74, 99.76, 99.7, 99.77, 99.55),
    "471.omnetpp": (73.22, 73.54, 72.73, 72.95, 73.05), "473.astar": (95.84, 95.69, 96.17, 96.22, 96.1),
    "482.sphinx3": (92.53, 92.74, 92.48, 92.09, 92.52), "483.xalancbmk": (81.85, 82, 82.06, 82.08, 81.99)}
SIMILARITY_AMD_MEAN = (91.22, 91.27, 91.18, 91.26, 91.16)
# Figure 4's text, and Figure 5's: usefulness of SPEC 2006 as a whole; microseconds per breakpoint
USEFULNESS = 0.6
BREAKPOINT_US = 9.0
# Taming, Table 1: overhead of sampling and of instrumented builds in per cent, of Pin as a factor
INSTRUMENTATION = {
    "164.gzip": (1.7, 40.1, 51), "175.vpr": (0.9, 15.6, 44), "176.gcc": (1.1, 66.2, 87),
    "181.mcf": (0.6, 2.0, 14), "186.crafty": (1.8, 103.9, 95), "197.parser": (0.8, 52.2, 62),
    "252.eon": (1.0, 240.6, 71), "253.perlbmk": (-0.5, 165.6, 128), "254.gap": (1.0, 351.5, 101),
    "255.vortex": (1.6, 208.8, 150), "256.bzip2": (0.6, 41.3, 45), "300.twolf": (1.4, 50.7, 31)}
INSTRUMENTATION_MEAN = (0.9, 90.5, 62)
# Taming, section 6.1 (Figures 3 and 4; SPEC CINT2000, means): overlap of edges with truth in per cent. The
# text has 82.3 with classified blocks, 8.46 and 7.67 points for the steps before it.
EDGE_OVERLAP = {"raw": 66.17, "flow": 74.63, "classified": 82.3, "perfect": 83.5, "lbr": 96.95}
FUNCTION_OVERLAP = 88.03
BINARY_OVERLAP, SOURCE_OVERLAP, SOURCE_OVERLAP_IMPROVED = 96.95, 84.13, 92.93
# Taming, Figure 5's text: speed-up over -O2, SPEC CINT2000, mean, per cent: a profile of hardware events,
# of branch records, with modules that are compiled together (LIPO), with values; the last is 91.8 % of what the
# instrumented builds have
COMPONENTS = {"events": 4.35, "edges": 7.38, "grouping": 11.85, "values": 14.24, "instrumented": 14.24 / 0.918}
# Taming, Figure 6: speed-up by profiles of the train and of the ref input, SPEC CINT2006, per cent: by
# sampling, and what the instrumented builds have by the shares of it that the caption gives
TRAIN_SPEEDUP, REF_SPEEDUP = 4.69, 6.42
TRAIN_INSTRUMENTED, REF_INSTRUMENTED = TRAIN_SPEEDUP / 0.852, REF_SPEEDUP / 0.919


def rows_of(programs):
    """The paper's benchmarks that programs stand for, in the programs' order."""
    rows = []
    for program in programs:
        row = program.about["spec"]
        if row in OVERHEAD_INTEL and row not in rows:
            rows.append(row)
    return rows
