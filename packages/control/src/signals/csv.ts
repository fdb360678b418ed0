/** Matches the start of a field that a spreadsheet would read as a formula. Such a field gets a leading apostrophe. */
const formula = /^[=+\-@\t\r]/

const cell = (value: string | number): string => {
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Writes rows as CSV text (RFC 4180). */
export const csvText = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')

/** A row of CSV with the line on which it begins. */
export type CsvRow = { line: number; cells: string[] }

/**
 * Reads at most `most` + 1 rows of CSV text, without empty lines. Returns undefined for a text with an unclosed quote.
 */
export const parseCsv = (text: string, most: number): CsvRow[] | undefined => {
  const rows: CsvRow[] = []
  let cells: string[] = []
  let line = 1
  let begins = 1
  let at = text.startsWith('\uFEFF') ? 1 : 0
  const end = (): void => {
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: begins, cells })
    cells = []
    begins = line
  }
  while (at <= text.length && rows.length <= most) {
    if (text[at] === '"') {
      let value = ''
      for (at++; ; ) {
        const quote = text.indexOf('"', at)
        if (quote < 0) return undefined
        value += text.slice(at, quote)
        at = quote + 1
        if (text[at] !== '"') break
        value += '"'
        at++
      }
      line += value.split('\n').length - 1
      cells.push(value)
    } else {
      const rest = /[,\r\n]/g
      rest.lastIndex = at
      const to = rest.exec(text)?.index ?? text.length
      cells.push(text.slice(at, to).trim())
      at = to
    }
    if (text[at] === ',') {
      at++
      continue
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    line++
    end()
    if (at >= text.length) break
    begins = line
  }
  return rows
}
