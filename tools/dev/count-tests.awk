# Counts the tests in what ctest keeps of its last run. A case of ctest is a suite of GoogleTest,
# a file of pytest, or, where it prints no such results, one test.

function end_case() {
  if (name == "") return
  if (ok + skipped + failed == 0 && result == "passed") ok = 1
  if (failed == 0 && result == "failed") failed = 1  # it crashed, or printed what it must not
  all_ok += ok
  all_skipped += skipped
  all_failed += failed
}

/^[0-9]+\/[0-9]+ Testing: / {
  end_case()
  name = $3
  ok = skipped = failed = 0
  result = "failed"  # a run that was cut leaves none
}
/^\[       OK \] .* \([0-9]+ ms\)$/ { ++ok }
/^\[  FAILED  \] .* \([0-9]+ ms\)$/ { ++failed }
/^\[  SKIPPED \] .* \([0-9]+ ms\)$/ { ++skipped }
/^[0-9]+ (passed|failed|skipped|error).* in [0-9.]+s/ {  # pytest's last line
  for (i = 2; i <= NF; ++i) {
    if ($i ~ /^passed/) ok += $(i - 1)
    if ($i ~ /^skipped/) skipped += $(i - 1)
    if ($i ~ /^(failed|error)/) failed += $(i - 1)
  }
}
/^Test (Passed\.|Pass Reason:)$/ { result = "passed" }
/^Skip regular expression found/ && ok + skipped == 0 { skipped = 1 }

END {
  end_case()
  printf "%d passed, %d failed, %d skipped\n", all_ok, all_failed, all_skipped
}
