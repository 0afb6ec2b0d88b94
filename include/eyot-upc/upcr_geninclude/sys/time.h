/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <sys/time.h> by this name. */
#include <sys/time.h>
