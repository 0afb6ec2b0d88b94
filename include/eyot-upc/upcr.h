/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr.h - the interface that the C output of a UPC translator calls: the Berkeley UPC Runtime, on
 * eyot's UPC library. For translated files alone; programs in C use eyot/upc.h.
 *
 * Names and meanings: D. Bonachea, "The Berkeley UPC Runtime Specification", version 3.11, 2014
 * ("UPCR" below). Functions end the run with code 7 after an error, which they report with the line
 * of the UPC program. Thread rule: that of eyot/init.h. docs/upc.md tells how to translate, build
 * and run a program, and what is missing. */
#ifndef EYOT_UPCR_H
#define EYOT_UPCR_H

/* What translated files expect to be included. */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* */
#include "upcr/access.h"
#include "upcr/library.h"
#include "upcr/nb.h"
#include "upcr/pointer.h"
#include "upcr/program.h"

#endif
