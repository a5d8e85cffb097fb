// SPDX-License-Identifier: Apache-2.0
/// \file
/// The exponential, for a driver that has no C library. Internal to the runtime.
#ifndef FOVEA_DRIVER_RUNTIME_DLA_FLOAT_MATH_H_
#define FOVEA_DRIVER_RUNTIME_DLA_FLOAT_MATH_H_

#include <stdint.h>

/// 2^k as a double. \param k  -1022 to 1023.
static inline double dla_power_of_two(int32_t k) {
  union {
    uint64_t bits;
    double value;
  } power = {.bits = (uint64_t)(k + 1023) << 52};
  return power.value;
}

/// e^x, to some units of a double's last place: 2^k * e^r with |r| at most ln(2) / 2, of which Taylor's series needs 13
/// terms. 0 below -700 and e^700 above 700, which in float32 are 0 and infinite; not a number for what is none.
static inline double dla_exp(double x) {
  if (x < -700) {
    return 0;
  }
  const double bounded = x > 700 ? 700 : x;
  const double log2_e = 1.4426950408889634074, ln2_high = 6.93147180369123816490e-01,
               ln2_low = 1.90821492927058770002e-10;
  if (bounded != bounded) {
    return bounded;
  }
  const int32_t k = (int32_t)(bounded * log2_e + (bounded < 0 ? -0.5 : 0.5));
  const double r = (bounded - k * ln2_high) - k * ln2_low;
  double sum = 1;
  for (int32_t n = 13; n > 0; --n) {
    sum = 1 + sum * r / n;
  }
  return sum * dla_power_of_two(k);
}

#endif  // FOVEA_DRIVER_RUNTIME_DLA_FLOAT_MATH_H_
