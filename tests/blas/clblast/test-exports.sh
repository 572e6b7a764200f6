#!/usr/bin/env bash
# libclblast.so.1 exports what exports.txt lists and nothing else, among it every function of CLBlast's
# own library where that is installed; no symbol has a version.   test-exports.sh LIBRARY EXPORTS
set -euo pipefail
library=$1 expected=$(LC_ALL=C sort "$2")
exported=$(nm -D --defined-only "$library" | cut -d ' ' -f 3 | LC_ALL=C sort)
if ! diff <(echo "$expected") <(echo "$exported"); then
  echo "< should be exported, > is exported"
  exit 1
fi
dynamic=$(objdump -p "$library")
grep -qE 'SONAME +libclblast\.so\.1$' <<<"$dynamic" || { echo "its SONAME is not libclblast.so.1"; exit 1; }
own=$(find /usr/lib -name 'libclblast.so.1.*' -print -quit 2>/dev/null || true)
if [ -z "$own" ]; then
  echo "CLBlast is not installed: its names were not looked at"
  exit 0
fi
# Its inner classes are exported, too; functions of the interface return a StatusCode.
wanted=$(nm -D --defined-only "$own" | cut -d ' ' -f 3 | grep -E '^CLBlast|^_ZN7clblast(10ClearCache|9FillCache|18(Retrieve|Override)Parameters)' | LC_ALL=C sort)
missing=$(comm -23 <(echo "$wanted") <(echo "$exported"))
[ -z "$missing" ] || { echo "missing: $missing"; exit 1; }
