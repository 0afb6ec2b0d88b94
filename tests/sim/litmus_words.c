/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus_words.c - litmus tests: transfers of more than a word, which arrive and are read word by word (rule 8). */
#include "check_litmus.h"

const struct litmus litmus_words[] = {
    {.name = "words.put.get", .why = "01, 10 are allowed: words arrive in any order", .code = {"put2 x@1 1 1", "get2 r0 r1 x@1"}, .show = "1:r0 1:r1", .strict = "00 11", .rdma = "00 01 10 11"},
    {.name = "words.put.gets", .why = "10 is allowed: the second word arrives first", .code = {"put2 x@1 1 1", "get r0 y@1;get r1 x@1"}, .show = "1:r0 1:r1", .strict = "00 01 11",
     .rdma = "00 01 10 11"},
    {.name = "words.puts.get", .why = "01 is allowed: a get reads its words in any order", .code = {"put x@1 1;put y@1 1", "get2 r0 r1 x@1"}, .show = "1:r0 1:r1", .strict = "00 10 11",
     .rdma = "00 01 10 11"},
    {.name = "words.put.put", .why = "12, 21 are allowed: two puts mix word by word", .code = {"put2 x@1 1 1", "put2 x@1 2 2"}, .show = "x@1 y@1", .strict = "11 22", .rdma = "11 12 21 22"},
    {.name = "words.order.put", .why = "21, 12, 11: an order holds back every word", .code = {"nbi2 x@1 1 1;order 1;nbi2 x@1 2 2", ""}, .show = "x@1 y@1", .strict = "22"},
    {.name = "words.nbi.put", .why = "anything is allowed: rule 5 for every word", .code = {"nbi2 x@1 1 1;nbi2 x@1 2 2", ""}, .show = "x@1 y@1", .strict = "22", .rdma = "11 12 21 22"},
    {.name = "words.signal", .why = "all bytes of its own put come before a signal (rule 7)", .code = {"psig2 x@1 1 1 f@1", "until f@1 1;get2 r0 r1 x@1"}, .show = "1:r0 1:r1", .strict = "11"},
    {.name = "words.signal.unseen", .why = "who has not seen the signal knows nothing", .long_search = true, .code = {"psig2 x@1 1 1 f@1", "get2 r0 r1 x@1"}, .show = "1:r0 1:r1", .strict = "00 11",
     .rdma = "00 01 10 11"},
    {.name = "words.flush.signal", .why = "all words are visible after the flush", .code = {"nbi2 x@1 1 1;flush 1;signbi f@1 1", "until f@1 1;get2 r0 r1 x@1"}, .show = "1:r0 1:r1", .strict = "11"},
    {.name = "words.order.signal", .why = "rule 6 for every word", .code = {"nbi2 x@1 1 1;order 1;signbi f@1 1", "until f@1 1;get2 r0 r1 x@1"}, .show = "1:r0 1:r1", .strict = "11"},
    {.name = "words.nbi.signal", .why = "any word may be missing", .long_search = true, .code = {"nbi2 x@1 1 1;signbi f@1 1", "until f@1 1;get2 r0 r1 x@1"}, .show = "1:r0 1:r1", .strict = "11",
     .rdma = "00 01 10 11"},
    {.name = "words.put.own", .why = "0: what is complete is seen, every word of it", .code = {"put2 x@1 1 1;get2 r0 r1 x@1", ""}, .show = "0:r0 0:r1", .strict = "11"},
    {.name = NULL}};
