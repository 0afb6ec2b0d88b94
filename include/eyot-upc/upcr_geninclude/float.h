/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <float.h> by this name. */
#include <float.h>
