#!/bin/bash
# CLBlast's own test programs (clblast-tests) for axpy, dot and ger, one process each: they compare
# hundreds of results with a CBLAS and print a sign per case. Covers: one program per number type,
# binaries asked for after the build (its cache in memory), the options ` -cl-std=CL1.1`, hundreds
# of kernel objects of one program, launches that wait for events, several contexts in a process,
# calls that the library must refuse.
set -u
here=$(dirname "$0")
# shellcheck source=tests/layer/programs/common.bash
. "$here/common.bash"
prepare "${0##*/}" "$@"
need_program clblast_test_xaxpy clblast-tests
status=0
for routine in xaxpy xdot xger; do
  "clblast_test_$routine" >> "$1/output" || status=$?
done
exit $status
