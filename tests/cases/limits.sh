# What the cases check-limits and convert-limits share: profiles of loop.c that are good or poor by one figure each.
# A case is in an empty directory; recording.py's loop is $jump -> $head, in work, which $call calls.
"$softlbr" convert -b "$in/loop" -p "$in/loop.data" --to preagg=records 2>/dev/null || exit
read -r _ jump head _ < <(grep '^B .* 1500 0$' records)
read -r _ call work _ < <(grep '^B .* 100 0$' records)

# 4 % of the branches begin at what is none.
{
  cat records
  echo "B $head $head 64 0"
} >strange-branches
# 4 % of the ranges run through the return of work.
{
  cat records
  echo "F $head $call 64"
} >strange-ranges

# shown COMMAND...: it ends well; refused WHY COMMAND...: it ends with status 5, and says why. Each prints what it was of.
shown() {
  "$@" >out 2>err || exit 99
  echo "good: $*"
}
refused() {
  local why=$1
  shift
  "$@" >out 2>err
  [ $? = 5 ] && cat out err | grep -qF -- "$why" || exit 98
  echo "$why: $*"
}
