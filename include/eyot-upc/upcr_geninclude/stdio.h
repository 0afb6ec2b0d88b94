/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <stdio.h> by this name. */
#include <stdio.h>
