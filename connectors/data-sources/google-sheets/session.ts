import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import {
  ConfigurationError,
  cutText,
  DataQueryError,
  type DataSourceContext,
  type DataSourceSession,
  RetryableError,
  type Scratch,
} from '@tributary/connector-kit'
import { isJsonObject } from '@tributary/connector-kit/exact-json'
import { roomOf, textOfResponse, withResponse } from '../../wire/files/download.ts'
import { openFileSession } from '../../wire/files/file-session.ts'
import { createLazySession } from '../../wire/files/lazy-session.ts'
import { spreadsheetId } from '../../wire/google/spreadsheet.ts'
import { fetchAccessToken } from './access-token.ts'
import { accountOf, type GoogleSheetsSourceSettings } from './settings.ts'
import { createCsvOfRows, createRowReader, UnreadableRows } from './sheet-rows.ts'

/** The origin of Google's API, and the URL of tokens. */
export type Origins = { api: string; tokenUrl: string }

const aboutBytes = 1024 * 1024
const errorBytes = 64 * 1024

/** Returns Google's error message (google.rpc.Status), at most 300 characters. */
const wordsOf = (text: string, status: number): string => {
  try {
    const answer: unknown = JSON.parse(text)
    const error = isJsonObject(answer) ? answer['error'] : undefined
    const message = isJsonObject(error) ? error['message'] : undefined
    if (typeof message === 'string' && message !== '') return cutText(message, 300).toWellFormed()
  } catch {
    // If the text is not JSON, it contains no message.
  }
  return `status ${status}`
}

/** Returns the error for a request that Google refuses; undefined for a success. */
const refusalOf = async (response: IncomingMessage, email: string): Promise<Error | undefined> => {
  const { statusCode: status = 0 } = response
  if (status === 200) return undefined
  const words = wordsOf((await textOfResponse(response, errorBytes)) ?? '', status)
  if (status === 429 || status >= 500) return new RetryableError(`Google responded: ${words}`)
  if (status === 403 || status === 404)
    return new ConfigurationError(`The spreadsheet can't be read: ${words}. Share it with ${email}`)
  return new ConfigurationError(`The spreadsheet can't be read: ${words}`)
}

/** Returns the title of a spreadsheet, and of the sheet to read; throws if there is no such sheet. */
const sheetOf = (text: string, wanted: string): { spreadsheet: string; title: string } => {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    answer = undefined
  }
  const { properties, sheets }: Record<string, unknown> = isJsonObject(answer) ? answer : {}
  const titles = (Array.isArray(sheets) ? sheets : []).flatMap((sheet: unknown) => {
    const about = isJsonObject(sheet) ? sheet['properties'] : undefined
    const title = isJsonObject(about) ? about['title'] : undefined
    return typeof title === 'string' ? [title] : []
  })
  // Titles that differ only in letter case are the same title.
  const title = wanted === '' ? titles[0] : titles.find((each) => each.toLowerCase() === wanted.toLowerCase())
  if (title === undefined)
    throw new ConfigurationError(
      wanted === '' ? 'The spreadsheet has no sheet with rows' : `The spreadsheet has no sheet called ${wanted}`,
    )
  const name = isJsonObject(properties) ? properties['title'] : undefined
  return { spreadsheet: typeof name === 'string' ? name : '', title }
}

/**
 * Opens a session on the current content of a sheet. The first call for rows or columns reads the whole sheet in one
 * request, so that all rows are from the same moment. The content is stored in a file that the session deletes.
 */
export const openSession = (
  context: DataSourceContext<GoogleSheetsSourceSettings>,
  scratch: Scratch,
  { api, tokenUrl }: Origins,
): DataSourceSession => {
  const { settings, signal } = context
  const account = accountOf(settings.key)
  let token: Promise<string> | undefined

  const ask = async <T>(rest: string, maxBytes: number, use: (response: IncomingMessage) => Promise<T>): Promise<T> => {
    const id = spreadsheetId(settings.spreadsheet)
    if (id === undefined) throw new ConfigurationError('The URL of the spreadsheet has no ID')
    const bearer = await (token ??= fetchAccessToken(account, tokenUrl, context))
    const headers = { accept: 'application/json', authorization: `Bearer ${bearer}`, 'user-agent': 'Tributary/1.0' }
    return await withResponse(
      { url: `${api}/v4/spreadsheets/${id}${rest}`, headers },
      maxBytes,
      context,
      async (response) => {
        const refusal = await refusalOf(response, account.email)
        if (refusal !== undefined) throw refusal
        return await use(response)
      },
    )
  }
  const about = () =>
    ask('?fields=properties.title,sheets.properties.title', aboutBytes, async (response) =>
      sheetOf((await textOfResponse(response, aboutBytes)) ?? '', (settings.sheet ?? '').trim()),
    )

  const readSheet = async (): Promise<DataSourceSession> => {
    const { title } = await about()
    const range = encodeURIComponent(`'${title.replaceAll("'", "''")}'`)
    const form = 'majorDimension=ROWS&valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING'
    await ask(`/values/${range}?${form}&prettyPrint=false`, scratch.maxBytes, async (response) => {
      const csv = createCsvOfRows()
      const lines = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
        const reader = createRowReader()
        const decoder = new TextDecoder('utf-8')
        for await (const chunk of chunks) {
          const rows = reader.push(decoder.decode(chunk, { stream: true }))
          if (rows.length > 0) yield Buffer.from(rows.map(csv.line).join(''))
        }
        reader.end()
      }
      const file = createWriteStream(scratch.path, { mode: 0o600 })
      try {
        await pipeline(response, lines, roomOf(scratch).bounded, file, { signal })
      } catch (error) {
        throw error instanceof UnreadableRows ? new RetryableError(error.message, { cause: error }) : error
      }
      if (!csv.hasColumns()) throw new DataQueryError(`The first row of the sheet ${title} has no column names`)
    })
    const files = [{ name: title, path: scratch.path, format: { kind: 'csv', delimiter: ',', header: true } as const }]
    return openFileSession({ title, files, known: undefined, signal })
  }

  return createLazySession({
    fetch: readSheet,
    async about() {
      const { spreadsheet, title } = await about()
      return `Connected to the sheet ${title} of the spreadsheet ${spreadsheet} as ${account.email}.`
    },
    close: () => rm(scratch.path, { force: true }),
  })
}
