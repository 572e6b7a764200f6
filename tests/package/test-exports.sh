#!/usr/bin/env bash
# libkiln.so exports names of namespace kiln only, has its version in its name, and needs no library
# that a user would not expect.   test-exports.sh LIBRARY SONAME
set -euo pipefail
library=$1 soname=$2 status=0
# Read whole first: a search that stops at its first match would end nm by a broken pipe.
exports=$(nm -DC --defined-only "$library" | cut -c 20-)
dynamic=$(objdump -p "$library")

# What libclBLAS.so.2, libclblast.so.1 and libkiln-mesh.so call has a symbol version that ties the two libraries of a build together.
private='KILN_PRIVATE_[0-9.]+|(kiln_blas_(run|run_items|forget|tune|set_parameters)|kiln_is_queue|kiln_process_(resolver|call_log))@@KILN_PRIVATE_[0-9.]+'
foreign=$(grep -vE "^($private|KILN_[0-9.]+|(typeinfo( name)? for |vtable for )?kiln::.*)$" <<<"$exports" || true)
[ -z "$foreign" ] || { echo "exports outside namespace kiln:"; echo "$foreign"; status=1; }

grep -q '^kiln::version()' <<<"$exports" || { echo "kiln::version() is not exported"; status=1; }

grep -qE "SONAME +$soname\$" <<<"$dynamic" || { echo "its SONAME is not $soname"; status=1; }

unexpected=$(sed -n 's/^ *NEEDED *//p' <<<"$dynamic" |
  grep -vE '^(libOpenCL|libsodium|libxxhash|libsqlite3|libhiredis|libz|libstdc\+\+|libgcc_s|libm|libc|ld-linux-.*)\.so' || true)
[ -z "$unexpected" ] || { echo "links what no user expects: $unexpected"; status=1; }
# libkiln-mesh.so has the one Resolver of a process from here, none of its own.
mesh=$(dirname "$library")/libkiln-mesh.so
if [ -e "$mesh" ]; then
  wanted=$(nm -D --undefined-only "$mesh")
  for name in kiln_process_resolver kiln_process_call_log; do
    grep -q " $name@" <<<"$wanted" || { echo "$mesh has a $name of its own"; status=1; }
  done
fi
exit $status
