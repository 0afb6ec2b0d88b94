/* SPDX-License-Identifier: BSD-3-Clause */
/* error.h - what the error codes (eyot/types.h) mean for a run. For rt/log.c and eyot-info. */
#ifndef EYOT_BASE_ERROR_H
#define EYOT_BASE_ERROR_H

#include <stdbool.h>

/* Whether the code means a mistake of the program. */
bool eyoti_error_is_misuse(int code);
#endif
