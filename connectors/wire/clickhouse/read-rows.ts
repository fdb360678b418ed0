import { isUtf8 } from 'node:buffer'
import { DataQueryError, type DataRow } from '@tributary/connector-kit'
import { exceptionIn, UnfinishedAnswer } from './failures.ts'
import { type Answered, answerBytes } from './send-query.ts'

/** Maximum number of characters and of rows in a batch. */
const batchCharacters = 1024 * 1024
const maxRows = 10_000
/** Maximum characters of output after the last complete row that are kept, to find an exception message in them. */
const strayCharacters = 64 * 1024

const lineFeed = 10

/**
 * Returns the settings for the format of rows: escaped values separated by tabs, `\N` for null, one row per line, and
 * `end` after the last row. If the response fails before its end, `end` is missing, whatever the server and its proxies
 * do.
 */
export const rowFormat = (end: string): Record<string, string> => ({
  default_format: 'CustomSeparated',
  format_custom_escaping_rule: 'Escaped',
  format_custom_field_delimiter: '\t',
  format_custom_row_before_delimiter: '',
  format_custom_row_after_delimiter: '\n',
  format_custom_row_between_delimiter: '',
  format_custom_result_before_delimiter: '',
  format_custom_result_after_delimiter: end,
})

const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  r: '\r',
  n: '\n',
  t: '\t',
  0: '\0',
  a: '\x07',
  v: '\v',
}

const unescaped = (text: string): string =>
  text.includes('\\') ? text.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter) : text

const valueOf = (text: string): string | null => (text === '\\N' ? null : unescaped(text))

/**
 * Returns the fields of a line that is not UTF-8. Fields in UTF-8 stay unchanged; other fields become `\x` with
 * hexadecimal digits.
 */
const fieldsOfBytes = (line: Buffer): (string | null)[] =>
  line
    .toString('latin1')
    .split('\t')
    .map((field) => {
      const bytes = Buffer.from(field, 'latin1')
      if (isUtf8(bytes)) return valueOf(bytes.toString())
      return `\\x${Buffer.from(valueOf(field) ?? '', 'latin1').toString('hex')}`
    })

/**
 * Returns the values of the rows in one or more complete lines. The lines are decoded as UTF-8, or one by one if they
 * are not all UTF-8.
 */
const rowsOf = (lines: Buffer): (string | null)[][] => {
  if (isUtf8(lines))
    return lines
      .toString()
      .slice(0, -1)
      .split('\n')
      .map((line) => line.split('\t').map(valueOf))
  const rows: (string | null)[][] = []
  for (let from = 0; from < lines.length; ) {
    const to = lines.indexOf(lineFeed, from)
    rows.push(fieldsOfBytes(lines.subarray(from, to)))
    from = to + 1
  }
  return rows
}

const charactersOf = (row: DataRow): number => row.reduce((sum, value) => sum + (value?.length ?? 0) + 8, 0)

const tooLarge = (): Error =>
  new DataQueryError(`The rows are too large: one has more than ${answerBytes / 1024 / 1024} MB`)

/** Creates a splitter of a response into complete lines; it keeps the incomplete end. */
const createLines = () => {
  let pieces: Buffer[] = []
  let bytes = 0
  return {
    /** Returns the complete lines of the chunk and of the text before it; undefined if there is none yet. */
    take(chunk: Buffer): Buffer | undefined {
      const at = chunk.lastIndexOf(lineFeed)
      if (at !== -1) {
        const lines = Buffer.concat([...pieces, chunk.subarray(0, at + 1)])
        pieces = [chunk.subarray(at + 1)]
        bytes = chunk.length - at - 1
        return lines
      }
      pieces.push(chunk)
      bytes += chunk.length
      if (bytes > answerBytes) throw tooLarge()
      return undefined
    },
    rest: (): string => Buffer.concat(pieces).toString(),
  }
}

/**
 * The form of rows: the number of values of a row (undefined: that of the first row), and the text after the last row.
 * If `isLong` is false, all rows together have at most 8 MiB.
 */
export type RowShape = { width: number | undefined; end: string; isLong: boolean }

/**
 * Yields the rows of a response in `rowFormat`, in batches of about a mebibyte. The connection is only read when the
 * caller requests the next batch; until then, the server waits. Throws ServerException for an exception instead of the
 * end, and UnfinishedAnswer if the end is missing.
 */
export async function* readRows(
  { response, stream }: Answered,
  { width: given, end, isLong }: RowShape,
): AsyncGenerator<readonly DataRow[], void, void> {
  const lines = createLines()
  let rows: DataRow[] = []
  let characters = 0
  // The text after the last complete row, which can contain an exception.
  let stray = ''
  let last: DataRow = []
  let width = given
  try {
    for await (const chunk of response) {
      if (isLong) stream.renew()
      const whole = lines.take(chunk)
      for (const row of whole === undefined ? [] : rowsOf(whole)) {
        last = row
        width ??= row.length
        if (row.length !== width || stray !== '') {
          stray = `${stray}${row.join('\t')}\n`.slice(0, strayCharacters)
          continue
        }
        rows.push(row)
        characters += charactersOf(row)
        if (characters < batchCharacters && rows.length < maxRows) continue
        yield rows
        rows = []
        characters = 0
      }
    }
  } catch (error) {
    throw exceptionIn(`${stray}${lines.rest()}`) ?? exceptionIn(last.join('\t')) ?? stream.errored ?? error
  }
  if (lines.rest() !== end || stray !== '')
    throw (
      exceptionIn(`${stray}${lines.rest()}`) ??
      exceptionIn(last.join('\t')) ??
      new UnfinishedAnswer('The server ended its response before the last row')
    )
  if (rows.length > 0) yield rows
}
