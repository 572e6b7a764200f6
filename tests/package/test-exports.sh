#!/usr/bin/env bash
# libkiln.so exports names of namespace kiln only, has its version in its name, and needs no library
# that a user would not expect.   test-exports.sh LIBRARY SONAME
set -euo pipefail
library=$1 soname=$2 status=0

foreign=$(nm -DC --defined-only "$library" | cut -c 20- |
  grep -vE '^(KILN_0|(typeinfo( name)? for |vtable for )?kiln::.*)$' || true)
[ -z "$foreign" ] || { echo "exports beside namespace kiln:"; echo "$foreign"; status=1; }

nm -DC --defined-only "$library" | grep -q 'kiln::version()' || { echo "kiln::version() is not exported"; status=1; }

objdump -p "$library" | grep -qE "SONAME +$soname\$" || { echo "its SONAME is not $soname"; status=1; }

unexpected=$(objdump -p "$library" | sed -n 's/^ *NEEDED *//p' |
  grep -vE '^(libOpenCL|libsodium|libxxhash|libsqlite3|libz|libstdc\+\+|libgcc_s|libm|libc|ld-linux-.*)\.so' || true)
[ -z "$unexpected" ] || { echo "links what no user expects: $unexpected"; status=1; }
exit $status
