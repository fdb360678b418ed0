/** Schema of a rewrite of a table's files that is under way: its copy, and the log of changed keys. */
export const rewriteSchema = 'tributary_rewrite'

/** Removes a rewrite with the trigger that logs for it, all at once. The table is as it was. */
export const removeRewriteSchema = `drop schema if exists ${rewriteSchema} cascade`
