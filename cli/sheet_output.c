/* SPDX-License-Identifier: MIT */
#include "cli/sheet_output.h"

#include "base/error.h"
#include "base/file.h"
#include "cli/terminal.h"
#include "report/html/page_sheet.h"

int cli_sheet_print(const struct sheet *sheet, enum cli_sheet_format format, bool mangled,
		    struct softlbr_error *e)
{
	const struct sheet_style style = {mangled, terminal_columns()};
	int rc;

	if (format == CLI_SHEET_JSON)
		rc = sheet_write_json(sheet, &style, stdout, e);
	else if (format == CLI_SHEET_CSV)
		rc = sheet_write_csv(sheet, &style, stdout, e);
	else
		rc = sheet_write_text(sheet, &style, stdout, e);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = error_set_errno(e, "standard output", "cannot write to standard output");
	return rc;
}

int cli_sheet_save_page(const struct sheet *sheet, const char *title, const struct call_tree *calls,
			const char *path, bool mangled, struct softlbr_error *e)
{
	const struct sheet_style style = {.mangled = mangled};
	struct file_output out;
	int rc = file_output_open(&out, path, e);

	if (rc)
		return rc;
	return file_output_end(&out, page_sheet_write(sheet, &style, title, calls, out.stream, e),
			       e);
}
