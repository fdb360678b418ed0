import { isJsonObject } from '@tributary/connector-kit/exact-json'

/** Maximum characters of a row. */
const rowCharacters = 8 * 1024 * 1024

/** Thrown if the API's response is not a list of rows, or has a row that is too long. */
export class UnreadableRows extends Error {
  override readonly name = 'UnreadableRows'
}

/** Characters that structure JSON: quotes and escapes of texts, and the brackets of lists. */
const [quote, escape, open, close] = ['"', '\\', '[', ']'].map((sign) => sign.charCodeAt(0))

/**
 * Reads the rows of a `ValueRange`
 * (developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values#ValueRange) from pieces of its
 * text. Rows are the lists inside the list `values`. The reader stores at most one row, and throws UnreadableRows.
 */
export const createRowReader = () => {
  let text = ''
  let at = 0
  let isInText = false
  /** The number of lists that are open at this position. Rows are in the first list. It is 0 before `values`. */
  let depth = 0
  let rowStart = 0

  const rowAt = (from: number, to: number): unknown[] => {
    try {
      const row: unknown = JSON.parse(text.slice(from, to))
      if (Array.isArray(row)) return row
    } catch {
      // The error is ignored here and thrown below.
    }
    throw new UnreadableRows('Google’s response is not a list of rows')
  }

  return {
    /** Returns the rows that are complete after this piece. */
    push(piece: string): unknown[][] {
      text += piece
      const rows: unknown[][] = []
      for (; at < text.length; at++) {
        const sign = text.charCodeAt(at)
        if (isInText) {
          if (sign === escape) at++
          else if (sign === quote) isInText = false
        } else if (sign === quote) isInText = true
        else if (sign === open) {
          depth++
          if (depth === 2) rowStart = at
        } else if (sign === close) {
          depth--
          if (depth === 1) rows.push(rowAt(rowStart, at + 1))
        }
      }
      const done = depth === 2 ? rowStart : Math.min(at, text.length)
      // The part before the rows is parsed when it is complete.
      if (depth > 0) {
        text = text.slice(done)
        at -= done
        rowStart = 0
      }
      if (text.length > rowCharacters)
        throw new UnreadableRows(`A row of the sheet is longer than ${rowCharacters / 1024 / 1024} MB`)
      return rows
    },
    /** Ends the text. Throws UnreadableRows if the text is incomplete. */
    end(): void {
      const isWhole = depth === 0 && !isInText && text.trimEnd().endsWith('}')
      if (!isWhole) throw new UnreadableRows('Google’s response ends too soon')
      // Without rows there is no such list. Then the whole text is in memory and can be parsed.
      if (!text.trimStart().startsWith('{')) return
      let answer: unknown
      try {
        answer = JSON.parse(text)
      } catch {
        answer = undefined
      }
      if (!isJsonObject(answer)) throw new UnreadableRows('Google’s response is not a list of rows')
    },
  }
}

const cellText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** Returns a cell as CSV; an empty cell is null. */
const csvCell = (text: string): string => (text === '' ? '' : `"${text.replaceAll('"', '""')}"`)

/**
 * Creates a converter of a sheet's rows to lines of CSV. The first line has the names of the columns. Columns without a
 * name are omitted, and rows that are empty in all other columns.
 */
export const createCsvOfRows = () => {
  let columns: number[] | undefined
  return {
    line(row: readonly unknown[]): string {
      const texts = row.map(cellText)
      if (columns === undefined) {
        const names = texts.map((name) => name.trim())
        columns = names.flatMap((name, index) => (name === '' ? [] : [index]))
        return columns.length === 0 ? '' : `${columns.map((index) => csvCell(names[index] ?? '')).join(',')}\n`
      }
      const cells = columns.map((index) => texts[index] ?? '')
      return cells.every((cell) => cell === '') ? '' : `${cells.map(csvCell).join(',')}\n`
    },
    hasColumns: () => columns !== undefined && columns.length > 0,
  }
}
