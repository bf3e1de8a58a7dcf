/* SPDX-License-Identifier: MIT */
/* What softlbr record would do with a command: asked without running it. */
#ifndef CLI_DOCTOR_COMMAND_H
#define CLI_DOCTOR_COMMAND_H

#include <stdbool.h>

#include "base/json.h"
#include "collector/machine/capabilities.h"

enum doctor_command_how { DOCTOR_COMMAND_INSIDE, DOCTOR_COMMAND_OUTSIDE, DOCTOR_COMMAND_REFUSED };

struct doctor_command {
	const char *name;
	enum doctor_command_how how;
	char why[800]; /* "" if there is nothing to say */
	bool traces;   /* other processes */
};

void doctor_command_ask(struct doctor_command *c, const char *name, const struct capabilities *p);
void doctor_command_print(const struct doctor_command *c);
struct json_node *doctor_command_node(const struct doctor_command *c);

#endif
