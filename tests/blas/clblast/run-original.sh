#!/usr/bin/env bash
# Runs CLBlast's own test programs (Debian's package clblast-tests) on another library in place of
# CLBlast's: they check its results against a reference BLAS. All checks must pass.
#   run-original.sh LIBRARY ROUTINE...
# They import inner helpers of CLBlast's library, too, so that it is loaded behind the other one.
# KILN_SOME_PRECISIONS is a library that leaves out the precisions that KILN_PRECISIONS does not name;
# with KILN_LONG none are left out.
set -euo pipefail
library=$1
shift
own=$(find /usr/lib -name 'libclblast.so.1.*' -print -quit 2>/dev/null || true)
if [ -z "$own" ] || ! command -v "clblast_test_$1" >/dev/null; then
  echo "clblast-tests is not installed"
  exit 0
fi
some=${KILN_SOME_PRECISIONS:-}
[ -z "${KILN_LONG:-}" ] || some=
output=$(mktemp)
trap 'rm -f "$output"' EXIT
for routine in "$@"; do
  LD_PRELOAD="$some $library $own" "clblast_test_$routine" >"$output" 2>&1 || { tail -20 "$output"; exit 1; }
  # Lines such as "   36 test(s) passed", in colours.
  sed 's/\x1b\[[0-9;]*m//g' "$output" | awk -v name="$routine" '
    /test\(s\) passed/ { passed += $1 } /test\(s\) failed/ { failed += $1 } /test\(s\) skipped/ { skipped += $1 }
    END { printf "%s: %d passed, %d failed, %d without a reference\n", name, passed, failed, skipped
          exit !(passed > 0 && failed == 0) }'
done
