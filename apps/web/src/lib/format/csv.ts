/** Returns a field of a CSV file (RFC 4180). Prevents spreadsheets from executing a text that looks like a formula. */
const fieldOf = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns rows of texts as a CSV file with a header. Spreadsheets execute none of the texts. */
export const csvOf = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, ...rows].map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('')

/** Returns a title as a part of a file name that every file system accepts. */
export const inFileName = (title: string): string => title.replaceAll(/[^\p{L}\p{N} _-]/gu, '')
