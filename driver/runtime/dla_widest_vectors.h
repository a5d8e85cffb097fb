// SPDX-License-Identifier: Apache-2.0
/// \file
/// One source, several processors: functions that are compiled for each, and chosen when the program starts.
#pragma once

/// Before a function whose loops deserve the processor's widest vectors. What it computes must be the same with and
/// without fused multiply-adds: integers, or products that are exact. Bare metal, sanitizers and builds for one
/// processor have what the compiler is told.
///
/// DLA_BYTE_PRODUCTS is the same before a function that adds products of an unsigned and a signed byte, where
/// processors have an instruction for four of them; it may be called where DLA_HAS_BYTE_PRODUCTS().
#if defined(__x86_64__) && defined(__gnu_linux__) && __STDC_HOSTED__ && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__AVX__)
#define DLA_WIDEST_VECTORS __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#define DLA_BYTE_PRODUCTS __attribute__((target("arch=x86-64-v4,avx512vnni")))
#define DLA_HAS_BYTE_PRODUCTS() (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl"))
#else
#define DLA_WIDEST_VECTORS
#define DLA_BYTE_PRODUCTS
#ifdef __AVX512VNNI__
#define DLA_HAS_BYTE_PRODUCTS() true
#else
#define DLA_HAS_BYTE_PRODUCTS() false
#endif
#endif

/// The same before a function that adds products, each of which is exact: of two float32 in float64. Processors that
/// can do both with one instruction, and no other rounding, do.
#if defined(__x86_64__) && defined(__gnu_linux__) && __STDC_HOSTED__ && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__AVX__)
#define DLA_EXACT_PRODUCTS \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), optimize("fp-contract=fast")))
#elif defined(__GNUC__) && !defined(__clang__)
#define DLA_EXACT_PRODUCTS __attribute__((optimize("fp-contract=fast")))
#else
#define DLA_EXACT_PRODUCTS
#endif

/// DLA_WORD_PRODUCTS, where it is defined, stands before a function that has such products as intrinsics, and besides
/// permutations of the bytes of a vector. It may be called where DLA_HAS_WORD_PRODUCTS().
#if defined(__x86_64__) && defined(__gnu_linux__) && __STDC_HOSTED__ && \
    (!defined(__AVX__) || (defined(__AVX512VNNI__) && defined(__AVX512VBMI2__)))
#define DLA_WORD_PRODUCTS \
  __attribute__((target("popcnt,bmi2,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi,avx512vbmi2")))
#define DLA_HAS_WORD_PRODUCTS()                                                  \
  (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni") && \
   __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2"))
#endif

/// Numbers that a kernel's innermost loop works on: two or four vectors of what processors have, and DLA_VECTOR_LOOP
/// keeps such a loop as a loop until it has become vectors. Without vectors, or with DLA_NO_VECTORS, what a few
/// registers hold.
#if !defined(DLA_NO_VECTORS) && (defined(__SSE2__) || defined(__ARM_NEON) || defined(__riscv_vector))
#define DLA_VECTOR 16
#define DLA_VECTOR_LOOP _Pragma("GCC unroll 1")
#else
#define DLA_VECTOR 2
#define DLA_VECTOR_LOOP _Pragma("GCC unroll 2")
#endif
