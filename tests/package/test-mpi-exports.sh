#!/usr/bin/env bash
# libkiln-mpi.so exports names of namespace kiln::mpi only, has its version in its name, and takes the
# functions of HDF5 from the parallel library, by their versions, while libkiln-mesh.so has the serial one.
#   test-mpi-exports.sh LIBRARY SONAME MESH-LIBRARY
set -euo pipefail
library=$1 soname=$2 mesh=$3 status=0
# Read whole first: a search that stops at its first match would end objdump by a broken pipe.
exports=$(nm -DC --defined-only "$library" | cut -c 20-)
foreign=$(grep -vE '^(KILN_MPI_[0-9.]+|(typeinfo( name)? for |vtable for )?kiln::mpi::.*)$' <<<"$exports" || true)
[ -z "$foreign" ] || { echo "exports outside namespace kiln::mpi:"; echo "$foreign"; status=1; }
grep -q '^kiln::mpi::transport(' <<<"$exports" || { echo "kiln::mpi::transport() is not exported"; status=1; }
dynamic=$(objdump -p "$library")
grep -qE "SONAME +$soname\$" <<<"$dynamic" || { echo "its SONAME is not $soname"; status=1; }
# Functions of HDF5 with the version that they are wanted in: one library's.
versions() { nm -D --undefined-only --with-symbol-versions "$1" | sed -n 's/.* H5[A-Z][a-z_A-Z0-9]*@\(HDF5_[A-Z]*\).*/\1/p' | sort -u; }
serial=$(versions "$mesh") parallel=$(versions "$library")
[ "$serial" = HDF5_SERIAL ] || { echo "$mesh has HDF5 of '$serial'"; status=1; }
[ -z "$parallel" ] || [ "$parallel" = HDF5_MPI ] || { echo "$library has HDF5 of '$parallel'"; status=1; }
for other in "$mesh" "$(dirname "$mesh")/libkiln.so"; do
  needed=$(objdump -p "$other")
  ! grep -qE 'NEEDED +libmpi' <<<"$needed" || { echo "$other links MPI"; status=1; }
done
exit $status
