#!/bin/bash
# OpenCV's T-API (python3-opencv): opencv_umat.py. Covers: one program per operation and set of
# options (3 to 25 -D, some with commas and brackets), clGetProgramInfo(BINARIES) of each, an own
# cache of binaries on disk (clCreateProgramWithBinary at the next start), programs that are never
# released, launches without a local size.
set -u
here=$(dirname "$0")
# shellcheck source=tests/layer/programs/common.bash
. "$here/common.bash"
prepare "${0##*/}" "$@"
need_module cv2 python3-opencv
# Without the first OpenCV takes no CPU device. Without the second it writes into the user's folder,
# or into /var/tmp.
export OPENCV_OPENCL_DEVICE=${OPENCV_OPENCL_DEVICE:-:CPU:} OPENCV_OPENCL_CACHE_DIR=$LAYER_CACHE
"$PYTHON" "$here/opencv_umat.py" > "$1/output"
