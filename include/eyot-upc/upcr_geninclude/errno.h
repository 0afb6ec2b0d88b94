/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <errno.h> by this name. */
#include <errno.h>
