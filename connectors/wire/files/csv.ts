import { BrokenFile } from './broken-file.ts'

/** A row as it stands in the file; null is a value that is not there, which is not the same as a quoted empty one. */
export type FileRow = (string | null)[]

/** Characters of one row at most: a quote that is never closed would take the rest of the file. */
const rowCharacters = 8 * 1024 * 1024

const delimiters = [',', ';', '\t', '|'] as const

/** The delimiter that stands most often in a first line, outside of quotes; a comma where there is none. */
export const sniffDelimiter = (text: string): string => {
  const counts = new Map<string, number>(delimiters.map((each) => [each, 0]))
  let quoted = false
  for (const char of text) {
    if (char === '"') quoted = !quoted
    else if (!quoted && (char === '\n' || char === '\r')) break
    else if (!quoted && counts.has(char)) counts.set(char, (counts.get(char) ?? 0) + 1)
  }
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0]
}

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

const lineFeedsIn = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

/**
 * Reads CSV as RFC 4180 has it, in pieces as they come: `push` gives the rows that a piece completes, with the line that each
 * begins in. Any of the three line ends is one; a line with nothing in it is no row. Throws BrokenFile for what is no CSV: a
 * quote that is not closed, or one inside of a value.
 */
export const createCsvReader = (delimiter: string) => {
  const separator = delimiter.charCodeAt(0)
  let text = ''
  let line = 1

  /** The end of a quoted value that begins at `from`, and the value; undefined while it is not whole. */
  const quotedAt = (from: number, last: boolean): { value: string; end: number } | undefined => {
    let value = ''
    for (let at = from + 1; ; ) {
      const end = text.indexOf('"', at)
      if (end === -1) {
        if (last) throw new BrokenFile(`Line ${line}: a quote is not closed`)
        return undefined
      }
      if (end + 1 === text.length && !last) return undefined
      value += text.slice(at, end)
      if (text.charCodeAt(end + 1) !== quote) return { value, end: end + 1 }
      value += '"'
      at = end + 2
    }
  }

  /** Where a value without quotes that begins at `from` ends: before a delimiter, a line end, or the end of what there is. */
  const bareEnd = (from: number): number => {
    let at = from
    for (; at < text.length; at++) {
      const char = text.charCodeAt(at)
      if (char === separator || char === lineFeed || char === carriageReturn) return at
      if (char === quote)
        throw new BrokenFile(
          `Line ${line}: a quote inside a value. Put the value in quotes, and write each quote in it twice`,
        )
    }
    return at
  }

  /** The row that begins at `start`, and where the next one does; undefined while it is not whole. */
  const rowAt = (start: number, last: boolean): { row: FileRow; next: number; lines: number } | undefined => {
    const row: FileRow = []
    let lines = 1
    let at = start
    for (;;) {
      let end: number
      if (text.charCodeAt(at) === quote) {
        const found = quotedAt(at, last)
        if (found === undefined) return undefined
        row.push(found.value)
        lines += lineFeedsIn(found.value)
        end = found.end
      } else {
        end = bareEnd(at)
        row.push(end === at ? null : text.slice(at, end))
      }
      if (end >= text.length) return last ? { row, next: text.length, lines } : undefined
      const char = text.charCodeAt(end)
      if (char === separator) at = end + 1
      else if (char === lineFeed) return { row, next: end + 1, lines }
      else if (char !== carriageReturn)
        throw new BrokenFile(
          `Line ${line + lines - 1}: there is text between the end of a quoted value and the delimiter`,
        )
      // Whether a line feed follows is not known yet.
      else if (end + 1 === text.length && !last) return undefined
      else return { row, next: text.charCodeAt(end + 1) === lineFeed ? end + 2 : end + 1, lines }
    }
  }

  return {
    /** `last` says that nothing follows. */
    push(piece: string, last: boolean): { row: FileRow; line: number }[] {
      text += piece
      const rows: { row: FileRow; line: number }[] = []
      let start = 0
      while (start < text.length) {
        const found = rowAt(start, last)
        if (found === undefined) break
        const [only] = found.row
        if (found.row.length > 1 || only !== null) rows.push({ row: found.row, line })
        line += found.lines
        start = found.next
      }
      text = text.slice(start)
      if (text.length > rowCharacters)
        throw new BrokenFile(
          `Line ${line}: the row is longer than ${rowCharacters / 1024 / 1024} MB. A quote may not be closed`,
        )
      return rows
    },
  }
}
