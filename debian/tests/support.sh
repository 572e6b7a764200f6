# What the stories share. A scratch folder is home, so that no store but theirs is there.
set -euo pipefail
cd "${AUTOPKGTEST_TMP:?a folder for the test}"
export HOME=$PWD POCL_CACHE_DIR=$PWD/pocl-cache
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_STATE_HOME KILN_STORE
mkdir -p "$POCL_CACHE_DIR"
examples=/usr/share/doc/kiln/examples

# expect TEXT COMMAND…: its output has the text, a pattern of grep, and it succeeds.
expect() {
  local wanted=$1 output
  shift
  output=$("$@" 2>&1) || { echo "$* failed:"; echo "$output"; exit 1; }
  grep -qE -- "$wanted" <<<"$output" ||
    { echo "$* printed no '$wanted':"; echo "$output"; exit 1; }
}
