// SPDX-License-Identifier: Apache-2.0
/// \file
/// foveac: the program fovea beside it, which knows by its name that it is to be the compiler.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  (void)argc;
  if (length > 0) {
    path[length] = '\0';
    memcpy(strrchr(path, '/') + 1, "fovea", sizeof "fovea");  // shorter than foveac
    argv[0] = "foveac";
    execv(path, argv);
  }
  fprintf(stderr, "foveac: %s: can't be started (%s); install Fovea again\n", length > 0 ? path : "fovea",
          strerror(errno));
  return 1;
}
