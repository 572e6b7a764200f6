# shellcheck shell=bash
# What the scripts of this folder have in common. Each runs one program that knows nothing of Kiln:
#
#   NAME.sh OUTDIR
#
# writes OUTDIR/output, whose bytes are equal from run to run, and exits with the program's exit
# code; 77 with one line on standard output where the program is not installed. The environment is
# the caller's and reaches the program unchanged. The program's own kernel cache lies in the folder
# LAYER_CACHE (made here if it is not there), so that the caller can empty it; programs that
# have to be compiled are in the folder LAYER_PROGRAMS.

# prepare NAME.sh [OUTDIR]: checks the contract's arguments and makes the folders.
prepare() {
  if [ $# -ne 2 ] || [ -z "${LAYER_CACHE:-}" ]; then
    echo "usage: LAYER_CACHE=FOLDER $1 OUTDIR" >&2
    exit 2
  fi
  mkdir -p "$2" "$LAYER_CACHE"
  # An output of an earlier run must not pass for this one's.
  rm -f "$2/output"
}

skip() {
  echo "skipped: $1"
  exit 77
}

# need_program PROGRAM PACKAGE
need_program() {
  command -v "$1" > /dev/null || skip "$2 is not installed"
}

# need_built NAME PACKAGE: sets BUILT to the path of a program of this folder's CMakeLists.txt.
need_built() {
  BUILT=${LAYER_PROGRAMS:?names the folder of the built programs}/$1
  [ -x "$BUILT" ] || skip "$2 is not installed"
}

# need_module MODULE PACKAGE: sets PYTHON to the interpreter that Debian's packages belong to. It
# is looked up without an import, which might call OpenCL already.
need_module() {
  PYTHON=/usr/bin/python3
  "$PYTHON" - "$1" 2> /dev/null << 'END' || skip "$2 is not installed"
import importlib.util
import sys
sys.exit(importlib.util.find_spec(sys.argv[1]) is None)
END
}
