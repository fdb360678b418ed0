/** PostgreSQL cuts longer identifiers without a word (NAMEDATALEN - 1), bytes of UTF-8. */
export const identifierBytes = 63

/** An identifier as it stands in a statement, whatever is in it. The caller keeps it within `identifierBytes`. */
export const quoted = (identifier: string): string => `"${identifier.replaceAll('\0', '').replaceAll('"', '""')}"`

/** True for a text that may be the name of a table or column as it is. */
export const isIdentifier = (name: string): boolean =>
  name !== '' && !name.includes('\0') && Buffer.byteLength(name) <= identifierBytes
