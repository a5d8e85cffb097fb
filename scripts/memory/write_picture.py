#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a picture of 3 x 227 x 227 random float32 values, the same in every run: write_picture.py FILE."""
import array
import random
import sys

source = random.Random(227)
with open(sys.argv[1], "wb") as file:
    array.array("f", (source.random() for _ in range(3 * 227 * 227))).tofile(file)
