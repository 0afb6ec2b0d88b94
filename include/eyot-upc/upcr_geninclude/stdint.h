/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <stdint.h> by this name. */
#include <stdint.h>
