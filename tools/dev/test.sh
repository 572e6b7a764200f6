# Builds and runs the tests.

# run_ctest PRESET: all tests; shows failures with their output, then the counts.
run_ctest() {
  local preset=$1 log=build/log/test-$1.log start=$SECONDS status=0
  # Findings inside the OpenCL driver are not Kiln's.
  export LSAN_OPTIONS=suppressions=$PWD/tools/sanitize/leaks.supp:print_suppressions=0
  # LLVM, inside the driver, sets up signal stacks of its own; AddressSanitizer then takes down one
  # that it did not put up, and aborts. Tests crash kernels on purpose and look for the signal.
  # The HDF5 library asks for as much memory as a damaged file says, and reads past what it got.
  export ASAN_OPTIONS=use_sigaltstack=0:handle_segv=0:allocator_may_return_null=1
  ASAN_OPTIONS+=:suppressions=$PWD/tools/sanitize/overruns.supp
  export TSAN_OPTIONS=suppressions=$PWD/tools/sanitize/races.supp:handle_segv=0
  TSAN_OPTIONS+=:allocator_may_return_null=1
  # Two more at a time than there are cores: with one more, these were busy 70 % of the time, since
  # tests wait for processes that they start, and those of limits for the limits.
  logged "testing $preset" "$log" \
    ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j $(($(nproc) + 2)) || status=$?
  # Passing tests are thousands of lines; the log keeps them.
  grep -vE '^ *[0-9]+/[0-9]+ Test .* (Passed|\*\*\*Skipped) |\*\*\*Not Run \(Disabled\) |\(Disabled\)$' "$log" |
    grep -vE '^ +Start +[0-9]+: |^(Internal ctest|Test project|The following tests did not run)|^$' || true
  echo "-- left for KILN_LONG=1: $(grep -c 'Not Run (Disabled)' "$log") suites"
  echo "-- $preset, $((SECONDS - start)) s (whole output: $log):"
  awk -f tools/dev/count-tests.awk "build/$preset/Testing/Temporary/LastTest.log"
  return $status
}

# test_preset PRESET: configured with tests, built whole, run.
test_preset() {
  configure "$1" KILN_TESTS=ON "KILN_BENCH=$2" KILN_PYTHON_PACKAGE=ON
  compile "$1"
  run_ctest "$1"
}

dev_test() {
  local long=
  case "${1:-}" in
    '') ;;
    --long) long=1 ;;
    *) bad_usage "unknown option '$1' of test" ;;
  esac
  install_groups build python mpi test ${long:+long}
  [ -z "$long" ] || export KILN_LONG=1
  local failed=()
  attempt test_preset release ON || failed+=(release)
  if [ -n "$long" ]; then
    attempt test_preset asan OFF || failed+=(asan)
    attempt test_preset tsan OFF || failed+=(tsan)
    attempt dev_fuzz || failed+=(fuzz)
  fi
  [ ${#failed[@]} -eq 0 ] || die "tests failed: ${failed[*]}"
  echo "-- all tests passed"
}

# Every fuzzer for KILN_FUZZ_SECONDS (600), as many at once as there are cores. The kept corpus is
# only read; what a run adds stays under build/.
dev_fuzz() {
  configure fuzz
  compile fuzz
  local fuzzer names=() log=build/log/fuzz.log
  for fuzzer in build/fuzz/bin/fuzz_*; do
    [ -x "$fuzzer" ] && names+=("$(basename "$fuzzer")")
  done
  [ ${#names[@]} -gt 0 ] || die "no fuzzers were built"
  step "fuzzing ${#names[@]} targets for ${KILN_FUZZ_SECONDS:-600} s each" "$(basename "$log")" \
    bash -c 'printf "%s\n" "$@" | xargs -P "$(nproc)" -n 1 tools/fuzz-one' _ "${names[@]}"
}
