/* SPDX-License-Identifier: MIT */
/* What commands show, on standard output or in a page. */
#include "base/error.h"
#include "base/file_output.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/document.h"
#include "report/html/page.h"

int cli_document_print(const struct document *document, enum cli_document_format format,
		       bool mangled, struct softlbr_error *e)
{
	const struct document_style style = {mangled, terminal_columns()};
	int rc;

	if (format == CLI_DOCUMENT_JSON)
		rc = document_write_json(document, &style, stdout, e);
	else if (format == CLI_DOCUMENT_CSV)
		rc = document_write_csv(document, &style, stdout, e);
	else
		rc = document_write_text(document, &style, stdout, e);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = error_set_errno(e, "standard output", "cannot write to standard output");
	return rc;
}

int cli_document_save_page(const struct document *document, const char *title,
			   const struct call_tree *calls, const char *path, bool mangled,
			   struct file_outputs *files, struct softlbr_error *e)
{
	const struct document_style style = {.mangled = mangled};
	FILE *stream;

	return file_outputs_open(files, path, &stream, e)
		       ?: page_document_write(document, &style, title, calls, stream, e)
		       ?: file_outputs_finish(files, e);
}
