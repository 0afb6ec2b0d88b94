/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <setjmp.h> by this name. */
#include <setjmp.h>
