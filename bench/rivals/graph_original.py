"""A graph by the scheduler of PySchedCL's successor, in Python as that is, and in its own way:
components of tasks, one device each, whose queue they take as a whole; nothing of a component runs
before all of it is enqueued; results go to other components through the host's memory, told by
callbacks. Inputs are there before the clock starts, where the original makes them while it runs.

Usage: graph_original.py FOLDER RUNS cluster|eager|heft [PARTS]

FOLDER has the graph (bench-graph_files). cluster: two components; tasks of the first PARTS parts go
to the second device. eager: each task a component, the highest rank first, on the first device that
no component is being enqueued to. heft: the highest rank first, to the device that its estimates say.
Prints milliseconds as JSON, and leaves the results in FOLDER.
"""
import json
import sys
import threading
import time

import numpy as np
import pyopencl as cl

MEMORY = cl.mem_flags


def two_devices():
    """The first two of a platform, or the halves of its only one."""
    for platform in cl.get_platforms():
        found = platform.get_devices()
        if len(found) == 1 and found[0].max_compute_units > 1:
            equally = cl.device_partition_property.EQUALLY
            return found[0].create_sub_devices([equally, found[0].max_compute_units // 2])[:2]
        if len(found) > 1:
            return found[:2]
    sys.exit("needs two OpenCL devices")


class Component:
    """Tasks that run on one device."""

    def __init__(self, device):
        self.device = device  # 0 is the original's GPU, 1 its processor
        self.tasks = []
        self.dispatched = 0
        self.is_in_frontier = self.is_running = False
        self.lock = threading.Lock()


class Scheduler:
    def __init__(self, folder, policy, parts):
        self.folder, self.policy = folder, policy
        with open(f"{folder}/graph.json", encoding="utf-8") as file:
            graph = json.load(file)
        self.kernels, self.buffers, self.tasks = graph["kernels"], graph["buffers"], graph["tasks"]
        self.given = {
            i: np.fromfile(f"{folder}/{i}.f32", np.float32) for i, b in enumerate(self.buffers) if b["given"]
        }
        self.children = [[] for _ in self.tasks]
        self.producer, writer = [], {}
        for number, task in enumerate(self.tasks):
            for parent in task["parents"]:
                self.children[parent].append(number)
            self.producer.append([None if mode == "write" else writer.get(b) for b, mode in task["accesses"]])
            writer.update({b: number for b, mode in task["accesses"] if mode != "read"})
        self.component_of, self.components = [0] * len(self.tasks), []
        clusters = {}
        for number, task in enumerate(self.tasks):
            device = 1 if policy == "cluster" and task["part"] < parts else 0
            key = device if policy == "cluster" else number
            if key not in clusters:
                clusters[key] = len(self.components)
                self.components.append(Component(device))
            self.component_of[number] = clusters[key]
            self.components[clusters[key]].tasks.append(number)
        self.contexts, self.queues, self.programs = [], [], []
        with open(f"{folder}/kernels.cl", encoding="utf-8") as file:
            text = file.read()
        for device in two_devices():
            self.contexts.append(cl.Context([device]))
            self.queues.append(
                cl.CommandQueue(self.contexts[-1], properties=cl.command_queue_properties.PROFILING_ENABLE)
            )
            program = cl.Program(self.contexts[-1], text).build()
            self.programs.append([cl.Kernel(program, kernel["name"]) for kernel in self.kernels])
        self.changed = threading.Condition(threading.RLock())
        self.reset()
        self.measure()

    def reset(self):
        self.host = [
            self.given[i].copy() if i in self.given else np.zeros(b["bytes"] // 4, np.float32)
            for i, b in enumerate(self.buffers)
        ]
        self.memory = [None] * len(self.tasks)
        self.done = [None] * len(self.tasks)
        self.is_dispatched = [False] * len(self.tasks)
        self.waits_for = [
            sum(self.component_of[p] != self.component_of[n] for p in task["parents"])
            for n, task in enumerate(self.tasks)
        ]
        self.frontier, self.finished, self.estimate, self.kept = [], 0, [0.0, 0.0], []
        self.is_taken = [False, False]
        for component in self.components:
            component.dispatched = 0
            component.is_in_frontier = component.is_running = False

    def measure(self):
        """What its statistics hold of each kernel alone; ranks from these."""
        self.costs = []
        for number in range(len(self.kernels)):
            task = next(t for t in self.tasks if t["kernel"] == number)
            run = []
            for device in (0, 1):
                for _ in range(3):
                    memory = [self.create(device, b) for b, _ in task["accesses"]]
                    start = time.perf_counter()
                    for (b, _), buffer in zip(task["accesses"], memory):
                        cl.enqueue_copy(self.queues[device], buffer, self.host[b])
                    written = time.perf_counter()
                    self.launch(device, task, memory, []).wait()
                    end = time.perf_counter()
                run.append(end - written)
            self.costs.append({"run": run, "up": written - start, "down": (written - start) / 2})
        self.rank = [0.0] * len(self.tasks)
        for number in reversed(range(len(self.tasks))):
            costs = self.costs[self.tasks[number]["kernel"]]
            longest = max((self.rank[child] for child in self.children[number]), default=0)
            self.rank[number] = (sum(costs["run"]) + costs["up"] + costs["down"]) / 2 + longest

    def create(self, device, buffer):
        if device == 0:
            return cl.Buffer(self.contexts[0], MEMORY.READ_WRITE, self.buffers[buffer]["bytes"])
        return cl.Buffer(self.contexts[1], MEMORY.READ_WRITE | MEMORY.USE_HOST_PTR, hostbuf=self.host[buffer])

    def launch(self, device, task, memory, after):
        kernel, geometry = self.programs[device][task["kernel"]], self.kernels[task["kernel"]]
        kernel.set_args(*memory, *(np.uint32(scalar) for scalar in task["scalars"]))
        return cl.enqueue_nd_range_kernel(
            self.queues[device], kernel, geometry["global"], geometry["local"], wait_for=after or None
        )

    def run(self):
        self.reset()
        threads = []
        start = time.perf_counter()
        with self.changed:
            for component in self.components:
                if any(not self.tasks[n]["parents"] for n in component.tasks):
                    self.add_to_frontier(component)
            for _ in self.components:
                self.changed.wait_for(self.can_choose)
                component = self.choose()
                self.changed.wait_for(lambda: not self.is_taken[component.device])
                self.is_taken[component.device] = component.is_running = True
                threads.append(threading.Thread(target=self.dispatch, args=(component,)))
                threads[-1].start()
            self.changed.wait_for(lambda: self.finished == len(self.tasks))
        for thread in threads:
            thread.join()
        for queue in self.queues:
            queue.finish()
        return (time.perf_counter() - start) * 1e3

    def add_to_frontier(self, component):
        if not component.is_in_frontier:
            component.is_in_frontier = True
            self.frontier.append(component)
            self.changed.notify_all()

    def can_choose(self):
        return self.frontier and (self.policy != "eager" or not all(self.is_taken))

    def choose(self):
        """Takes a component from the frontier, and says where it goes."""
        if self.policy == "cluster":
            return self.frontier.pop(0)
        component = max(self.frontier, key=lambda c: self.rank[c.tasks[0]])
        self.frontier.remove(component)
        costs = self.costs[self.tasks[component.tasks[0]]["kernel"]]
        if self.policy == "eager":
            component.device = 1 if self.is_taken[0] else 0
        else:
            times = (costs["run"][0] + costs["up"] + costs["down"], costs["run"][1])
            component.device = 0 if times[1] + self.estimate[1] > times[0] + self.estimate[0] else 1
            self.estimate[component.device] = times[component.device]
        return component

    def dispatch(self, component):
        """Enqueues the tasks of a component that are free, and those that become so by it; then lets
        them start."""
        with component.lock:
            gates = []
            while True:
                with self.changed:
                    number = next((n for n in component.tasks if self.is_free(n)), None)
                if number is None:
                    break
                self.enqueue(component, number, gates)
                with self.changed:
                    self.is_dispatched[number] = True
                    component.dispatched += 1
            for gate in gates:
                gate.set_status(cl.command_execution_status.COMPLETE)
            self.queues[component.device].flush()
            with self.changed:
                # Its queue is free once all of it is enqueued, whatever the device does.
                if component.dispatched == len(component.tasks):
                    self.is_taken[component.device] = False
                self.changed.notify_all()

    def is_free(self, number):
        inside = self.component_of[number]
        return (
            not self.is_dispatched[number]
            and self.waits_for[number] == 0
            and all(self.component_of[p] != inside or self.is_dispatched[p] for p in self.tasks[number]["parents"])
        )

    def enqueue(self, component, number, gates):
        device, task, queue = component.device, self.tasks[number], self.queues[component.device]
        # Two a task, one a context.
        gates += [cl.UserEvent(self.contexts[1 - device]), cl.UserEvent(self.contexts[device])]
        gate = gates[-1]
        if device == 0:
            cl.enqueue_barrier(queue, wait_for=[gate])
        memory = []
        for (buffer, mode), producer in zip(task["accesses"], self.producer[number]):
            if producer is not None and self.component_of[producer] == self.component_of[number]:
                place = [b for b, _ in self.tasks[producer]["accesses"]].index(buffer)
                memory.append(self.memory[producer][place])
                continue
            memory.append(self.create(device, buffer))
            if device == 0 and mode != "write":
                # Events of transfers are kept: pyopencl waits for those that are dropped.
                self.kept.append(cl.enqueue_copy(queue, memory[-1], self.host[buffer], is_blocking=False))
        self.memory[number] = memory
        if device == 0:
            cl.enqueue_barrier(queue)
        inside = [p for p in task["parents"] if self.component_of[p] == self.component_of[number]]
        after = [self.done[p] for p in inside[-1:]] + ([gate] if device == 1 else [])
        last = self.done[number] = self.launch(device, task, memory, after)
        cl.enqueue_barrier(queue)
        if device == 0:
            last = self.read_results(queue, number) or last
        last.set_callback(cl.command_execution_status.COMPLETE, lambda _: self.complete(number))

    def read_results(self, queue, number):
        """Results that no task of the component takes are read."""
        last = None
        for (buffer, mode), memory in zip(self.tasks[number]["accesses"], self.memory[number]):
            has_consumer_inside = any(
                self.component_of[child] == self.component_of[number]
                and buffer in (b for b, _ in self.tasks[child]["accesses"])
                for child in self.children[number]
            )
            if mode != "read" and not has_consumer_inside:
                last = cl.enqueue_copy(queue, self.host[buffer], memory, is_blocking=False)
                self.kept.append(last)
        cl.enqueue_barrier(queue)
        return last

    def complete(self, number):
        """On the driver's thread."""
        to_dispatch = []
        with self.changed:
            for child in self.children[number]:
                if self.component_of[child] == self.component_of[number]:
                    continue
                self.waits_for[child] -= 1
                if self.waits_for[child] > 0:
                    continue
                component = self.components[self.component_of[child]]
                if component.is_running:
                    to_dispatch.append(component)
                else:
                    self.add_to_frontier(component)
        for component in to_dispatch:
            self.dispatch(component)
        with self.changed:
            self.finished += 1
            self.changed.notify_all()

    def save(self):
        for i, buffer in enumerate(self.buffers):
            if buffer["result"]:
                self.host[i].tofile(f"{self.folder}/{i}.out")


def main(folder, runs, policy, parts="0"):
    scheduler = Scheduler(folder, policy, int(parts))
    first = scheduler.run()
    taken = [scheduler.run() for _ in range(int(runs))]
    scheduler.save()
    print(json.dumps({"side": f"original {policy}", "tasks": len(scheduler.tasks), "first_ms": first, "ms": taken}))


if __name__ == "__main__":
    main(*sys.argv[1:])
