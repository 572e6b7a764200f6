#!/bin/bash
# ffmpeg's OpenCL filters, 17 of 20, in one process, on generated pictures, to raw video
# (containers hold a version and times). Covers: sources without lengths (NULL), NULL options,
# images as arguments, launches without a local size in most kernels, one source built several
# times (each instance of a filter builds its own program), kernels from a file of the user
# (ffmpeg_program.cl), many queues and programs in one context.
set -u
here=$(dirname "$0")
# shellcheck source=tests/layer/programs/common.bash
. "$here/common.bash"
prepare "${0##*/}" "$@"
need_program ffmpeg ffmpeg
planar="format=yuv420p,hwupload,
  avgblur_opencl=3,boxblur_opencl=2:1,unsharp_opencl=lx=5:ly=5,avgblur_opencl=2,
  dilation_opencl,erosion_opencl=threshold0=30,sobel_opencl,prewitt_opencl,roberts_opencl,
  transpose_opencl=clock,nlmeans_opencl=s=3:p=3:r=5,pad_opencl=iw+8:ih+8:4:4,
  hwdownload,format=yuv420p"
# The path's own colons are not escaped: no build folder has one.
packed="format=rgba,hwupload,split=3[first][second][third];
  [first]colorkey_opencl=red:0.3:0.1[key];
  [second]convolution_opencl=0m='0 -1 0 -1 5 -1 0 -1 0'[sharp];
  [sharp][key]overlay_opencl=8:4,split[over][more];
  [over][third]program_opencl=$here/ffmpeg_program.cl:mix_of:inputs=2[mixed];
  [mixed][more]xfade_opencl=wipeleft:duration=0.8:offset=0.2,
  hwdownload,format=rgba"
made="openclsrc=$here/ffmpeg_program.cl:waves:size=160x120:rate=5:format=rgba,
  hwdownload,format=rgba"
ffmpeg -nostdin -hide_banner -v error -y -init_hw_device opencl=ocl -filter_hw_device ocl \
  -f lavfi -i testsrc=size=160x120:rate=5:duration=1 \
  -filter_complex "[0:v]${planar}[planar]" -filter_complex "[0:v]${packed}[packed]" \
  -filter_complex "${made}[made]" \
  -map '[planar]' -f rawvideo "$1/planar" -map '[packed]' -f rawvideo "$1/packed" \
  -map '[made]' -frames:v 5 -f rawvideo "$1/made"
status=$?
cat "$1/planar" "$1/packed" "$1/made" > "$1/output"
exit $status
