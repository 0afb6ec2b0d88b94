/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus_order.c - litmus tests: what order, flush and completion say about operations of one unit to one word, to one unit, to several. */
#include "check_litmus.h"

#define READS "get r0 y@1;get r1 x@1"

const struct litmus litmus_order[] = {
    {.name = "order.all", .why = "10: rule 6, for each unit", .code = {"nbi x@1 1;orderall;nbi y@1 1", READS}, .show = "1:r0 1:r1", .strict = "00 01 11"},
    {.name = "order.other", .why = "10 is allowed: the order is about another unit", .code = {"nbi x@1 1;order 0;nbi y@1 1", READS}, .show = "1:r0 1:r1", .strict = "00 01 11",
     .rdma = "00 01 10 11"},
    {.name = "order.late", .why = "10 is allowed: an order is about what came before it", .code = {"nbi x@1 1;nbi y@1 1;order 1", READS}, .show = "1:r0 1:r1", .strict = "00 01 11",
     .rdma = "00 01 10 11"},
    {.name = "order.three", .why = "visible in order (rule 6)", .code = {"nbi x@1 1;order 1;nbi y@1 1;order 1;nbi z@1 1", "get r0 z@1;get r1 y@1;get r2 x@1"}, .show = "1:r0 1:r1 1:r2",
     .strict = "000 001 011 111"},
    {.name = "order.both", .why = "110, 101, 100: both puts come before the third, in any order of their own", .long_search = true,
     .code = {"nbi x@1 1;nbi y@1 1;order 1;nbi z@1 1", "get r0 z@1;get r1 y@1;get r2 x@1"}, .show = "1:r0 1:r1 1:r2", .strict = "000 001 011 111", .rdma = "000 001 010 011 111"},
    {.name = "order.get", .why = "0 is allowed: gets are not covered (rule 6)", .code = {"nbi x@1 1;order 1;get r0 x@1", ""}, .show = "0:r0", .strict = "1", .rdma = "0 1"},
    {.name = "order.get.first", .why = "1 is allowed: a get passes an order", .code = {"getnbi r0 x@1;order 1;nbi x@1 1;flush 1", ""}, .show = "0:r0", .strict = "0", .rdma = "0 1"},
    {.name = "order.atomic.put", .why = "10: rule 6", .code = {"addnbi f@1 1;order 1;nbi y@1 1", "get r0 y@1;read r1 f@1"}, .show = "1:r0 1:r1", .strict = "00 01 11"},
    {.name = "order.put.atomic", .why = "10: rule 6", .code = {"nbi x@1 1;order 1;addnbi f@1 1", "read r0 f@1;get r1 x@1"}, .show = "1:r0 1:r1", .strict = "00 01 11"},
    {.name = "order.signals", .why = "1: rule 6", .code = {"signbi f@1 1;order 1;signbi f@1 2", ""}, .show = "f@1", .strict = "2"},
    {.name = "order.signal.put", .why = "10: rule 6", .code = {"signbi f@1 1;order 1;nbi x@1 1", "get r0 x@1;look r1 f@1 1"}, .show = "1:r0 1:r1", .strict = "00 01 11"},
    {.name = "coww.nbi", .why = "1 is allowed: rule 5, even for one word", .code = {"nbi x@1 1;nbi x@1 2", ""}, .show = "x@1", .strict = "2", .rdma = "1 2"},
    {.name = "coww.order", .why = "1: rule 6", .code = {"nbi x@1 1;order 1;nbi x@1 2", ""}, .show = "x@1", .strict = "2"},
    {.name = "coww.put", .why = "1: rule 3", .code = {"put x@1 1;put x@1 2", ""}, .show = "x@1", .strict = "2"},
    {.name = "put.get", .why = "0: what is complete is seen", .per_node = 1, .code = {"put x@1 1;get r0 x@1", ""}, .show = "0:r0", .strict = "1"},
    {.name = "put.get.node", .why = "0: what is complete is seen by its own unit, even if it is in the store buffer", .code = {"put x@1 1;get r0 x@1", ""}, .show = "0:r0", .strict = "1"},
    {.name = "sig.get", .why = "0: the same for a signal's word", .code = {"sig f@1 1;get r0 f@1", ""}, .show = "0:r0", .strict = "1"},
    {.name = "nbi.get", .why = "0 is allowed: rule 5", .code = {"nbi x@1 1;get r0 x@1", ""}, .show = "0:r0", .strict = "1", .rdma = "0 1"},
    {.name = "nbi.flushl.get", .why = "0 is allowed: local completion is about the source", .code = {"nbi x@1 1;flushl 1;get r0 x@1", ""}, .show = "0:r0", .strict = "1", .rdma = "0 1"},
    {.name = "nbi.flush.get", .why = "0: rule 2", .code = {"nbi x@1 1;flush 1;get r0 x@1", ""}, .show = "0:r0", .strict = "1"},
    {.name = "get.put", .why = "1: the get is over", .code = {"get r0 x@1;put x@1 1", ""}, .show = "0:r0", .strict = "0"},
    {.name = "self.nbi.get", .why = "0 is allowed: rule 5, also at home", .code = {"nbi x@0 1;get r0 x@0"}, .show = "0:r0", .strict = "1", .rdma = "0 1"},
    {.name = "self.put.get", .why = "0: what is complete is seen", .code = {"put x@0 1;get r0 x@0"}, .show = "0:r0", .strict = "1"},
    {.name = "self.put.ld", .why = "0: what is complete is seen by a direct load of its own unit", .code = {"put x@0 1;ld r0 x@0"}, .show = "0:r0", .strict = "1"},
    {.name = "self.nbi.order.nbi", .why = "1: rule 6, also at home", .code = {"nbi x@0 1;order 0;nbi x@0 2"}, .show = "x@0", .strict = "2"},
    {.name = NULL}};
