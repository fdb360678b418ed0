import { BrokenFile } from './broken-file.ts'

/** A row of the file; null is a missing value, which differs from a quoted empty text. */
export type FileRow = (string | null)[]

/** Maximum characters of one row. Without a limit, a quote that is never closed would include the rest of the file. */
const rowCharacters = 8 * 1024 * 1024

const delimiters = [',', ';', '\t', '|'] as const

/** Maximum rows that are used to find the delimiter. */
const sniffedRows = 200

/**
 * The read part of a row: the count of each delimiter outside of quotes, and whether each comma belongs to a number.
 */
type Sniffed = { counts: Map<string, number>; hasDecimals: boolean }

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'

/**
 * Returns the complete rows at the start of a text, including the last row if nothing follows. Empty lines are ignored.
 */
const sniffRows = (text: string, last: boolean): Sniffed[] => {
  const rows: Sniffed[] = []
  const fresh = (): Sniffed => ({ counts: new Map(delimiters.map((each) => [each, 0])), hasDecimals: true })
  let row = fresh()
  let [quoted, begin] = [false, 0]
  const end = (at: number): void => {
    if (at > begin) rows.push(row)
    row = fresh()
  }
  for (let at = 0; at < text.length && rows.length < sniffedRows; at++) {
    const char = text[at] ?? ''
    if (char === '"') quoted = !quoted
    else if (!quoted && (char === '\n' || char === '\r')) {
      end(at)
      begin = at + 1
    } else if (!quoted && row.counts.has(char)) {
      row.counts.set(char, (row.counts.get(char) ?? 0) + 1)
      if (char === ',' && !(isDigit(text[at - 1]) && isDigit(text[at + 1]))) row.hasDecimals = false
    }
  }
  if ((last || rows.length === 0) && rows.length < sniffedRows) end(text.length)
  return rows
}

/**
 * Returns the delimiter in the first rows of a text: a character with the same count in each row, and the most frequent
 * of several. A comma that only occurs within numbers does not count. If all counts differ, the delimiter is the
 * character whose count in the first row is shared by most rows. The default is a comma.
 */
export const sniffDelimiter = (text: string, last = true): string => {
  const rows = sniffRows(text, last)
  const [head, ...others] = rows
  if (head === undefined) return ','
  const countIn = (row: Sniffed, delimiter: string): number => row.counts.get(delimiter) ?? 0
  const agreeing = (delimiter: string): number =>
    countIn(head, delimiter) === 0
      ? 0
      : rows.filter((row) => countIn(row, delimiter) === countIn(head, delimiter)).length
  const highest = Math.max(...delimiters.map(agreeing))
  if (highest === 0) return ','
  const best = delimiters.filter((delimiter) => agreeing(delimiter) === highest)
  const isDecimal = others.length > 0 && best.length > 1 && others.every(({ hasDecimals }) => hasDecimals)
  return best
    .filter((delimiter) => !(isDecimal && delimiter === ','))
    .reduce((found, each) => (countIn(head, each) > countIn(head, found) ? each : found))
}

const separatorLine = /^"?sep=([^"\r\n])"?(?:\r\n|\r|\n|$)/i

/**
 * Returns the delimiter in a first line such as `sep=;`, which spreadsheets write, and the length of that line;
 * undefined without such a line.
 */
export const separatorOf = (text: string): { delimiter: string; length: number } | undefined => {
  const [line, delimiter] = separatorLine.exec(text.slice(0, 20)) ?? []
  return line === undefined || delimiter === undefined ? undefined : { delimiter, length: line.length }
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
 * Returns the end of a quoted value that begins at `from`, and the value; undefined while the value is incomplete.
 */
const quotedAt = (
  text: string,
  from: number,
  { last, line }: { last: boolean; line: number },
): { value: string; end: number } | undefined => {
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

/**
 * Returns the end of an unquoted value that starts at `from`: before a delimiter, a line end, or the end of the text.
 */
const bareEnd = (text: string, from: number, separator: number, line: number): number => {
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

/**
 * Creates a reader of CSV by RFC 4180, in pieces as they arrive. The function `push` returns the rows that a piece
 * completes, with the line in which each starts. All three kinds of line ends are accepted; an empty line is not a row.
 * Throws BrokenFile for a quote that is not closed, or that is inside of a value. The number of the first line is
 * `firstLine`.
 */
export const createCsvReader = (delimiter: string, firstLine = 1) => {
  const separator = delimiter.charCodeAt(0)
  let text = ''
  let line = firstLine

  /** Returns the row that starts at `start`, and the start of the next row; undefined while the row is incomplete. */
  const rowAt = (start: number, last: boolean): { row: FileRow; next: number; lines: number } | undefined => {
    const row: FileRow = []
    let lines = 1
    let at = start
    for (;;) {
      let end: number
      if (text.charCodeAt(at) === quote) {
        const found = quotedAt(text, at, { last, line })
        if (found === undefined) return undefined
        row.push(found.value)
        lines += lineFeedsIn(found.value)
        end = found.end
      } else {
        end = bareEnd(text, at, separator, line)
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
      // A carriage return is the last character so far, so a line feed may follow.
      else if (end + 1 === text.length && !last) return undefined
      else return { row, next: text.charCodeAt(end + 1) === lineFeed ? end + 2 : end + 1, lines }
    }
  }

  return {
    /** Returns the rows that a piece completes. `last` means that no more pieces follow. */
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
