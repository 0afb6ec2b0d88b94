/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <sys/types.h> by this name. */
#include <sys/types.h>
