import { isUtf8 } from 'node:buffer'
import { DataQueryError, type DataRow } from '@tributary/connector-kit'
import { exceptionIn, UnfinishedAnswer } from './failures.ts'
import { type Answered, answerBytes } from './send-query.ts'

/** Maximum characters and rows of a batch before it is returned. */
const batchCharacters = 1024 * 1024
const maxRows = 10_000
/** Characters of non-row output that are kept, to find an exception message in it. */
const strayCharacters = 64 * 1024

const lineFeed = 10

/**
 * The format of rows: values separated by tabs, escaped, `\N` for null, one row a line, and `end` after the last. A
 * failure during a response leaves it without that end, whatever the server and its proxies do with it.
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
 * The fields of a line that is not UTF-8. Fields in UTF-8 stay unchanged; others become `\x` with hexadecimal digits.
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

/** Values of the rows of one or more whole lines, each with its line feed, in UTF-8 unless one of them is not. */
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

/** Splits a response into complete lines; keeps the incomplete rest. */
const createLines = () => {
  let pieces: Buffer[] = []
  let bytes = 0
  return {
    /** The complete lines of the chunk and the text before it; undefined if there is none yet. */
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
 * The number of values of a row, the text after the last, and whether the number of rows is unlimited: otherwise all of
 * them have at most 8 MiB.
 */
export type RowShape = { width: number; end: string; isLong: boolean }

/**
 * The rows of a response in `rowFormat`, in batches of about a mebibyte. It reads from the connection only when the
 * caller asks for the next batch; until then, the server waits. Throws ServerException for an exception in place of the
 * end, and UnfinishedAnswer when the end is missing.
 */
export async function* readRows(
  { response, stream }: Answered,
  { width, end, isLong }: RowShape,
): AsyncGenerator<readonly DataRow[], void, void> {
  const lines = createLines()
  let rows: DataRow[] = []
  let characters = 0
  // The text after the last complete row: it can contain an exception.
  let stray = ''
  let last: DataRow = []
  try {
    for await (const chunk of response) {
      if (isLong) stream.renew()
      const whole = lines.take(chunk)
      for (const row of whole === undefined ? [] : rowsOf(whole)) {
        last = row
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
