/** Returns a quoted identifier for a statement, with any characters. */
export const quoted = (identifier: string): string => `\`${identifier.replaceAll('\0', '').replaceAll('`', '``')}\``

/**
 * Returns a literal of a text (docs.databricks.com/aws/en/sql/language-manual/data-types/string-type). `${` is written
 * with an escape, since Spark replaces `${name}` in a statement by settings of the server.
 */
export const literal = (text: string): string =>
  `'${text.replaceAll('\0', '').replace(/[\\']/g, '\\$&').replaceAll('${', '\\u0024{')}'`
