/** Escapes a text for a quoted identifier or a string (GoogleSQL, "Lexical structure", "Escape sequences"). */
const escaped = (text: string): string =>
  text
    .replaceAll('\0', '')
    .replace(/[\\'"`]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')

/** Returns a quoted identifier for a statement, with any characters. */
export const quoted = (identifier: string): string => `\`${escaped(identifier)}\``

/** Returns a quoted text for a statement. */
export const literal = (text: string): string => `'${escaped(text)}'`
