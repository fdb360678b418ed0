/** Maximum bytes of an identifier in UTF-8 (NAMEDATALEN - 1). PostgreSQL silently truncates longer ones. */
export const identifierBytes = 63

/** Returns a quoted identifier for a statement, with any characters. The caller must not exceed `identifierBytes`. */
export const quoted = (identifier: string): string => `"${identifier.replaceAll('\0', '').replaceAll('"', '""')}"`

/** Whether a text can be the unchanged name of a table or column. */
export const isIdentifier = (name: string): boolean =>
  name !== '' && !name.includes('\0') && Buffer.byteLength(name) <= identifierBytes
