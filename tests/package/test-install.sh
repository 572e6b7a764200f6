#!/usr/bin/env bash
# Installs a finished build into a scratch prefix, and builds and runs a stranger's project with it, and an
# example or two for each library. With KILN_LONG all examples are built and run: else Kiln's own build has
# them, against the same headers, and test-examples.sh, and the tests of the command, run those.
#   test-install.sh SOURCE BUILD VERSION [PYTHON]
set -euo pipefail
source=$1 build=$2 version=$3 python=${4:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
long=${KILN_LONG:-}
# What PoCL's optimiser does to kernels, others test.
[ -n "$long" ] || export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
prefix=$scratch/first

cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
# An installed tree may be moved as a whole.
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved
libraries=$(dirname "$(find "$prefix" -name libkiln.so)")

# Documents, examples and the licence: whole, and no link between them leads nowhere.
documents=$prefix/share/doc/kiln
cmp "$source/LICENSE" "$documents/LICENSE"
for folder in docs examples; do
  diff -r "$source/$folder" "$documents/$folder" || { echo "$folder is not installed whole"; exit 1; }
done
without=(--exclude=mpi --exclude=mpi.hpp)
[ ! -e "$libraries/libkiln-mpi.so" ] || without=()
diff -r "${without[@]}" "$source/include/kiln" "$prefix/include/kiln" || { echo "the headers are not installed whole"; exit 1; }
# Records of the tuner: whole, and found from where they lie now.
diff -r "$source/share/tuned" "$prefix/share/kiln/tuned" || { echo "the tuner's records are not installed whole"; exit 1; }
shown=$("$prefix/bin/kiln" tuned ls --shipped --json | grep -c '"file"') || true
[ "$shown" -gt 0 ] || { echo "kiln tuned ls --shipped shows $shown records"; exit 1; }
while IFS=: read -r page link; do
  target=$(dirname "$page")/${link%%#*}
  # Sources are named, too; they are not part of an install.
  case $link in http*:* | mailto:* | '#'* | *src/* | *tests/* | *bench/* | *tools/* | *include/*) continue ;; esac
  [ -e "$target" ] || { echo "${page#"$documents/"} links to $link, which is not installed"; exit 1; }
done < <(cd / && grep -roE '\]\([^) ]+\)' --include='*.md' "$documents" | sed -E 's/\]\(([^)]*)\)/\1/')

# Without a build type: optimised code and what debuggers need take time, and nothing here needs them.
PKG_CONFIG_PATH=$libraries/pkgconfig cmake -G Ninja -S "$source/tests/package/consumer" \
  -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix"
ninja -C "$scratch/consumer" -j 1

for program in by_cmake by_pkg_config; do
  printed=$("$scratch/consumer/$program")
  [ "$printed" = "bad_input $version" ] || { echo "$program printed '$printed'"; exit 1; }
done

# Meshes over MPI, where that library was built: a program of it, without a launcher.
for program in mpi_by_cmake mpi_by_pkg_config; do
  [ -e "$libraries/libkiln-mpi.so" ] || continue
  printed=$(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$scratch/consumer/$program")
  [ "$printed" = "rank 0 of 1" ] || { echo "$program printed '$printed'"; exit 1; }
done

# BLAS by its C++ interface.
mkdir "$scratch/pocl-cache"
printed=$(KILN_STORE=$scratch/store POCL_CACHE_DIR=$scratch/pocl-cache "$scratch/consumer/multiply")
expected="57 66 129 150, by kernels
sgemm: the leading dimension of A is too small"
[ "$printed" = "$expected" ] || { echo "multiply printed '$printed'"; exit 1; }

# The examples in C++ as they stand, against the installed libraries: one for each, whose kernels are
# compiled through the installed helper.
cmake -G Ninja -S "$documents/examples/cpp" -B "$scratch/example" -DCMAKE_PREFIX_PATH="$prefix"
examples=(vector_add clblas_complex clblast_sum)
[ ! -e "$libraries/libkiln-mesh.so" ] || examples+=(smooth_ring)
[ ! -e "$libraries/libkiln-mpi.so" ] || examples+=(ring_on_ranks)
[ -z "$long" ] || examples=(all)
ninja -C "$scratch/example" -j 1 "${examples[@]}"
example() {  # PROGRAM [ARGUMENT]...: the last line that it prints
  KILN_STORE=$scratch/store POCL_CACHE_DIR=$scratch/pocl-cache OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$scratch/example/$1" "${@:2}" | tail -1
}
if [ -n "$long" ]; then
  mkdir "$scratch/programs"
  find "$scratch/example" -maxdepth 1 -type f -executable -exec ln -s -t "$scratch/programs" {} +
  "$source/tests/package/test-examples.sh" "$scratch/programs" "$documents/examples" "$version"
fi
for run in first second; do
  printed=$(example vector_add "$documents/examples/kernels/vector_add.cl")
  case $printed in
    "c[7] = 3, "*) ;;
    *) echo "the example's $run run printed '$printed'"; exit 1 ;;
  esac
done
[ -f "$scratch/store/store.db" ] || { echo "the example kept nothing in the store"; exit 1; }
expect() {  # WANTED PROGRAM [ARGUMENT]...
  printed=$(example "${@:2}")
  [ "$printed" = "$1" ] || { echo "$2 printed '$printed', not '$1'"; exit 1; }
}
expect "c[0] = -1 +2i" clblas_complex
expect "sum = 5050" clblast_sum
# One store for both libraries.
kept() { KILN_STORE=$scratch/store "$prefix/bin/kiln" store ls --kind artifact --json | wc -l; }
if [ -e "$libraries/libkiln-mesh.so" ]; then
  before=$(kept)
  expect "10 0" smooth_ring
  [ "$(kept)" -gt "$before" ] || { echo "smooth_ring kept nothing in the store"; exit 1; }
fi
# One rank alone, as a launcher of one gives.
if [ -e "$libraries/libkiln-mpi.so" ]; then
  expect "100 nodes, the sum is 50" ring_on_ranks "$scratch/ring.h5"
fi

# Graphs as programs, and the mesh applications: their projects find the installed packages.
cmake -G Ninja -S "$documents/examples/graphs" -B "$scratch/graphs" -DCMAKE_PREFIX_PATH="$prefix"
if [ -e "$libraries/libkiln-mesh.so" ]; then
  cmake -G Ninja -S "$documents/examples/mesh" -B "$scratch/mesh" -DCMAKE_PREFIX_PATH="$prefix"
fi
if [ -n "$long" ]; then
  ninja -C "$scratch/graphs" -j 1
  graph() {  # PROGRAM [ARGUMENT]...
    KILN_STORE=$scratch/store POCL_CACHE_DIR=$scratch/pocl-cache "$scratch/graphs/$1" "${@:2}" ||
      { echo "$1 failed"; exit 1; }
  }
  graph cholesky 3
  if [ -e "$libraries/libkiln-mesh.so" ]; then
    graph mesh_step
    ninja -C "$scratch/mesh" -j 1 jac1
    KILN_STORE=$scratch/mesh-store POCL_CACHE_DIR=$scratch/pocl-cache "$scratch/mesh/jac1" \
      >"$scratch/jac1.log" || { cat "$scratch/jac1.log"; echo "jac1 failed"; exit 1; }
    grep -q "0.625000" "$scratch/jac1.log" || { cat "$scratch/jac1.log"; exit 1; }
  fi
fi

# Mesh files, read into a Mesh and written, by both packages.
if [ -e "$libraries/libkiln-mesh.so" ]; then
  for program in mesh_by_cmake mesh_by_pkg_config; do
    printed=$(cd "$scratch" && KILN_STORE=off POCL_CACHE_DIR=$scratch/pocl-cache \
      "$scratch/consumer/$program")
    [ "$printed" = "1800 centres of 1800 cells" ] || { echo "$program printed '$printed'"; exit 1; }
    grep -q VTKFile <<<"$(head -c 60 "$scratch/centres.vtu" | tr -d '\0')" || { echo "$program wrote no picture"; exit 1; }
    rm "$scratch"/centres.*
  done
fi

# The Python package, whose modules find the libraries of this tree.
if [ -n "$python" ] && [ -e "$libraries/libkiln-mesh.so" ]; then
  modules=$(dirname "$(find "$prefix/lib" -path '*/kiln/__init__.py')")
  [ -z "$(cd "$source/python/kiln" && find . -name '*.py*' ! -name '*.pyc' ! -path '*/__pycache__*' ! -exec test -e "$modules/{}" \; -print)" ] &&
    [ -e "$modules/py.typed" ] || { echo "the Python package is not installed whole"; exit 1; }
  printed=$(PYTHONPATH=$(dirname "$modules") KILN_STORE=$scratch/store POCL_CACHE_DIR=$scratch/pocl-cache "$python" -c '
import kiln, kiln.op2 as op2
nodes = op2.Set(4)
x = op2.Dat(nodes, [1.0, 2, 3, 4])
op2.par_loop(op2.Kernel("void twice(double *x) { x[0] *= 2; }", "twice"), nodes, x(op2.RW))
mapped = {line.split()[-1] for line in open("/proc/self/maps") if "libkiln" in line}
print(kiln.version(), *x.data, *sorted(mapped))')
  [ "$printed" = "$version 2.0 4.0 6.0 8.0 $libraries/libkiln-mesh.so.$version $libraries/libkiln.so.$version" ] ||
    { echo "the Python package printed '$printed'"; exit 1; }
fi

if [ -x "$prefix/bin/kiln" ]; then
  printed=$("$prefix/bin/kiln" --version)
  case $printed in
    *"$version"*) ;;
    *) echo "the installed kiln --version printed '$printed'"; exit 1 ;;
  esac
fi
echo "installed, found and run from $(basename "$prefix")"
