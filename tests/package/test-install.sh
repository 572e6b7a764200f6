#!/usr/bin/env bash
# Installs a finished build into a scratch prefix, and builds and runs a stranger's project with it.
#   test-install.sh SOURCE BUILD VERSION
set -euo pipefail
source=$1 build=$2 version=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/first

cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
# An installed tree may be moved as a whole.
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved
libraries=$(dirname "$(find "$prefix" -name libkiln.so)")

PKG_CONFIG_PATH=$libraries/pkgconfig cmake -G Ninja -S "$source/tests/package/consumer" \
  -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug
ninja -C "$scratch/consumer" -j 1

for program in by_cmake by_pkg_config; do
  printed=$("$scratch/consumer/$program")
  [ "$printed" = "bad_input $version" ] || { echo "$program printed '$printed'"; exit 1; }
done

if [ -x "$prefix/bin/kiln" ]; then
  printed=$("$prefix/bin/kiln" --version)
  case $printed in
    *"$version"*) ;;
    *) echo "the installed kiln --version printed '$printed'"; exit 1 ;;
  esac
fi
echo "installed, found and run from $(basename "$prefix")"
