/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc.h - UPC's library and its semantics for C11 programs on eyot: pointers to shared, three
 * heaps, copies, strict and relaxed accesses, atomics, barriers, locks and collectives.
 *
 * Names are UPC's own. Source: UPC Language Specifications 1.3, 2013 ("UPC" below), its Required
 * Library Specifications (sections from 7.4 on) and Optional Library Specifications (from 7.6 on),
 * both "UPC library"; the three heaps: D. Lewis, "An OpenSHMEM Runtime for UPC", 2020, chapter IV.
 * Functions end the run with code 7 after an error, which they report with the program's line.
 * Thread rule: that of eyot/init.h. docs/upc.md tells how to port a program, and what is
 * missing. */
#ifndef EYOT_UPC_UPC_H
#define EYOT_UPC_UPC_H

#include "upc/access.h"
#include "upc/atomic.h"
#include "upc/coll.h"
#include "upc/nb.h"
#include "upc/pointer.h"
#include "upc/query.h"
#include "upc/runtime.h"

#endif
