# Runs the long steps of ./dev: quiet, with visible progress, and with their output kept.

die() { echo "dev: $*" >&2; exit 1; }
bad_usage() { echo "dev: $*" >&2; exit 2; }

# step TEXT LOG COMMAND…: runs the command with its output in build/log/LOG. A terminal shows the
# last line of that output while it runs; a failure shows the end of the log.
step() {
  local text=$1 log=build/log/$2 start=$SECONDS status=0
  shift 2
  if ! logged "$text" "$log" "$@"; then
    status=1
    echo "dev: failed: $text (whole output: $log)" >&2
    # A compiler's first error explains more than the last line of a parallel build.
    grep -m 5 -nE '(error|Error|FAILED|E):' "$log" | cut -c 1-400 >&2 || true
    tail -n 30 "$log" | cut -c 1-400 >&2
  else
    echo "-- $text: done in $((SECONDS - start)) s"
  fi
  return $status
}

# logged TEXT LOG COMMAND…: the command's status; its output goes to LOG only.
logged() {
  local text=$1 log=$2 pid start=$SECONDS line
  shift 2
  mkdir -p "$(dirname "$log")"
  echo "-- $text"
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  # A background child of a script ignores Ctrl-C: it is told, and waited for.
  trap 'kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; exit 130' INT TERM
  if [ -t 1 ]; then
    while kill -0 "$pid" 2>/dev/null; do
      line=$(tail -n 1 "$log" | tr -d '\r\t' | cut -c 1-"$((${COLUMNS:-80} - 12))")
      printf '\r\033[K   %4d s  %s' "$((SECONDS - start))" "$line"
      sleep 0.5
    done
    printf '\r\033[K'
  fi
  local status=0
  wait "$pid" || status=$?
  trap - INT TERM
  return $status
}

# How many compilers at once: one a core, as long as each can have a gigabyte.
jobs_at_once() {
  local cores memory=0
  cores=$(nproc)
  [ ! -r /proc/meminfo ] || memory=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  local fit=$((${memory:-0} / 1048576))
  [ "$fit" -ge 1 ] || fit=1
  echo $((cores < fit ? cores : fit))
}
