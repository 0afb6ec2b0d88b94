/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <inttypes.h> by this name. */
#include <inttypes.h>
