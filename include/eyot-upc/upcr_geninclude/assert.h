/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <assert.h> by this name. */
#include <assert.h>
