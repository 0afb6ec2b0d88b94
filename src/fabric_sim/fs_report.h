/* fs_report.h - what is printed when nothing can happen any more. SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_FS_REPORT_H
#define EYOT_FS_REPORT_H

struct fs_world;

/* Names every blocked unit with what it waits for, on stderr. Up to 64 one by one, else identical waits together, with all ids as ranges. */
void fs_report_deadlock(const struct fs_world *w);
#endif
