#!/bin/bash
# PyOpenCL (python3-pyopencl): its scan, radix sort, reductions, element-wise kernels, random-number
# generators and kernels of one's own (pyopencl_algorithms.py). Covers: builds with an -I folder of
# the package and headers from there (Random123), clGetProgramInfo(BINARIES) after each build, build
# logs, clCreateProgramWithBinary from its own cache and in the process that has just asked for the
# binary, builds with and without a list of devices, launches that wait for events, required
# local sizes, event times.
set -u
here=$(dirname "$0")
# shellcheck source=tests/layer/programs/common.bash
. "$here/common.bash"
prepare "${0##*/}" "$@"
need_module pyopencl python3-pyopencl
"$PYTHON" "$here/pyopencl_algorithms.py" > "$1/output"
