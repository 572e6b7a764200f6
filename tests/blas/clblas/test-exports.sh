#!/usr/bin/env bash
# libclBLAS.so.2 exports the functions of clBLAS's header, four that the header does not have, and
# nothing else; no symbol has a version.   test-exports.sh LIBRARY SIGNATURES
set -euo pipefail
library=$1 signatures=$2
expected=$({ sed -n 's/^\(clblas[^\t]*\)\t.*/\1/p' "$signatures"
  printf 'clblas%s\n' AddScratchImage RemoveScratchImage FillMatrixAsync SelectImplementation
} | LC_ALL=C sort)
exported=$(nm -D --defined-only "$library" | cut -d ' ' -f 3 | LC_ALL=C sort)
[ "$(wc -l <<<"$expected")" = 178 ] || { echo "$signatures does not list 174 functions"; exit 1; }
if ! diff <(echo "$expected") <(echo "$exported"); then
  echo "< should be exported, > is exported"
  exit 1
fi
dynamic=$(objdump -p "$library")
grep -qE 'SONAME +libclBLAS\.so\.2$' <<<"$dynamic" || { echo "its SONAME is not libclBLAS.so.2"; exit 1; }
case $(readlink -f "$library") in
  */libclBLAS.so.2.12.0) ;;
  *) echo "the file is not called libclBLAS.so.2.12.0"; exit 1 ;;
esac
