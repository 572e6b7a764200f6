# Runs the long steps of ./dev: quiet, with visible progress, and with their output kept.

die() { echo "dev: $*" >&2; exit 1; }
bad_usage() { echo "dev: $*" >&2; exit 2; }

# "${strictly[@]}" COMMAND…: a command, or a function of tools/dev that ends at the first of its commands
# that fails, and says which. Where a caller looks at the status (`if`, `||`), bash would go on after it,
# in subshells as well: so it is another bash that runs the function, which has no such caller.
dev_parts=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
strictly=(bash -Eeuo pipefail -c '
  for part in "$1"/*.sh; do source "$part"; done
  shift
  declare -F "$1" >/dev/null || exec "$@"
  trap "say_failed \"\${BASH_SOURCE[0]-dev}:\$LINENO\" \$? \"\$BASH_COMMAND\"" ERR
  "$@"' strictly "$dev_parts")

say_failed() { echo "dev: ${1#"$PWD/"}: exit code $2: ${3%%$'\n'*}" >&2; }

# start_group COMMAND…: strictly, in the background, with nothing to read, and in a process group of
# its own: where ./dev is told to end, so is all that the command has started.
start_group() {
  set -m
  "${strictly[@]}" "$@" </dev/null &
  set +m
  group=$!
  trap 'end_group 130' INT
  trap 'end_group 143' TERM
}

wait_for_group() {
  local status=0
  wait "$group" || status=$?
  trap - INT TERM
  return $status
}

# end_group STATUS: what is left of the group after 10 s is killed; then ./dev ends.
end_group() {
  local tries=0
  trap '' INT TERM
  kill -TERM -- "-$group" 2>/dev/null || true
  # What root runs for a user, only root may end.
  [ "$(id -u)" -eq 0 ] || sudo -n kill -TERM -- "-$group" 2>/dev/null || true
  while kill -0 -- "-$group" 2>/dev/null && [ $((tries += 1)) -le 100 ]; do sleep 0.1; done
  kill -KILL -- "-$group" 2>/dev/null || true
  wait "$group" 2>/dev/null || true
  exit "$1"
}

# attempt COMMAND…: strictly, as one of several; the caller looks at the status and goes on. It may
# ask for a password, so it stays in the foreground of the terminal.
attempt() {
  local status=0 one
  (trap - INT && exec "${strictly[@]}" "$@") <&0 &
  one=$!
  trap 'kill -INT "$one" 2>/dev/null || true; wait "$one" || true; exit 130' INT
  trap 'kill -TERM "$one" 2>/dev/null || true; wait "$one" || true; exit 143' TERM
  wait "$one" || status=$?
  trap - INT TERM
  return $status
}

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
  local text=$1 log=$2 start=$SECONDS line
  shift 2
  mkdir -p "$(dirname "$log")"
  echo "-- $text"
  start_group "$@" >"$log" 2>&1
  if [ -t 1 ]; then
    while kill -0 "$group" 2>/dev/null; do
      line=$(tail -n 1 "$log" | tr -d '\r\t' | cut -c 1-"$((${COLUMNS:-80} - 12))")
      printf '\r\033[K   %4d s  %s' "$((SECONDS - start))" "$line"
      sleep 0.5
    done
    printf '\r\033[K'
  fi
  wait_for_group
}

# How many compilers at once: one a core, as long as each can have 1.5 GiB.
jobs_at_once() {
  local cores memory=0
  cores=$(nproc)
  [ ! -r /proc/meminfo ] || memory=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  local fit=$((${memory:-0} / 1572864))
  [ "$fit" -ge 1 ] || fit=1
  echo $((cores < fit ? cores : fit))
}
