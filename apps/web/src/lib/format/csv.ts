/** A field of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula is kept a text. */
const fieldOf = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows of texts as a CSV file with a header, of which a spreadsheet runs nothing. */
export const csvOf = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, ...rows].map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('')

/** A title as a part of the name of a file that every file system takes. */
export const inFileName = (title: string): string => title.replaceAll(/[^\p{L}\p{N} _-]/gu, '')
