import { DataQueryError, type DataRow } from '@tributary/connector-kit'
import { notDatabricks } from './failures.ts'

/** Maximum number of characters and of rows in a batch. */
const batchCharacters = 1024 * 1024
const maxRows = 10_000
/** Maximum characters of one row, and of an answer without its rows. */
const rowCharacters = 8 * 1024 * 1024
const frameCharacters = 4 * 1024 * 1024

const [quote, backslash, open, close] = ['"', '\\', '[', ']'].map((character) => character.charCodeAt(0))
const [openObject, closeObject] = [0x7b, 0x7d]

const isRow = (row: unknown): row is DataRow =>
  Array.isArray(row) && row.every((value) => value === null || typeof value === 'string')

const rowsIn = (text: string): DataRow[] => {
  let rows: unknown
  try {
    rows = JSON.parse(`[${text}]`)
  } catch (error) {
    throw notDatabricks(error)
  }
  if (!Array.isArray(rows) || !rows.every(isRow)) throw notDatabricks()
  return rows
}

const opensRows = /"data_array"\s*:\s*$/

/**
 * Creates a reader of an answer that comes in pieces. The rows of its `data_array` are returned in batches as they
 * arrive, so that memory does not grow with their number. `end` returns the answer without its rows. Throws
 * ConfigurationError for what is not such an answer, and DataQueryError for a row of more than 8 MB.
 */
export const createAnswerReader = () => {
  let frame = ''
  let rows = ''
  let count = 0
  /** Depth inside the array of rows: 0 outside, 1 between rows, 2 in a row, more in what no row has. */
  let depth = 0
  let isText = false
  let isEscaped = false

  const flush = (): DataRow[] => {
    const batch = rowsIn(rows.replace(/^\s*,/, ''))
    rows = ''
    count = 0
    return batch
  }

  return {
    /** Takes the next piece, and yields the batches that it completes. */
    *push(piece: string): Generator<readonly DataRow[], void, void> {
      let from = 0
      for (let at = 0; at < piece.length; at++) {
        const code = piece.charCodeAt(at)
        if (isText) {
          if (isEscaped) isEscaped = false
          else if (code === backslash) isEscaped = true
          else if (code === quote) isText = false
          continue
        }
        if (code === quote) isText = true
        else if (depth === 0) {
          if (code !== open) continue
          frame += piece.slice(from, at + 1)
          from = at + 1
          if (opensRows.test(frame.slice(-40, -1))) depth = 1
        } else if (code === open || code === openObject) depth += 1
        else if (code === close || code === closeObject) {
          depth -= 1
          if (depth > 1) continue
          if (depth === 1) {
            count += 1
            if (count < maxRows && rows.length + at - from < batchCharacters) continue
          }
          rows += piece.slice(from, depth === 1 ? at + 1 : at)
          from = depth === 1 ? at + 1 : at
          const batch = flush()
          if (batch.length > 0) yield batch
        }
      }
      if (depth === 0) frame += piece.slice(from)
      else rows += piece.slice(from)
      if (frame.length > frameCharacters) throw notDatabricks()
      if (rows.length > rowCharacters + batchCharacters)
        throw new DataQueryError(`The rows are too large: one has more than ${rowCharacters / 1024 / 1024} MB`)
    },
    /** Returns the answer without its rows. */
    end(): unknown {
      if (depth > 0 || isText) throw notDatabricks()
      try {
        return JSON.parse(frame)
      } catch (error) {
        throw notDatabricks(error)
      }
    },
  }
}
