/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus_atomics.c - litmus tests: atomics of the network and signals, against each other and against puts and gets. */
#include "check_litmus.h"

const struct litmus litmus_atomics[] = {
    {.name = "atomic.add.add", .why = "001: no update is lost (rule 9)", .code = {"add r0 f@1 1", "add r0 f@1 1"}, .show = "0:r0 1:r0 f@1", .strict = "012 102"},
    {.name = "atomic.add.third", .why = "no update is lost, whoever makes it", .code = {"add r0 f@2 1", "addnbi f@2 2", "add r0 f@2 4"}, .show = "0:r0 2:r0 f@2",
     .strict = "017 037 237 407 607 627"},
    {.name = "atomic.swap.swap", .why = "001, 002: one comes after the other", .code = {"swap r0 f@1 1", "swap r0 f@1 2"}, .show = "0:r0 1:r0 f@1", .strict = "012 201"},
    {.name = "atomic.cas.cas", .why = "00: one wins", .code = {"cas r0 f@1 0 1", "cas r0 f@1 0 2"}, .show = "0:r0 1:r0 f@1", .strict = "011 202"},
    {.name = "atomic.own", .why = "00, 10: in the order of one unit", .code = {"add r0 f@1 1;add r1 f@1 1", ""}, .show = "0:r0 0:r1", .strict = "01"},
    {.name = "atomic.nbi", .why = "1: both act", .code = {"addnbi f@1 1;addnbi f@1 1", ""}, .show = "f@1", .strict = "2"},
    {.name = "atomic.nbi.get", .why = "0 is allowed: nothing completes it", .code = {"addnbi f@1 1;get r0 f@1", ""}, .show = "0:r0", .strict = "1", .rdma = "0 1"},
    {.name = "atomic.add.nbi", .why = "10: the atomic is over", .code = {"add r0 f@1 1;nbi x@1 1", "get r0 x@1;read r1 f@1"}, .show = "1:r0 1:r1", .strict = "00 01 11"},
    {.name = "atomic.addnbi.nbi", .why = "10 is allowed: rule 5", .code = {"addnbi f@1 1;nbi x@1 1", "get r0 x@1;read r1 f@1"}, .show = "1:r0 1:r1", .strict = "00 01 11", .rdma = "00 01 10 11"},
    {.name = "atomic.nbi.add", .why = "10 is allowed: rule 5", .code = {"nbi x@1 1;add r0 f@1 1", "read r0 f@1;get r1 x@1"}, .show = "1:r0 1:r1", .strict = "00 01 11", .rdma = "00 01 10 11"},
    {.name = "atomic.put.init", .why = "a complete put initialises the word (rule 9)", .code = {"put f@1 3;add r0 f@1 1", ""}, .show = "0:r0 f@1", .strict = "34"},
    {.name = "signal.set.set", .why = "1 is allowed: two signals are unordered", .code = {"signbi f@1 1;signbi f@1 2", ""}, .show = "f@1", .strict = "2", .rdma = "1 2"},
    {.name = "signal.set.set.seen", .why = "21 is allowed: the word is seen to go back", .code = {"signbi f@1 1;signbi f@1 2", "read r0 f@1;read r1 f@1"}, .show = "1:r0 1:r1",
     .strict = "00 01 02 11 12 22", .rdma = "00 01 02 11 12 21 22"},
    {.name = "signal.add.add", .why = "whatever their order, their sum", .code = {"sigadd f@1 1;sigadd f@1 2", "untileq f@1 3"}, .show = "f@1", .strict = "3"},
    {.name = "signal.add.atomic", .why = "01, 11: signals are atomic against atomics", .code = {"sigadd f@1 1", "add r0 f@1 1"}, .show = "1:r0 f@1", .strict = "02 12"},
    {.name = "signal.add.two", .why = "0: both came first", .long_search = true, .code = {"put x@2 1;sigadd f@2 1", "put y@2 1;sigadd f@2 1", "until f@2 2;get r0 x@2;get r1 y@2"}, .show = "2:r0 2:r1",
     .strict = "11"},
    {.name = "signal.add.one", .why = "00: one of the two came first", .long_search = true, .code = {"put x@2 1;sigadd f@2 1", "put y@2 1;sigadd f@2 1", "until f@2 1;get r0 x@2;get r1 y@2"},
     .show = "2:r0 2:r1", .strict = "01 10 11"},
    {.name = NULL}};
