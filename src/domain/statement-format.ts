// The forms in which a statement is given out, by name: what `--format` takes, what a report has a file of, and what
// `deliveries.formats` may name.

/** In the order in which a report's files are made. */
export const STATEMENT_FORMATS = ['json', 'csv', 'pdf', 'xlsx', 'journal', 'fec', 'camt', 'mt940', 'ofx'] as const;
export type StatementFormatName = (typeof STATEMENT_FORMATS)[number];
