/* SPDX-License-Identifier: BSD-3-Clause */
/* exit_codes.h - the exit codes of exit_codes.def as enumerators: EYOTI_EXIT_USAGE, ... For the
 * tools and the simulator; docs/exit-codes.md explains them. */
#ifndef EYOT_BASE_EXIT_CODES_H
#define EYOT_BASE_EXIT_CODES_H

enum eyoti_exit {
#define EXIT_CODE(name, value, tools, meaning) EYOTI_EXIT_##name = (value),
#include "base/exit_codes.def"
};
#endif
