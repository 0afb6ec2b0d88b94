/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <time.h> by this name. */
#include <time.h>
