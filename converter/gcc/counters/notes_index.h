/* SPDX-License-Identifier: MIT */
/*
 * The functions of a program as gcc instruments them, from all its object files, and which of their
 * blocks a source position is in. Names, files and positions are numbered for all objects alike.
 * What several objects have of one function is kept once.
 *
 * A function of several objects is one to the linker if it may be shared (inline functions of C++):
 * its counters are, too. One that is local to each (static, in a header) counts in each by itself.
 * But objects with the same functions are of one source that was compiled several times, as libtool
 * does for an archive and a shared library: what ran in one is what the others would have run.
 */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "converter/gcc/files/gcc_graph.h"

#define NOTES_NONE UINT32_MAX

/* A statement's place in the source: file's base name, line, column. */
struct notes_place {
	uint32_t file, line, column;
};

static inline bool notes_place_is(const struct notes_place *a, const struct notes_place *b)
{
	return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* That a block has a statement there. */
struct notes_at {
	struct notes_place place;
	uint32_t discriminator; /* of the block */
	uint32_t block;
};

struct notes_call {
	uint32_t line, column; /* of the call statement */
	uint32_t block;
	/* A function by number, of the object of described_by (notes_index_callee); NOTES_NONE =
	 * not in these objects, or unknown. Until all are known its name, in the strings. */
	uint32_t callee;
};

struct notes_block {
	struct notes_place condition; /* line 0 = none ends it */
	uint32_t discriminator;
	bool computed_goto;
};

struct notes_function {
	const struct gcc_function *graph; /* arcs, guesses, value sites */
	uint32_t object;		  /* by number */
	uint32_t name, file;
	/* The first function of equal text: what is below is that one's. */
	uint32_t described_by;
	/* Whose counters are its own: the same one's, but for local functions. */
	uint32_t same_as;
	bool copied; /* its object has what an object before it has */
	bool computed_goto;
	bool without_columns;		   /* all columns below are 0, and looked up so */
	VECTOR(struct notes_block) blocks; /* by number; empty without a dump */
	VECTOR(struct notes_at) at;	   /* by place, discriminator, block; each once */
	VECTOR(struct notes_call) calls;   /* by line, column, block */
	VECTOR(struct notes_place) values; /* of the graph's value sites, in its order */
};

/* Start zeroed. */
struct notes_index {
	struct strings *strings;
	VECTOR(struct notes_function) functions;
	/* (name, 0) -> n = first function + 1, m = last + 1; of local functions of one name also
	 * (name, object + 1) -> n = the function + 1 */
	struct map by_name;
	VECTOR(uint32_t) next_named; /* by function: the next of its name, + 1 */
	struct map unnamed;	     /* (file, line) -> n = first + 1; of local functions of C++ */
	VECTOR(uint32_t) next_unnamed; /* by function: the next there, + 1 */
};

void notes_index_deinit(struct notes_index *k);
/* Add the functions of an object's graph, which stays the caller's and has to live as long; what
 * gcc_graph_reduce takes away is not needed. 0, or -1 without memory. */
int notes_index_add(struct notes_index *k, const struct gcc_graph *g, uint32_t object);
/* After the last one. 0, or -1 without memory. */
int notes_index_finish(struct notes_index *k);
/* Forget the columns of a function: it was built with other ones. Those of equal text have them
 * until notes_index_share_descriptions. */
void notes_index_drop_columns(struct notes_index *k, uint32_t function);
/* Give each function with counters of its own the description that another one has. */
void notes_index_share_descriptions(struct notes_index *k);

/* The function of that linkage name, whatever it was cloned to; of several that in @file (a number,
 * 0 = unknown), and of local ones that of @object (a number, or NOTES_NONE). NOTES_NONE
 * if there is none. */
uint32_t notes_index_find(const struct notes_index *k, const char *name, uint32_t file,
			  uint32_t object);
/* The one object, copies aside, that has a function of that one's name, or one of that name in
 * @file (a number, 0 = unknown); NOTES_NONE if there are several. */
uint32_t notes_index_only_object(const struct notes_index *k, uint32_t function, uint32_t file);
/* The function that @call of @f calls; NOTES_NONE as in struct notes_call. */
uint32_t notes_index_callee(const struct notes_index *k, const struct notes_function *f,
			    const struct notes_call *call);

/*
 * A static function of C++ or one in an unnamed namespace, whose debug information lacks the
 * linkage name: by its plain name and where it is declared; of several objects' that of @object (a
 * number, or NOTES_NONE). NOTES_NONE if that is not one.
 */
uint32_t notes_index_find_unnamed(const struct notes_index *k, const char *name, uint32_t file,
				  uint32_t line, uint32_t object);

/* The statements at @place, and of them those with @discriminator: a run of f->at, empty if there
 * is none. */
const struct notes_at *notes_function_at(const struct notes_function *f, struct notes_place place,
					 size_t *count);
const struct notes_at *notes_function_at_exactly(const struct notes_function *f,
						 struct notes_place place, uint32_t discriminator,
						 size_t *count);
/* Has it statements there, whatever the column? */
bool notes_function_has_line(const struct notes_function *f, struct notes_place place);
/* The one block that has statements at @place; NOTES_NONE if there are several, or none. */
uint32_t notes_function_block(const struct notes_function *f, struct notes_place place);
/* Has @block statements at @place? */
bool notes_function_is_in(const struct notes_function *f, struct notes_place place, uint32_t block);
/* Does gcc count values of a statement at @place? */
bool notes_function_has_values(const struct notes_function *f, struct notes_place place);
/* The call statements at a line and column. */
const struct notes_call *notes_function_calls(const struct notes_function *f, uint32_t line,
					      uint32_t column, size_t *count);

/* ---- the ways between blocks (successors.c) ------------------------------------------------- */

/* Start zeroed. */
struct successors {
	const struct notes_function *f;
	VECTOR(uint32_t) first, arcs; /* those that leave block b are from first[b] on */
	VECTOR(uint32_t) arrivals;    /* by block: arcs that lead there */
	VECTOR(uint32_t) before;      /* by block: where the last of these is from */
	VECTOR(bool) stated;	      /* by block: it has statements */
};

void successors_deinit(struct successors *w);
/* For the graph of @f, which must outlive @w. 0, or -1 without memory. */
int successors_init(struct successors *w, const struct notes_function *f);
/* The arcs by which @block is left, into @arcs: false unless there are @most or fewer. */
bool successors_out(const struct successors *w, uint32_t block, uint32_t *arcs, size_t most,
		    size_t *count);
/* How many arcs leave @block. */
static inline uint32_t successors_count(const struct successors *w, uint32_t block)
{
	return w->first.items[block + 1] - w->first.items[block];
}
/* The two arcs that leave a block with two successors; false for other blocks. */
bool successors_both(const struct successors *w, uint32_t block, uint32_t arcs[2]);
/* Does an arc lead from one block to the other? */
bool successors_lead(const struct successors *w, uint32_t from, uint32_t to);
/* The block that an arc leads to. */
uint32_t successors_to(const struct successors *w, uint32_t arc);
