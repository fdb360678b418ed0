/**
 * Maximum bytes of a name of a table, a column, a database, or a user in UTF-8.
 * Source: https://docs.aws.amazon.com/redshift/latest/dg/r_names.html
 */
export const identifierBytes = 127

/** Whether a text can be the unchanged name of a database, a schema, a table, or a column. */
export const isIdentifier = (name: string): boolean =>
  name !== '' && !name.includes('\0') && !name.includes('"') && Buffer.byteLength(name) <= identifierBytes
