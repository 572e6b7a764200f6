"""VectorAdd from a specification file, as such programs are written in Python: the strings of the
file are evaluated, the source is built, buffers are written, the kernel runs, the result is read.

Usage: vector_add.py SPEC KERNEL-FOLDER DATASET
"""
import json
import os
import sys

import numpy as np
import pyopencl as cl

TYPES = {"float": np.float32, "int": np.int32}


def open_device():
    for platform in cl.get_platforms():
        devices = platform.get_devices(cl.device_type.CPU)
        if devices:
            context = cl.Context(devices[:1])
            return context, cl.CommandQueue(context)
    sys.exit("no CPU device")


def main(spec_file, kernel_folder, dataset):
    with open(spec_file, encoding="utf-8") as file:
        spec = json.load(file)
    names = {"dataset": dataset}

    def evaluate(text):
        return eval(text, {}, names) if isinstance(text, str) else text

    context, queue = open_device()
    with open(os.path.join(kernel_folder, spec["src"]), encoding="utf-8") as file:
        program = cl.Program(context, file.read()).build()
    kernel = getattr(program, spec["name"])

    random = np.random.default_rng(0)
    host, device = {}, {}
    for buffer in spec["inputBuffers"]:
        count, kind = evaluate(buffer["size"]), TYPES[buffer["type"]]
        host[buffer["pos"]] = random.random(count, dtype=np.float32).astype(kind)
    for buffer in spec["outputBuffers"]:
        host[buffer["pos"]] = np.zeros(evaluate(buffer["size"]), dtype=TYPES[buffer["type"]])
    for position, array in host.items():
        device[position] = cl.Buffer(context, cl.mem_flags.READ_WRITE, array.nbytes)
        kernel.set_arg(position, device[position])
    for argument in spec["varArguments"]:
        kernel.set_arg(argument["pos"], TYPES[argument["type"]](evaluate(argument["value"])))

    for buffer in spec["inputBuffers"]:
        cl.enqueue_copy(queue, device[buffer["pos"]], host[buffer["pos"]], is_blocking=False)
    cl.enqueue_nd_range_kernel(queue, kernel, evaluate(spec["globalWorkSize"]), None)
    for buffer in spec["outputBuffers"]:
        cl.enqueue_copy(queue, host[buffer["pos"]], device[buffer["pos"]], is_blocking=False)
    queue.finish()
    print(host[spec["outputBuffers"][0]["pos"]][:3])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
