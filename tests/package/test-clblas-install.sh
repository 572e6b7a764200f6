#!/usr/bin/env bash
# Installs a finished build into a scratch prefix, and builds and runs programs that know clBLAS (in C)
# or CLBlast (in C++), and nothing of Kiln.   test-clblas-install.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/first

cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
# An installed tree may be moved as a whole.
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved
libraries=$(dirname "$(find "$prefix" -name libclBLAS.so)")
for header in clBLAS.h clBLAS-complex.h clAmdBlas.h clblast.h clblast_c.h clblast_half.h; do
  [ -f "$prefix/include/$header" ] || { echo "$header is not installed"; exit 1; }
done

for consumer in clblas clblast; do
  PKG_CONFIG_PATH=$libraries/pkgconfig cmake -G Ninja -S "$source/tests/package/${consumer}_consumer" \
    -B "$scratch/$consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug
  ninja -C "$scratch/$consumer" -j 1
done

export KILN_STORE=off POCL_CACHE_DIR=$scratch/pocl-cache
mkdir "$POCL_CACHE_DIR"
expected='0 8 9 20 18 -1016'
for program in clblas/by_target clblas/by_variables clblas/by_pkg_config clblast/by_target \
               clblast/by_pkg_config; do
  printed=$("$scratch/$program")
  [ "$printed" = "$expected" ] || { echo "$program printed '$printed', not '$expected'"; exit 1; }
done

# Programs that were linked long ago find the library by LD_LIBRARY_PATH, and libkiln next to it.
mkdir "$scratch/elsewhere"
cp -P "$libraries"/libclBLAS.so* "$libraries"/libclblast.so* "$libraries"/libkiln.so* "$scratch/elsewhere"
mv "$prefix" "$scratch/gone"
for consumer in clblas clblast; do
  printed=$(LD_LIBRARY_PATH=$scratch/elsewhere "$scratch/$consumer/by_target")
  [ "$printed" = "$expected" ] || { echo "$consumer by LD_LIBRARY_PATH: '$printed', not '$expected'"; exit 1; }
done
echo "installed, found and run from $(basename "$prefix")"
