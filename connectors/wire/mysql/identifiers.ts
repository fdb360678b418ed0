/** Characters of the name of a database, table or column; names that are longer are refused. */
export const identifierCharacters = 64

/** A quoted identifier for a statement, with any characters and any `sql_mode` of the server. */
export const quoted = (identifier: string): string => `\`${identifier.replaceAll('\0', '').replaceAll('`', '``')}\``

/** A text literal for a statement: in hexadecimal digits, so that no setting of the server decides where it ends. */
export const textLiteral = (text: string): string =>
  text === '' ? "''" : `convert(x'${Buffer.from(text.toWellFormed()).toString('hex')}' using utf8mb4)`

/**
 * True for a text that can be the unchanged name of a database, table or column: characters of the first plane, no
 * space at the end.
 */
export const isIdentifier = (name: string): boolean =>
  name.length <= identifierCharacters && !name.includes('\0') && !/[\u{10000}-\u{10FFFF}]|\s$|^$/u.test(name)
