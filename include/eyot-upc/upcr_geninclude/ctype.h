/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <ctype.h> by this name. */
#include <ctype.h>
