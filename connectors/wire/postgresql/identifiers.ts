/** PostgreSQL cuts longer identifiers without a word (NAMEDATALEN - 1), bytes of UTF-8. */
export const identifierBytes = 63

/** A quoted identifier for a statement, with any characters. The caller keeps it within `identifierBytes`. */
export const quoted = (identifier: string): string => `"${identifier.replaceAll('\0', '').replaceAll('"', '""')}"`

/** True for a text that can be the unchanged name of a table or column. */
export const isIdentifier = (name: string): boolean =>
  name !== '' && !name.includes('\0') && Buffer.byteLength(name) <= identifierBytes
