// ClickHouse's engine (chDB) behind its HTTP interface, as far as a reading client needs it, in its own process. Unlike
// in the event store, each request has its own session. The settings of a request, including `readonly`, apply only to
// that request, and its statements cannot reset them. Arguments: folder, user, password. Prints its port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type ChdbQueryStream, Session } from 'chdb'

const [folder = '', user = '', password = ''] = process.argv.slice(2)
const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
/** An open session keeps the engine running. */
const administrator = new Session(folder)
/** Settings of the account, like those of a settings profile. */
let profile: Record<string, string> = {}

const textOf = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`
const settingsOf = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${textOf(value)}`)
    .join(', ')
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The IDs of queries that run. The engine itself has none. */
const running = new Set<string>()

const refuse = (response: ServerResponse, message: string): void => {
  const code = /Code: (\d+)/.exec(message)?.[1] ?? '1001'
  response.writeHead(500, { 'x-clickhouse-exception-code': code }).end(`${message} (version 26.7.2.1)\n`)
}

/**
 * Streams the result of a query. The engine appends `end` to each piece, but the response has it only once, at its end.
 * If the query fails during the stream, the error is sent and the connection is closed, as in ClickHouse.
 */
const pour = async (stream: ChdbQueryStream, response: ServerResponse, end: string): Promise<void> => {
  response.once('close', () => stream.cancel())
  try {
    for await (const chunk of stream) {
      if (response.destroyed) return
      const bytes = Buffer.from(chunk.raw())
      const piece =
        end !== '' && bytes.subarray(-end.length).equals(Buffer.from(end)) ? bytes.subarray(0, -end.length) : bytes
      if (!response.write(piece)) {
        await new Promise<void>((resolve) => {
          response.once('drain', resolve).once('close', resolve)
        })
      }
    }
    response.end(end)
  } catch (error) {
    if (!response.headersSent) return refuse(response, messageOf(error))
    response.write(`\r\n__exception__\r\nabcdefghijklmnop\r\n${messageOf(error)}\n`, () => response.destroy())
  }
}

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const sql = Buffer.concat(chunks).toString()
  if (request.url === '/administrator')
    return void response.end((await administrator.queryAsync(sql, { format: 'JSONEachRow' })).bytes())
  if (request.url === '/profile') {
    profile = JSON.parse(sql) as Record<string, string>
    return void response.end()
  }
  if (request.headers.authorization !== authorization)
    return refuse(response, `Code: 516. DB::Exception: ${user}: Authentication failed (AUTHENTICATION_FAILED)`)
  const {
    database,
    default_format: format = 'TabSeparated',
    query_id: id = '',
    ...settings
  } = Object.fromEntries(new URL(request.url ?? '', 'http://localhost').searchParams)
  // clickhouse.com/docs/operations/settings/settings#replace_running_query
  if (running.has(id))
    return refuse(
      response,
      `Code: 216. DB::Exception: Query with id = ${id} is already running. (QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING)`,
    )
  if (id !== '') running.add(id)
  const session = new Session(folder)
  try {
    await session.queryAsync(`USE \`${database ?? 'default'}\``)
    if (Object.keys(profile).length > 0) await session.queryAsync(`SET ${settingsOf(profile)}`)
    if (Object.keys(settings).length > 0) await session.queryAsync(`SET ${settingsOf(settings)}`)
    // Only query results are streamed.
    if (/^SELECT\b/.test(sql))
      await pour(session.queryStream(sql, { format }), response, settings['format_custom_result_after_delimiter'] ?? '')
    else response.end((await session.queryAsync(sql, { format })).bytes())
  } finally {
    session.close()
    running.delete(id)
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    if (response.headersSent) response.destroy()
    else refuse(response, messageOf(error))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : ''}\n`)
})
