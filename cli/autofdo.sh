#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of google/autofdo by those of softlbr: create_gcov, create_llvm_prof and sample_merger are softlbr convert,
# profile_merger is merge, dump_gcov show, profile_diff diff. It is installed under each of these names beside softlbr,
# takes their options, and prints and returns what softlbr does. An option that softlbr has nothing for is refused.
set -eu
name=${0##*/}
softlbr=$(dirname "$(readlink -f "$0")")/softlbr

# refuse WHAT: bad usage
refuse() {
  echo "$name: $*" >&2
  echo "Try 'man $name' for more information." >&2
  exit 2
}

# The options of each command that have a value, and those that are switches; without them the variables are these.
binary=data.binary profile=perf.data profiler=perf use_lbr=true gcov='' gcov_version='' out='' format=''
prof_sym_list=false output_file=fbdata.afdo is_llvm=false compare_function=false strip_dup_backedge_stride_limit=''
sampled_words="binary profile profiler gcov strip_dup_backedge_stride_limit"
case $name in
create_gcov)
  gcov=fbdata.afdo
  words="$sampled_words gcov_version"
  switches=use_lbr
  usage="[--binary=FILE] [--profile=FILE] [--gcov=FILE] [--gcov_version=1|2|3] [OPTION...]"
  ;;
create_llvm_prof)
  binary=a.out
  words="$sampled_words out format"
  switches="use_lbr prof_sym_list"
  usage="[--binary=FILE] [--profile=FILE] --out=FILE [--format=text|binary|extbinary] [OPTION...]"
  ;;
profile_merger)
  words="output_file gcov_version format"
  switches=is_llvm
  usage="[--output_file=FILE] [--is_llvm] [--format=text|binary|extbinary] FILE..."
  ;;
dump_gcov)
  words=gcov_version
  switches=
  usage="FILE"
  ;;
profile_diff)
  words=gcov_version
  switches=compare_function
  usage="[--compare_function] A B"
  ;;
sample_merger)
  profile=data.profile output_file=data.txt
  words="binary profile profiler output_file strip_dup_backedge_stride_limit"
  switches=
  usage="[--binary=FILE] [--profile=FILE] [--output_file=FILE]"
  ;;
*)
  echo "$name: expected to be called as a command of autofdo: create_gcov, create_llvm_prof ..." >&2
  exit 2
  ;;
esac

# What softlbr decides by itself, or does not do: messages, lengths of lists, and how discriminators are encoded, which
# follows the format and the binary.
ignored_words="stderrthreshold minloglevel v vmodule log_dir dump_cutoff_percent"
ignored_switches="logtostderr alsologtostderr colorlogtostderr demangle_symbol_names compress_symbol_list"
ignored_switches="$ignored_switches use_discriminator_encoding use_fs_discriminator use_base_only_in_fs_discriminator"

# among WORD WORDS
among() {
  case " $2 " in
  *" $1 "*) ;;
  *) return 1 ;;
  esac
}

# truth OPTION VALUE: true or false
truth() {
  case $2 in
  true | 1 | t | y | yes | '') echo true ;;
  false | 0 | f | n | no) echo false ;;
  *) refuse "--$1=$2: expected true or false" ;;
  esac
}

# no_such OPTION VALUE: an option that has no counterpart is refused with what to do, unless its value asks for nothing
no_such() {
  case $1=$2 in
  use_discriminator_multiply_factor=true | merge_special_syms=true) return ;;
  suffix_elision_policy=all | suffix_elision_policy=selected | symbol_list_size_coverage_ratio=1*) return ;;
  use_discriminator_multiply_factor=* | suffix_elision_policy=* | merge_special_syms=* | symbol_list_size*) ;;
  *=false | *=0 | *=0.0) return ;;
  esac
  case $1 in
  propeller_* | profiled_binary_name | ignore_build_id)
    instead="profiles for Propeller: softlbr convert --to propeller=FILE --to propeller-order=FILE" ;;
  focus_binary_re) instead="give the module's file or name, as --binary=libfoo.so" ;;
  sample_threshold_frac) instead="functions that hardly ran are kept; no compiler takes them for hot" ;;
  suffix_elision_policy) instead="names are cut as the compiler that reads them cuts them" ;;
  use_discriminator_multiply_factor) instead="copies of a statement are always added up" ;;
  prof_sym_list | symbol_list_size_coverage_ratio)
    instead="all names or none: create_llvm_prof --format=extbinary --prof_sym_list" ;;
  llc_misses) instead="counts are of executions; for another event: softlbr convert --event=NAME" ;;
  debug_dump) instead="softlbr show prints a profile" ;;
  prefetch_hints | cutoff_percent | max_ggc_memory | http | disassemble_arm_branches)
    instead="no released compiler has a use for it; leave it out" ;;
  use_md5) instead="use softlbr convert --llvm-md5, or llvm-profdata merge --sample --extbinary --use-md5" ;;
  compress)
    instead="use softlbr convert --llvm-compress, or llvm-profdata merge --sample --extbinary --compress-all-sections"
    ;;
  partial_profile) instead="use llvm-profdata merge --sample --extbinary --gen-partial-profile" ;;
  split_layout) instead="use llvm-profdata merge --sample --extbinary --split-layout" ;;
  include_symbol_list) instead="use llvm-profdata merge --sample --extbinary --prof-sym-list=FILE" ;;
  merge_special_syms | strip_symbols_regex | max_call_targets | max_inline_callsite_nesting_level | \
    inline_instances_at_same_loc_cutoff)
    instead="profiles are added up whole; leave it out" ;;
  no?*)
    no_such "${1#no}" false
    return
    ;;
  *) refuse "--$1: there is no such option" ;;
  esac
  refuse "--$1: $instead"
}

# Options and files in any order; what is left in "$@" are the files.
left=$#
while [ "$left" -gt 0 ]; do
  argument=$1
  shift
  left=$((left - 1))
  case $argument in
  --)
    while [ "$left" -gt 0 ]; do
      set -- "$@" "$1"
      shift
      left=$((left - 1))
    done
    continue
    ;;
  -?*) ;;
  *)
    set -- "$@" "$argument"
    continue
    ;;
  esac
  option=${argument#-}
  option=${option#-}
  value=${option#*=}
  given=true
  case $option in *=*) ;; *) value='' given=false ;; esac
  option=$(echo "${option%%=*}" | tr - _)
  case $option in
  help | helpfull | helpshort)
    echo "usage: $name $usage"
    exit
    ;;
  version) exec "$softlbr" --version ;;
  no*) ! among "${option#no}" "$switches $ignored_switches" || option=${option#no} value=false ;;
  esac
  if among "$option" "$switches"; then
    value=$(truth "$option" "$value")
    eval "$option=\$value"
  elif among "$option" "$words $ignored_words"; then
    if ! $given; then
      [ "$left" -gt 0 ] || refuse "--$option: a value is missing"
      value=$1
      shift
      left=$((left - 1))
    fi
    ! among "$option" "$words" || eval "$option=\$value"
  elif ! among "$option" "$ignored_switches"; then
    no_such "$option" "$value"
  fi
done

# convert FORMAT FILE [OPTION...]: the recording to one profile
convert() {
  to=$1=$2
  shift 2
  case $profiler in
  perf) ;;
  text) set -- "$@" --input-format=ranges ;;
  perf_spe)
    refuse "--profiler=perf_spe: give the text of perf script -F pid,brstack --itrace=bl instead, with --profiler=perf"
    ;;
  *) refuse "--profiler=$profiler: expected perf or text" ;;
  esac
  $use_lbr || set -- "$@" --ip-samples
  [ -z "$strip_dup_backedge_stride_limit" ] || set -- "$@" --stride="$strip_dup_backedge_stride_limit"
  "$softlbr" convert --binary "$binary" --profile "$profile" "$@" --to "$to"
}

# version_of FILE: the gcov version in its head
version_of() { od -An -tu4 -j4 -N4 "$1" | tr -d ' '; }

# Of version 2, gcc 12 reads less than its successors: it is written for the one that built the binary.
create_version_2() {
  status=0
  messages=$(convert gcov "$gcov" 2>&1) || status=$?
  case $status in
  0 | 5)
    if [ "$(version_of "$gcov")" != 2 ]; then
      convert gcov "$gcov" --gcc=12
      return
    fi
    ;;
  esac
  printf '%s\n' "$messages" >&2
  return $status
}

create_gcov() {
  [ $# = 0 ] || refuse "$1: files are given with --binary, --profile and --gcov"
  case $gcov_version in
  '' | 875575082 | 0x3430372a)
    echo "$name: no --gcov_version: written for the gcc that built $binary, else for gcc 12" >&2
    convert gcov "$gcov"
    ;;
  1) convert gcov "$gcov" --gcc=11 ;;
  2) create_version_2 ;;
  3) convert gcov "$gcov" --gcc=16 ;;
  *) refuse "--gcov_version=$gcov_version: expected 1 (gcc 5 to 11), 2 (gcc 12 to 15) or 3 (gcc 16 and later)" ;;
  esac
}

check_format() {
  case $format in
  text | binary | extbinary) ;;
  propeller) no_such propeller_output '' ;;
  *) refuse "--format=$format: expected text, binary or extbinary" ;;
  esac
}

create_llvm_prof() {
  [ $# = 0 ] || refuse "$1: files are given with --binary, --profile and --out"
  [ -z "$gcov" ] || [ -z "$out" ] || [ "$gcov" = "$out" ] || refuse "--out=$out and --gcov=$gcov: give one of them"
  out=${out:-$gcov}
  [ -n "$out" ] || refuse "--out is needed"
  format=${format:-text}
  check_format
  if ! $prof_sym_list; then
    convert "llvm-$format" "$out"
  elif [ "$format" = extbinary ]; then
    convert "llvm-$format" "$out" --llvm-symbols
  else
    refuse "--prof_sym_list: needs --format=extbinary"
  fi
}

profile_merger() {
  [ $# -gt 0 ] || refuse "files to merge are needed"
  ! $is_llvm || format=${format:-binary}
  case $gcov_version in
  '' | 875575082 | 0x3430372a) ;;
  *)
    version=$("$softlbr" show --json -- "$1" 2>/dev/null | sed -n 's/^  "version": \([0-9]*\).*/\1/p')
    [ -z "$version" ] || [ "$version" = "$gcov_version" ] ||
      refuse "--gcov_version=$gcov_version: the sum has the version of its files, and $1 has $version"
    ;;
  esac
  if [ -n "$format" ]; then
    check_format
    set -- --to "llvm-$format" -- "$@"
  else
    set -- -- "$@"
  fi
  "$softlbr" merge -o "$output_file" "$@"
}

dump_gcov() {
  [ $# = 1 ] || refuse "one file is needed"
  "$softlbr" show --top 0 --by functions,lines,calls -- "$1"
}

# AutoFDO's number is the level function of softlbr diff.
profile_diff() {
  [ $# = 2 ] || refuse "two files to compare are needed"
  scores=$("$softlbr" diff --json -- "$@")
  ! $compare_function || "$softlbr" diff -- "$@"
  score=$(printf '%s\n' "$scores" | sed -n '/"scores"/,/}/s/.*"function": \([0-9.e-]*\).*/\1/p')
  [ -n "$score" ] || refuse "$1 and $2 have no functions in common to compare: see softlbr diff"
  LC_ALL=C printf '%.4f\n' "$score"
}

# The recording is added to what the file has already.
sample_merger() {
  [ $# = 0 ] || refuse "$1: files are given with --binary, --profile and --output_file"
  [ -s "$output_file" ] || {
    convert afdo-text "$output_file"
    return
  }
  status=0
  convert afdo-text "$output_file.new" --profile "$output_file" || status=$?
  case $status in
  0 | 5) mv "$output_file.new" "$output_file" ;;
  esac
  return $status
}

$name "$@"
