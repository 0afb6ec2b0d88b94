/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <stddef.h> by this name. */
#include <stddef.h>
