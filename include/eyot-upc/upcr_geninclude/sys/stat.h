/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <sys/stat.h> by this name. */
#include <sys/stat.h>
