/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <math.h> by this name. */
#include <math.h>
