/** Characters of the name of a database, table or column; names that are longer are refused. */
export const identifierCharacters = 64

/** An identifier as it stands in a statement, whatever is in it and whatever the server's `sql_mode` is. */
export const quoted = (identifier: string): string => `\`${identifier.replaceAll('\0', '').replaceAll('`', '``')}\``

/** A text as it stands in a statement: in hexadecimal digits, so that no setting of the server decides where it ends. */
export const textLiteral = (text: string): string =>
  text === '' ? "''" : `convert(x'${Buffer.from(text.toWellFormed()).toString('hex')}' using utf8mb4)`

/** True for a text that may be the name of a database, table or column as it is: characters of the first plane, no space at the end. */
export const isIdentifier = (name: string): boolean =>
  name.length <= identifierCharacters && !name.includes('\0') && !/[\u{10000}-\u{10FFFF}]|\s$|^$/u.test(name)
