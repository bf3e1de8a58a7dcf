/* SPDX-License-Identifier: MIT */
/* The commands of the softlbr program: each parses its own arguments and returns its exit status.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

int cli_bench(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_control(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_record(int argc, char **argv);
int cli_show(int argc, char **argv);

#endif
