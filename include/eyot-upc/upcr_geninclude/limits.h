/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <limits.h> by this name. */
#include <limits.h>
