#!/bin/bash
# clpeak (clpeak): one program of 12 kB with 21 kernels, of which the chosen tests launch some.
# Covers: a build with options that have blanks around them (` -cl-mad-enable `), the build log
# asked twice, tens of thousands of launches of one kernel, a context that is released several
# times. All figures vary: the output is the labels without them. LAYER_CLPEAK names other tests
# (--compute-integer takes 15 s and launches five kernels, --compute-sp 50 s).
set -u
# shellcheck source=tests/layer/programs/common.bash
. "$(dirname "$0")/common.bash"
prepare "${0##*/}" "$@"
need_program clpeak clpeak
# shellcheck disable=SC2086 # several words
clpeak ${LAYER_CLPEAK:---kernel-latency} > "$1/figures"
status=$?
sed -E 's/: [0-9.]+( us| MHz)?$/:/' "$1/figures" > "$1/output"
exit $status
