// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints the first Fibonacci numbers, from a table on the heap.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCount = 90 };

/** The first `count` numbers, for the caller to free; NULL where there is no memory. */
static uint64_t *fibonacci(int count) {
  uint64_t *numbers = calloc((size_t)count, sizeof(*numbers));
  if (numbers == NULL || count <= 2) {
    if (numbers != NULL) {
      numbers[count - 1] = (uint64_t)count - 1;
    }
    return numbers;
  }
  uint64_t *before = fibonacci(count - 1);
  if (before == NULL) {
    free(numbers);
    return NULL;
  }
  memcpy(numbers, before, (size_t)(count - 1) * sizeof(*numbers));
  numbers[count - 1] = numbers[count - 2] + numbers[count - 3];
  free(before);
  return numbers;
}

int main(void) {
  uint64_t *numbers = fibonacci(kCount);
  if (numbers == NULL) {
    return 1;
  }
  for (int i = 0; i < kCount; ++i) {
    printf("%llu ", (unsigned long long)numbers[i]);
  }
  printf("\n");
  free(numbers);
  return 0;
}
