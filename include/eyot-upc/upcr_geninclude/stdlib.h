/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <stdlib.h> by this name. */
#include <stdlib.h>
