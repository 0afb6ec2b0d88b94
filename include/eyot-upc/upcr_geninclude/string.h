/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <string.h> by this name. */
#include <string.h>
