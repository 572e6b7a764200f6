"""Kernels and recorded measurements that several files tune."""
import functools
import pathlib

import numpy as np

import kiln

HUB = pathlib.Path(__file__).parents[2].parent / "shared" / "data" / "hub"

# MODE 1 writes something else, 2 does not compile, 3 writes to an address that is none, 4 never ends.
MODES = """
kernel void fill(global int *x, int n) {
#if MODE == 2
#error not this one
#endif
#if MODE == 3
  x = (global int *)8;
#endif
#if MODE == 4
  volatile global int *stay = x;
  do stay[0] += 2; while (stay[0] != 1 && get_group_id(0) == 0);
#endif
  const int i = get_global_id(0);
  if (i < n) x[i] = MODE == 1 ? 7 : i;
}
"""
COUNT = 256


@functools.cache
def have_programs(*, name="fill", text=MODES, count=COUNT, **params):
    """Puts a configuration's program into the store, where searches find it. Their own programs go with
    them, and a compiler's start is most of what a search of few configurations takes."""
    kiln.run_kernel(name, text, count, [np.zeros(COUNT, np.int32), np.int32(COUNT)], params)


def modes(*tried, **more):
    """Tunes MODES; the array must become 0, 1, 2, …"""
    for mode in tried:
        if mode in (0, 1, 5, 6):  # that run, and end
            have_programs(block_size_x=64, MODE=mode)
    given = np.zeros(COUNT, np.int32)
    more = {"answer": [np.arange(COUNT, dtype=np.int32), None], "quiet": True, "iterations": 2, **more}
    results, env = kiln.tune_kernel(
        "fill", MODES, COUNT, [given, np.int32(COUNT)], {"block_size_x": [64], "MODE": [*tried]}, **more
    )
    assert not given.any()
    return {one["MODE"]: one for one in results}, env


def replay(path, tune_params=None, **more):
    more = {"quiet": True, "simulation_mode": True, "cache": path, **more}
    return kiln.tune_kernel("k", "", 64, [], tune_params or {"X": [1, 2, 4, 8], "Y": [1, 2, 3]}, **more)
