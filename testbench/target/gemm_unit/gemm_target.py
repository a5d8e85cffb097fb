# SPDX-License-Identifier: Apache-2.0
"""The matrix unit of gemm_unit.h as a target of the compiler: its limits, its cycles, its call."""
import numpy as np

import fovea


class GemmUnit(fovea.Target):
    """Takes fully connected layers. size: of the array, a side."""

    name = "gemm"
    accepts = ("qlinear", "qlinear_relu")
    header = "gemm_unit.h"
    sources = ("gemm_unit.c",)

    def __init__(self, size=16):
        self.size = size

    def refuse(self, layer):
        return f"{layer.M} outputs; the unit takes up to 4096" if layer.M > 4096 else None

    def cost(self, layer):
        tiles = -(-layer.C // self.size) * -(-layer.M // self.size)
        return tiles * (self.size + layer.N)

    def emit(self, layer):
        has_one_each = layer.shift is None and len(layer.multipliers) > 1
        call = f"""gemm_unit_run(rt, &(const struct gemm_unit_job){{
      .x = $input, .columns = $columns, .bias = $bias, .y = $output,
      .N = $N, .C = $C, .M = $M, .size = {self.size}, .quant = $quant,
      .multipliers = {"$multipliers" if has_one_each else "NULL"}}})"""
        return fovea.Call(call, columns=np.ascontiguousarray(layer.weights.T))
