#!/usr/bin/env bash
# libclBLAS.so.2 and libkiln.so together have at most 8 MB.   test-size.sh LIBRARY...
set -euo pipefail
bytes=0
for library in "$@"; do bytes=$((bytes + $(stat -Lc %s "$library"))); done
echo "$bytes bytes"
[ "$bytes" -le 8000000 ] || { echo "more than 8,000,000"; exit 1; }
