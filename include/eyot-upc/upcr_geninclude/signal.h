/* SPDX-License-Identifier: BSD-3-Clause */
/* The Berkeley translator includes <signal.h> by this name. */
#include <signal.h>
