/* SPDX-License-Identifier: BSD-3-Clause */
/* other_version.c - a library for LD_PRELOAD that gives libeyot another version. */
#include <eyot/init.h>

const char *eyot_version(void) {
  return "0.0.9";
}
