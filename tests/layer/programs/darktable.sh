#!/bin/bash
# darktable-cli (darktable): a small picture from PFM to PFM (PNG holds the time). Covers: 36
# programs built at the first start (sources to 91 kB with headers from an -I folder in quotes, 292
# kernels, 5 of them launched), binaries asked for and kept in an own cache
# (clCreateProgramWithBinary at the next start), images. The slowest of all: 1 to 2 minutes with
# empty caches.
#
# Without OpenCL darktable goes on and exits with 0: here that is an error, 3.
set -u
# shellcheck source=tests/layer/programs/common.bash
. "$(dirname "$0")/common.bash"
prepare "${0##*/}" "$@"
need_program darktable-cli darktable
out=$(realpath "$1")
cache=$(realpath "$LAYER_CACHE")
rm -rf "$out/settings" "$out/output.pfm"
python3 - "$out/input.pfm" << 'END' || exit 2
import struct
import sys
width, height = 256, 192
values = (((x * 7 + y * 13 + c * 29) % 101 / 101) * (1 + (x // 16 + y // 16) % 2) / 2
          for y in range(height) for x in range(width) for c in range(3))
with open(sys.argv[1], "wb") as file:
    file.write(f"PF\n{width} {height}\n-1.0\n".encode())
    file.write(struct.pack(f"<{width * height * 3}f", *values))
END
# darktable discards a CPU device that it does not know. Its name in the settings comes from
# darktable-cltest, which is asked without layers and builds nothing.
name=$(env -u OPENCL_LAYERS HOME="$out/settings" XDG_CONFIG_HOME="$out/settings" \
  XDG_CACHE_HOME="$out/settings" darktable-cltest 2>&1 |
  sed -n 's/.*CANONICAL NAME: *//p' | head -1)
# PoCL 3.1 does not understand the quoted -I that darktable passes.
kernels=/usr/share/darktable/kernels
export POCL_EXTRA_BUILD_FLAGS=${POCL_EXTRA_BUILD_FLAGS:+$POCL_EXTRA_BUILD_FLAGS }-I$kernels
darktable-cli "$out/input.pfm" "$out/output.pfm" --width 128 --hq true --core \
  --configdir "$out/settings" --cachedir "$cache" --library :memory: \
  --conf opencl=TRUE --conf "cldevice_v4_$name=0 250 0 16 16 128 0 0 0.0" -d opencl \
  > "$out/log" 2>&1
status=$?
if [ $status -eq 0 ] && ! grep -q 'FINALLY: opencl is AVAILABLE' "$out/log"; then
  echo "darktable-cli ran without OpenCL: $out/log" >&2
  status=3
fi
[ ! -f "$out/output.pfm" ] || cp "$out/output.pfm" "$out/output"
exit $status
