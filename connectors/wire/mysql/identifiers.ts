/** Maximum characters of the name of a database, table or column; longer names are refused. */
export const identifierCharacters = 64

/** Returns a quoted identifier for a statement, with any characters and any `sql_mode` of the server. */
export const quoted = (identifier: string): string => `\`${identifier.replaceAll('\0', '').replaceAll('`', '``')}\``

/**
 * Returns a text literal for a statement in hexadecimal digits, so that its end does not depend on settings of the
 * server.
 */
export const textLiteral = (text: string): string =>
  text === '' ? "''" : `convert(x'${Buffer.from(text.toWellFormed()).toString('hex')}' using utf8mb4)`

/**
 * Whether a text can be the unchanged name of a database, table or column: only characters of the Basic Multilingual
 * Plane, and no space at the end.
 */
export const isIdentifier = (name: string): boolean =>
  name.length <= identifierCharacters && !name.includes('\0') && !/[\u{10000}-\u{10FFFF}]|\s$|^$/u.test(name)
