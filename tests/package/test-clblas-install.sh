#!/usr/bin/env bash
# Installs a finished build into a scratch prefix, and builds and runs a C program that knows clBLAS
# and nothing of Kiln.   test-clblas-install.sh SOURCE BUILD
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
for header in clBLAS.h clBLAS-complex.h clAmdBlas.h; do
  [ -f "$prefix/include/$header" ] || { echo "$header is not installed"; exit 1; }
done

PKG_CONFIG_PATH=$libraries/pkgconfig cmake -G Ninja -S "$source/tests/package/clblas_consumer" \
  -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug
ninja -C "$scratch/consumer" -j 1

export KILN_STORE=off POCL_CACHE_DIR=$scratch/pocl-cache
mkdir "$POCL_CACHE_DIR"
expected='0 8 9 20 18 -1016'
for program in by_target by_variables by_pkg_config; do
  printed=$("$scratch/consumer/$program")
  [ "$printed" = "$expected" ] || { echo "$program printed '$printed', not '$expected'"; exit 1; }
done

# A program that was linked long ago finds the library by LD_LIBRARY_PATH, and libkiln next to it.
cp "$scratch/consumer/by_target" "$scratch/old"
mkdir "$scratch/elsewhere"
cp -P "$libraries"/libclBLAS.so* "$libraries"/libkiln.so* "$scratch/elsewhere"
mv "$prefix" "$scratch/gone"
printed=$(LD_LIBRARY_PATH=$scratch/elsewhere "$scratch/old")
[ "$printed" = "$expected" ] || { echo "by LD_LIBRARY_PATH: '$printed', not '$expected'"; exit 1; }
echo "installed, found and run from $(basename "$prefix")"
