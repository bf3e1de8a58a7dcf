/* SPDX-License-Identifier: MIT */
#include "cli/doctor_command.h"

#include <stdio.h>
#include <string.h>

#include "cli/color.h"
#include "collector/recorder/command.h"

static const char *const hows[] = {"inside", "outside", "refused"};
static const enum color colors[] = {COLOR_GOOD, COLOR_GOOD, COLOR_BAD};

/* What only a run tells. */
static const char later[] = "the programs that it starts are asked one by one, and what it does "
			    "later (dlopen, seccomp) is seen then; record names what it leaves out";

/* As record decides it: by the program, then by what the machine allows. */
static void decide(struct doctor_command *c, const struct command_way *way,
		   const struct capabilities *p)
{
	if (!way->reason && capabilities_can_preload(p))
		return;
	c->how = capabilities_can_attach(p) ? DOCTOR_COMMAND_OUTSIDE : DOCTOR_COMMAND_REFUSED;
	snprintf(c->why, sizeof(c->why), "%s%s",
		 way->reason ? refusal_text(way->reason)
			     : "this machine does not allow recording from inside",
		 c->how == DOCTOR_COMMAND_OUTSIDE
			 ? ""
			 : ", and the kernel refuses to trace it (ptrace)");
}

void doctor_command_ask(struct doctor_command *c, const char *name, const struct capabilities *p)
{
	struct softlbr_error e = {0};
	struct command_way way;
	int why = command_look(name, &way);

	*c = (struct doctor_command){.name = name};
	if (why) {
		c->how = DOCTOR_COMMAND_REFUSED;
		snprintf(c->why, sizeof(c->why), "it cannot be run: %s", strerror(why));
		return;
	}
	if (command_check(&way, &e)) {
		c->how = DOCTOR_COMMAND_REFUSED;
		snprintf(c->why, sizeof(c->why), "%s", e.text);
		return;
	}
	c->traces = way.traces;
	decide(c, &way, p);
}

void doctor_command_print(const struct doctor_command *c)
{
	printf("%s%-7s%s  %s: %s%s%s\n", cli_color(stdout, colors[c->how]), hows[c->how],
	       cli_color_end(stdout), c->name,
	       c->how == DOCTOR_COMMAND_INSIDE	  ? "recorded from inside"
	       : c->how == DOCTOR_COMMAND_OUTSIDE ? "recorded from outside, by ptrace"
						  : "not recorded",
	       c->why[0] ? ": " : "", c->why);
	if (c->how == DOCTOR_COMMAND_INSIDE)
		printf("%30s%s\n", "-> ", later);
	if (c->traces)
		printf("%30sit traces other processes, which are left to it\n", "-> ");
}

struct json_node *doctor_command_node(const struct doctor_command *c)
{
	struct json_node *node = json_node_object();

	json_node_add_text(node, "name", c->name);
	json_node_add_text(node, "how", hows[c->how]);
	json_node_add_text(node, "why", c->why);
	json_node_add_bool(node, "traces", c->traces);
	return node;
}
