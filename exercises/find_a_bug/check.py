# SPDX-License-Identifier: Apache-2.0
"""Solved: on every layer of net.fovea, and on two memories, the copy's SystemC model does what the RTL does, event by
event."""
import shutil

from exercise import NotSolved, ROOT

MACHINE = ROOT / "sim/spec/machines/eyeriss_6x8.json"


def check(task):
    foveac, fovea, program, rtl = task.needs(
        "bin/foveac", "bin/fovea", "bin/test_dla", "lib/fovea/libfovea_rtl_eyeriss_6x8.so"
    )
    build = task.make("fovea_systemc")
    # A program takes the backends of the folder that it lies in: the copy's model, and the RTL as it is here.
    (build / "bin").mkdir(exist_ok=True)
    shutil.copy2(program, build / "bin/test_dla")
    shutil.copy2(rtl, build / "lib/fovea" / rtl.name)
    net = task.folder / "build/net"
    task.compile(foveac, task.source / "net.fovea", net)
    picture = net / "picture.f32"
    picture.write_bytes(bytes(4 * 20 * 20))
    said = []
    for dram in ("pipelined", "ddr"):
        for backend in ("rtl", "systemc"):
            task.must(
                f"it does not run on {backend}",
                build / "bin/test_dla",
                "--net",
                net,
                "--machine",
                MACHINE,
                "--dram",
                dram,
                "--backend",
                backend,
                "--input-raw",
                picture,
                "--output-raw",
                net / "answer.f32",
                "--transactions",
                f"{backend}.txt",
            )
        status, printed = task.run(fovea, "lockstep", "--traces", "rtl.txt", "systemc.txt")
        if status != 0:
            raise NotSolved(printed.rstrip())
        said.append(f"{printed.rstrip()}, memory {dram}")
    return "\n".join(said)
