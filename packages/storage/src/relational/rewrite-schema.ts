/** The schema of a running rewrite of a table's files: its copy, and the log of changed keys. */
export const rewriteSchema = 'tributary_rewrite'

/** Removes a rewrite and its trigger in one statement. The table stays unchanged. */
export const removeRewriteSchema = `drop schema if exists ${rewriteSchema} cascade`
