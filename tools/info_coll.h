/* SPDX-License-Identifier: BSD-3-Clause */
/* info_coll.h - what eyot-info --coll prints: the algorithms of a collective with predicted costs,
 * and the one that is taken. */
#ifndef EYOT_TOOLS_INFO_COLL_H
#define EYOT_TOOLS_INFO_COLL_H

/* argv[0]: the function; then --bytes N, --units N, --platform NAME in any order. Returns the
 * tool's exit code. */
int info_coll(int argc, char **argv);
#endif
