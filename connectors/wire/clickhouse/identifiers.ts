const escaped = (text: string): string => text.replaceAll('\0', '').replace(/[\\'`]/g, '\\$&')

/** Returns a quoted identifier for a statement, with any characters. */
export const quoted = (identifier: string): string => `\`${escaped(identifier)}\``

/** Returns a literal of a text. */
export const literal = (text: string): string => `'${escaped(text)}'`
