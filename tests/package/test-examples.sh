#!/usr/bin/env bash
# Runs every example in C++ and C once, and holds what it prints.
#   test-examples.sh PROGRAMS EXAMPLES VERSION    the folder of the programs, and examples/ of a tree
set -euo pipefail
programs=$1 examples=$2 version=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/pocl-cache"
export KILN_STORE=$scratch/store POCL_CACHE_DIR=$scratch/pocl-cache XDG_STATE_HOME=$scratch/state
# What PoCL's optimiser does to kernels, others test.
[ -n "${KILN_LONG:-}" ] || export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
# A rank alone, as a launcher of one gives.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

left=()  # programs that have not run yet
for program in "$programs"/*; do
  [ -f "$program" ] && [ -x "$program" ] && left+=("$(basename "$program")")
done
[ ${#left[@]} -gt 0 ] || { echo "there are no examples in $programs"; exit 1; }
has() { [ -x "$programs/$1" ]; }
run() {  # PROGRAM [ARGUMENT]...: what it prints is in $printed
  local one others=()
  for one in "${left[@]}"; do [ "$one" = "$1" ] || others+=("$one"); done
  left=("${others[@]}")
  printed=$("$programs/$1" "${@:2}") || { echo "$1 failed"; exit 1; }
}
expect() {  # WANTED PROGRAM [ARGUMENT]...: the last line that it prints
  run "${@:2}"
  [ "${printed##*$'\n'}" = "$1" ] || { echo "$2 printed '$printed', not '$1'"; exit 1; }
}

# The first run's kernel is compiled by the helper, the second run finds it in the store.
for _ in first second; do
  run vector_add "$examples/kernels/vector_add.cl"
  [[ $printed == "c[7] = 3, "* ]] || { echo "vector_add printed '$printed'"; exit 1; }
done
[ -f "$KILN_STORE/store.db" ] || { echo "the examples kept nothing in the store"; exit 1; }
expect "x[7] = 27, sum[7] = 39" own_context
run run_spec "$examples/specs/vector_add.json"
[[ $printed == "c[7] = 3, "* ]] || { echo "run_spec printed '$printed'"; exit 1; }
expect "1 of 1 programs, all whole" keep_programs "$scratch/kept"
expect "c[0] = 769" multiply
expect "last = 25" many_products
expect "y = 385" weights
expect "total = 2304000, twice" run_graph
expect "8 64" vectors
expect "8 of 14 configurations measured" ask_and_tell
expect "(n + 63) / 64 = 16" check_spec "$examples/specs/vector_add.json"
expect "libkiln $version" machine
expect "1 program: taken" sign_programs "$scratch/signed"
KILN_RECORD=$scratch/calls.jsonl "$programs/vector_add" "$examples/kernels/vector_add.cl"
expect "1 programs" prebuild_calls "$scratch/calls.jsonl"
if has clblas_complex; then
  expect "c[0] = -1 +2i" clblas_complex
  expect "clBLAS 2.12" clamdblas_names
fi
if has clblast_sum; then
  expect "c[47] = 23.5" clblast_halves
  expect "sum = 5050" clblast_sum
fi
expect "1784652 bytes, found 0 dimensions, expected 1 or 2" read_formats
# The shortest module of OpenCL kernels: its head, what it needs, its addresses.
printf '\3\2\43\7\0\0\1\0\0\0\0\0\1\0\0\0\0\0\0\0\21\0\2\0\6\0\0\0\16\0\3\0\2\0\0\0\2\0\0\0' >"$scratch/empty.spv"
expect "$scratch/empty.spv: SPIR-V 1.0 of 0 kernels" read_formats "$scratch/empty.spv"
expect "2 tasks, 1 edges" convert_graph
printf '0 a.json {"n": 64}\n---\n---' >"$scratch/one.graph"
expect "1 tasks, 0 edges" convert_graph "$scratch/one.graph"
if has smooth_ring; then
  expect "10 0" smooth_ring
  expect "converged, 50.000 in the middle" solve_rod "$scratch/rod.vtu"
  expect "converged, residual below 1e-6" mixed_space
  expect "1 -49" halo
fi
if has ring_on_ranks; then
  expect "100 nodes, the sum is 50" ring_on_ranks "$scratch/ring.h5"
  expect "100 steps, a node was met 200 times" balance_on_ranks
fi

# A search from a program: by the helper, in processes of its own; the second run finds the record.
run tune_kernel "$examples/kernels/multiply.cl" 5
[[ $printed == *" configurations measured, "*"c[7] = 256, with TS="* ]] ||
  { echo "tune_kernel's first run printed '$printed'"; exit 1; }
run tune_kernel "$examples/kernels/multiply.cl" 5
[[ $printed == "c[7] = 256, with TS="* ]] || { echo "tune_kernel's second run printed '$printed'"; exit 1; }

[ ${#left[@]} -eq 0 ] || { echo "not run: ${left[*]}"; exit 1; }
echo "every example in $programs prints what it should"
