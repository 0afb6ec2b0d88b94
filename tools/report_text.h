/* SPDX-License-Identifier: BSD-3-Clause */
/* report_text.h - texts of a program in the reports of campaigns: quoted for JSON, XML, URIs and
 * shells. For campaign.c, journal.c and eyotrun_seeds.c. */
#ifndef EYOT_TOOLS_REPORT_TEXT_H
#define EYOT_TOOLS_REPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* A string of JSON. Bytes that are no UTF-8 would make the file unreadable: each becomes U+FFFD. */
void report_json(FILE *out, const char *text);
/* In an attribute or an element; what XML 1.0 cannot hold becomes U+FFFD, too. */
void report_xml(FILE *out, const char *text);
/* A path as a relative URI (RFC 3986): the bytes of all other characters are percent-encoded. */
void report_uri(FILE *out, const char *path);
/* A word as a shell reads it, quoted where it must be. */
void report_shell(FILE *out, const char *word);
/* Whether the character may stand in the name of a source file that is not quoted. */
bool report_name_char(char c);
#endif
