/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <stdarg.h> by this name. */
#include <stdarg.h>
