/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus_tests.c - the litmus tests of OpenSHMEM. What their outcomes mean: litmus.tsv. */
#include "tests/openshmem/litmus.h"

/* A reader that has seen f. */
#define READS_X "until f 1;get r0 x@1"
#define READS_XY "until f 1;get r0 x;get r1 y"

/* name, what is shown, the code of each PE; STATIC: in static objects. */
#define TEST(NAME, SHOW, ...) \
  { .name = NAME, .code = {__VA_ARGS__}, .show = SHOW }
#define STATIC(NAME, SHOW, ...) \
  { .name = NAME, .code = {__VA_ARGS__}, .show = SHOW, .data = true }

const struct litmus litmus_tests[] = {
    /* message passing: what a PE that has waited for the flag sees */
    TEST("mp", "1:r0", "put x@1 1;set f@1 1", READS_X),
    TEST("mp.quiet", "1:r0", "put x@1 1;quiet;set f@1 1", READS_X),
    TEST("mp.fence", "1:r0", "put x@1 1;fence;set f@1 1", READS_X),
    STATIC("mp.fence.data", "1:r0", "put x@1 1;fence;set f@1 1", READS_X),
    TEST("mp.nbi", "1:r0", "nbi x@1 1;set f@1 1", READS_X),
    TEST("mp.nbi.quiet", "1:r0", "nbi x@1 1;quiet;set f@1 1", READS_X),
    TEST("mp.nbi.fence", "1:r0", "nbi x@1 1;fence;set f@1 1", READS_X),
    TEST("mp.amo", "1:r0", "set x@1 1;set f@1 1", "until f 1;fetch r0 x"),
    TEST("mp.amo.fence", "1:r0", "set x@1 1;fence;set f@1 1", "until f 1;fetch r0 x"),
    TEST("mp.fadd", "1:r0", "fadd r0 x@1 1;set f@1 1", "until f 1;fetch r0 x"),
    TEST("mp.fadd.nbi", "1:r0", "faddnbi r0 x@1 1;fence;set f@1 1", "until f 1;fetch r0 x"),
    TEST("mp.p", "1:r0", "put x@1 1;fence;p f@1 1", READS_X),
    TEST("mp.put2", "1:r0", "put2 x@1 1", "until y 1;get r0 x"),
    TEST("mp.test", "1:r0 1:r1", "put x@1 1;fence;set f@1 1", "test r0 f 1;get r1 x"),
    TEST("mp.get", "1:r0 1:r1", "put x@1 1;quiet;put y@1 1", "get r0 y;get r1 x"),
    TEST("mp.get.apart", "2:r0 2:r1", "put x@1 1;quiet;put y@1 1", "", "get r0 y@1;get r1 x@1"),
    /* put with signal */
    TEST("sig", "1:r0", "psig x@1 1 f@1 1", "siguntil f 1;get r0 x"),
    TEST("sig.nbi", "1:r0", "psignbi x@1 1 f@1 1", "siguntil f 1;get r0 x"),
    TEST("sig.put", "1:r0 1:r1", "put x@1 1;psig y@1 1 f@1 1", READS_XY),
    TEST("sig.put.fence", "1:r0 1:r1", "put x@1 1;fence;psig y@1 1 f@1 1", READS_XY),
    TEST("sig.sig", "1:r0", "psignbi x@1 1 f@1 1;psignbi y@1 1 g@1 1", "siguntil g 1;get r0 x"),
    TEST("sig.sig.fence", "1:r0", "psignbi x@1 1 f@1 1;fence;psignbi y@1 1 g@1 1",
         "siguntil g 1;get r0 x"),
    TEST("sig.add", "2:r0 2:r1", "psigadd x@2 1 f@2 1", "psigadd y@2 1 f@2 1",
         "siguntil f 2;get r0 x;get r1 y"),
    /* several flags */
    TEST("any", "2:r0 2:r1 2:r2", "put x@2 1;quiet;set f@2 1", "put y@2 1;quiet;set g@2 1",
         "any r0 f;get r1 x;get r2 y"),
    TEST("some", "2:r0 2:r1 2:r2", "put x@2 1;quiet;set f@2 1", "put y@2 1;quiet;set g@2 1",
         "some r0 f;get r1 x;get r2 y"),
    TEST("all", "2:r1 2:r2", "put x@2 1;quiet;set f@2 1", "put y@2 1;quiet;set g@2 1",
         "all f;get r1 x;get r2 y"),
    /* a fence is for each PE alone; what is seen is passed on */
    TEST("far", "2:r0", "put x@1 1;fence;set f@2 1", "", "until f 1;get r0 x@1"),
    TEST("far.quiet", "2:r0", "put x@1 1;quiet;set f@2 1", "", "until f 1;get r0 x@1"),
    TEST("chain.quiet", "2:r0", "put x@2 1;quiet;set f@1 1", "until f 1;set g@2 1",
         "until g 1;get r0 x"),
    TEST("chain.fence", "2:r0", "put x@2 1;fence;set f@1 1", "until f 1;set g@2 1",
         "until g 1;get r0 x"),
    TEST("chain.seen", "2:r0", "put x@1 1;fence;set f@1 1", "until f 1;set g@2 1",
         "until g 1;get r0 x@1"),
    /* store buffering, load buffering, independent reads of independent writes, 2+2W */
    TEST("sb", "0:r0 1:r0", "put x@1 1;get r0 y@0", "put y@0 1;get r0 x@1"),
    TEST("sb.fence", "0:r0 1:r0", "put x@1 1;fence;get r0 y@0", "put y@0 1;fence;get r0 x@1"),
    TEST("sb.quiet", "0:r0 1:r0", "put x@1 1;quiet;get r0 y@0", "put y@0 1;quiet;get r0 x@1"),
    TEST("sb.amo", "0:r0 1:r0", "set x@1 1;fetch r0 y@0", "set y@0 1;fetch r0 x@1"),
    TEST("sb.fadd", "0:r0 1:r0", "fadd r1 x@1 1;fetch r0 y@0", "fadd r1 y@0 1;fetch r0 x@1"),
    TEST("lb", "0:r0 1:r0", "get r0 x@0;put y@1 1", "get r0 y@1;put x@0 1"),
    TEST("lb.nbi", "0:r0 1:r0", "getnbi r0 x@0;nbi y@1 1;quiet", "getnbi r0 y@1;nbi x@0 1;quiet"),
    TEST("iriw", "2:r0 2:r1 3:r0 3:r1", "set x@2 1", "set y@3 1", "fetch r0 x@2;fetch r1 y@3",
         "fetch r0 y@3;fetch r1 x@2"),
    TEST("2+2w", "x@1 y@1", "set x@1 1;set y@1 2", "set y@1 1;set x@1 2"),
    TEST("2+2w.fence", "x@1 y@1", "set x@1 1;fence;set y@1 2", "set y@1 1;fence;set x@1 2"),
    TEST("2+2w.apart", "x@0 y@1", "set x@0 1;fence;set y@1 2", "set y@1 1;fence;set x@0 2"),
    /* one location */
    TEST("coww", "x@1", "put x@1 1;put x@1 2", ""),
    TEST("coww.fence", "x@1", "put x@1 1;fence;put x@1 2", ""),
    TEST("coww.amo", "x@1", "set x@1 1;set x@1 2", ""),
    TEST("cowr", "0:r0", "put x@1 1;get r0 x@1", ""),
    TEST("cowr.fence", "0:r0", "put x@1 1;fence;get r0 x@1", ""),
    TEST("cowr.quiet", "0:r0", "put x@1 1;quiet;get r0 x@1", ""),
    TEST("cowr.own", "0:r0", "put x@0 1;ld r0 x", ""),
    TEST("corr", "2:r0 2:r1", "put x@1 1", "", "get r0 x@1;get r1 x@1"),
    TEST("cofadd", "0:r0 0:r1", "fadd r0 x@1 1;fadd r1 x@1 1", ""),
    TEST("atomic", "0:r0 1:r0 x@1", "fadd r0 x@1 1", "fadd r0 x@1 1"),
    TEST("atomic.put", "x@1", "put x@1 5", "add x@1 1"),
    /* sources and results of operations that are not complete */
    TEST("reuse", "x@1", "src 1;puts x@1;src 2", ""),
    TEST("reuse.nbi", "x@1", "src 1;nbis x@1;src 2", ""),
    TEST("reuse.nbi.quiet", "x@1", "src 1;nbis x@1;quiet;src 2", ""),
    TEST("get.put", "0:r0", "get r0 x@1;put x@1 1", ""),
    TEST("getnbi.fence", "0:r0", "getnbi r0 x@1;fence;put x@1 1;quiet", ""),
    TEST("getnbi.quiet", "0:r0", "getnbi r0 x@1;quiet;put x@1 1", ""),
    /* contexts */
    TEST("ctx.fence", "1:r0", "cput c1 x@1 1;fence;set f@1 1", READS_X),
    TEST("ctx.cfence", "1:r0", "cput c1 x@1 1;cfence c1;set f@1 1", READS_X),
    TEST("ctx.cfence.cset", "1:r0", "cput c1 x@1 1;cfence c1;cset c1 f@1 1", READS_X),
    TEST("ctx.quiet", "1:r0", "cput c1 x@1 1;quiet;set f@1 1", READS_X),
    TEST("ctx.cquiet", "1:r0", "cput c1 x@1 1;cquiet c1;set f@1 1", READS_X),
    TEST("ctx.barrier", "1:r0", "cput c1 x@1 1;barrier", "barrier;get r0 x"),
    /* collectives */
    TEST("barrier", "1:r0", "put x@1 1;barrier", "barrier;get r0 x"),
    TEST("sync", "1:r0", "put x@1 1;sync", "sync;get r0 x"),
    TEST("sync.quiet", "1:r0", "put x@1 1;quiet;sync", "sync;get r0 x"),
    TEST("bcast", "1:r0", "put x@1 1;bcast", "bcast;get r0 x"),
    TEST("bcast.quiet", "1:r0", "put x@1 1;quiet;bcast", "bcast;get r0 x"),
    TEST("bcast.root", "0:r0", "bcast;get r0 x", "put x@0 1;quiet;bcast"),
    TEST("sum.quiet", "1:r0", "put x@1 1;quiet;sum", "sum;get r0 x"),
    /* stores of a PE to its own memory */
    TEST("st", "1:r0", "st x 1;set f@1 1", "until f 1;get r0 x@0"),
    TEST("st.fence", "1:r0", "st x 1;fence;set f@1 1", "until f 1;get r0 x@0"),
    TEST("st.quiet", "1:r0", "st x 1;quiet;set f@1 1", "until f 1;get r0 x@0"),
    TEST("st.sync", "1:r0", "st x 1;sync", "sync;get r0 x@0"),
    TEST("st.barrier", "1:r0", "st x 1;barrier", "barrier;get r0 x@0"),
    /* locks */
    TEST("lock", "1:r0 1:r1", "lock l;put x@1 1;put y@1 1;unlock l",
         "lock l;get r0 x;get r1 y;unlock l"),
    TEST("lock.ctx", "1:r0 1:r1", "lock l;cput c1 x@1 1;put y@1 1;unlock l",
         "lock l;get r0 x;get r1 y;unlock l"),
    {.name = NULL}};
