import type { DataRow } from '@tributary/connector-kit'
import { isJsonObject } from '@tributary/connector-kit/exact-json'

/** Maximum characters of a row, and of all that is not rows: columns, partitions, and messages. */
const rowCharacters = 16 * 1024 * 1024
const restCharacters = 4 * 1024 * 1024

/** Thrown for a response that is not a result of the service. */
export class UnreadableResult extends Error {
  override readonly name = 'UnreadableResult'
}

/** Thrown for a row that is longer than a reader keeps in memory. */
export class RowTooLong extends Error {
  override readonly name = 'RowTooLong'
  constructor() {
    super(`The rows are too large: one has more than ${rowCharacters / 1024 / 1024} MB`)
  }
}

const isText = (value: unknown): value is string | null => value === null || typeof value === 'string'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableResult('A part of the result is not JSON')
  }
}

const rowOf = (text: string): DataRow => {
  const row = parsed(text)
  if (Array.isArray(row) && row.every(isText)) return row
  throw new UnreadableResult('A row has a value that is not a text')
}

const code = (sign: string): number => sign.charCodeAt(0)
const [quote, escape, colon, comma] = [code('"'), code('\\'), code(':'), code(',')]
const [openList, closeList, openObject, closeObject] = [code('['), code(']'), code('{'), code('}')]
const isBlank = (sign: number): boolean => sign === 32 || sign === 10 || sign === 13 || sign === 9

/** Collects the pieces of a text, up to a number of characters. */
const createPieces = (most: number, tooLong: () => Error) => {
  let pieces: string[] = []
  let characters = 0
  return {
    add(piece: string): void {
      characters += piece.length
      if (characters > most) throw tooLong()
      if (piece !== '') pieces.push(piece)
    },
    /** Returns the text, and begins the next one. */
    take(): string {
      const text = pieces.join('')
      pieces = []
      characters = 0
      return text
    },
  }
}

/**
 * Creates a reader of a response in the format `jsonv2`: an object whose member `data` is a list of rows
 * (docs.snowflake.com/en/developer-guide/sql-api/reference), or such a list alone. It keeps at most one row, and the
 * other members. Throws UnreadableResult and RowTooLong.
 */
export const createResultReader = () => {
  const row = createPieces(rowCharacters, () => new RowTooLong())
  const rest = createPieces(restCharacters, () => new UnreadableResult('The description of the result is too long'))
  /** The last text between two quotes in the outer object, which can be the name of a member. */
  let name = ''
  let isInText = false
  let isEscaped = false
  let depth = 0
  /** The number of open lists and objects around a row; 0 outside of `data`. */
  let rowDepth = 0
  let isData = false

  /** Whether a list that opens here has the rows. */
  const beginsRows = (sign: number): boolean =>
    rowDepth === 0 && sign === openList && (depth === 0 || (depth === 1 && isData))

  /** Reads a sign outside of texts that is not a bracket. */
  const separate = (sign: number): void => {
    if (rowDepth > 0 && depth === rowDepth && sign !== comma && !isBlank(sign))
      throw new UnreadableResult('The result is not a list of rows')
    if (depth === 1 && sign === colon) isData = name === 'data'
    else if (depth === 1 && sign === comma) isData = false
  }

  return {
    /** Returns the rows that are complete after this piece. */
    push(piece: string): DataRow[] {
      const rows: DataRow[] = []
      // Where the part of the piece begins that belongs to the current row, or to the rest.
      let start = 0
      for (let at = 0; at < piece.length; at++) {
        const sign = piece.charCodeAt(at)
        if (isInText) {
          if (isEscaped) isEscaped = false
          else if (sign === escape) isEscaped = true
          else if (sign === quote) isInText = false
          if (isInText && depth === 1 && rowDepth === 0) name = name.length > 4 ? name : name + piece.charAt(at)
        } else if (sign === quote) {
          if (rowDepth > 0 && depth === rowDepth) separate(sign)
          isInText = true
          if (depth === 1) name = ''
        } else if (sign === openList || sign === openObject) {
          if (beginsRows(sign)) {
            rowDepth = depth + 1
            rest.add(piece.slice(start, at + 1))
          } else if (rowDepth > 0 && depth === rowDepth) {
            if (sign !== openList) throw new UnreadableResult('The result is not a list of rows')
            start = at
          }
          depth++
        } else if (sign === closeList || sign === closeObject) {
          depth--
          if (rowDepth > 0 && depth === rowDepth) {
            row.add(piece.slice(start, at + 1))
            rows.push(rowOf(row.take()))
          } else if (rowDepth > 0 && depth < rowDepth) {
            rowDepth = 0
            start = at
          }
        } else separate(sign)
      }
      if (rowDepth === 0) rest.add(piece.slice(start))
      else if (depth > rowDepth) row.add(piece.slice(start))
      return rows
    },
    /** Returns the members other than `data`. Throws UnreadableResult if the text is incomplete. */
    end(): Record<string, unknown> {
      const value = parsed(rest.take())
      if (Array.isArray(value)) return {}
      if (isJsonObject(value) && Array.isArray(value.data)) return value
      throw new UnreadableResult('The response is not a result')
    },
  }
}
