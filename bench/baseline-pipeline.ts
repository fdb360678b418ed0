// The baseline for the figure of stored events: a pipeline that was written by hand for the comparison and is never
// changed. A body is in a synced file before the response is sent. A thread reads the file, parses the bodies and
// inserts rows of the columns that the product writes, in binary form. It inserts 20,000 rows at a time, two inserts at
// a time, each with a token, into an event store with the product's syncs. The pipeline has no tenants, checks nothing,
// does not store its position, and delivers nothing. Arguments: a folder, the event store's address with credentials
// and database. `GET /stored` returns rows and the time (epoch ms) of the last insert.
import { closeSync, fdatasync, openSync, readSync, write } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { createBaselineRows } from './baseline-rows.ts'

const rowsPerInsert = 20_000
const maxAgeMs = 1000
const inserts = 2

type Stored = { rows: number; at: number }
type Place = { path: string; url: string }

/**
 * Opens one file for appending. All bodies that arrive during a sync share the next sync. Reports the number of synced
 * bytes.
 */
const openFile = (path: string, onSynced: (bytes: number) => void): ((body: Buffer) => Promise<void>) => {
  const file = openSync(path, 'a')
  let queue: { body: Buffer; done(): void; failed(error: Error): void }[] = []
  let busy = false
  let length = 0
  const flush = (): void => {
    const group = queue
    queue = []
    const fail = (error: Error): void => {
      for (const entry of group) entry.failed(error)
    }
    const bytes = Buffer.concat(
      group.flatMap(({ body }) => {
        const head = Buffer.allocUnsafe(4)
        head.writeUInt32LE(body.length)
        return [head, body]
      }),
    )
    write(file, bytes, 0, bytes.length, null, (error) => {
      if (error !== null) return fail(error)
      fdatasync(file, (syncError) => {
        if (syncError !== null) return fail(syncError)
        length += bytes.length
        onSynced(length)
        for (const entry of group) entry.done()
        busy = false
        if (queue.length > 0) next()
      })
    })
  }
  const next = (): void => {
    busy = true
    setImmediate(flush)
  }
  return (body) =>
    new Promise<void>((done, failed) => {
      queue.push({ body, done, failed })
      if (!busy) next()
    })
}

const serve = ({ path, url }: Place): void => {
  let stored: Stored = { rows: 0, at: 0 }
  const reader = new Worker(new URL(import.meta.url), { workerData: { path, url } satisfies Place })
  reader.on('message', (message: Stored) => {
    stored = message
  })
  reader.on('error', (error) => {
    process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  })
  const append = openFile(path, (bytes) => reader.postMessage(bytes))
  const server = createServer((incoming, response) => {
    if (incoming.url === '/stored') return void response.end(JSON.stringify(stored))
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      append(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)).then(
        () =>
          response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 16 }).end('{"success":true}'),
        () => response.writeHead(503, { 'Content-Length': 0 }).end(),
      )
    })
  })
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
  })
  process.on('SIGTERM', () => process.exit(0))
}

/** Inserts rows. Resolves when the event store has synced them to disk. */
const insert = (address: URL, columns: readonly string[], body: Buffer, token: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const settings = {
      database: address.pathname.slice(1),
      query: `INSERT INTO events (${columns.join(', ')}) FORMAT RowBinary`,
      insert_deduplication_token: token,
      input_format_binary_read_json_as_string: '1',
      input_format_try_infer_dates: '0',
      input_format_try_infer_datetimes: '0',
      min_insert_block_size_bytes: '0',
      async_insert: '0',
      wait_end_of_query: '1',
    }
    const sent = request(
      {
        host: address.hostname,
        port: address.port,
        auth: `${address.username}:${address.password}`,
        method: 'POST',
        path: `/?${new URLSearchParams(settings)}`,
        headers: { 'Content-Length': body.length },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(text))))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })

/** Reads the synced bodies one by one, and inserts their rows. */
const store = ({ path, url }: Place): void => {
  const address = new URL(url)
  const file = openSync(path, 'a+')
  const rows = createBaselineRows()
  let synced = 0
  let offset = 0
  let oldest = 0
  let underWay = 0
  let stored = 0
  let busy = false

  const head = Buffer.allocUnsafe(4)
  const readBody = (): Buffer => {
    readSync(file, head, 0, 4, offset)
    const body = Buffer.allocUnsafe(head.readUInt32LE())
    readSync(file, body, 0, body.length, offset + 4)
    offset += 4 + body.length
    return body
  }
  const send = (): void => {
    const { bytes, count } = rows.take()
    underWay++
    insert(address, rows.columns, bytes, `baseline-${offset}`).then(
      () => {
        underWay--
        stored += count
        parentPort?.postMessage({ rows: stored, at: Date.now() } satisfies Stored)
        pump()
      },
      (error: unknown) => {
        closeSync(file)
        throw error
      },
    )
  }
  const isDue = (): boolean =>
    rows.count() >= rowsPerInsert || (rows.count() > 0 && Date.now() - oldest >= maxAgeMs && offset >= synced)
  const pump = (): void => {
    if (busy) return
    busy = true
    while (offset < synced && rows.count() < rowsPerInsert) {
      if (rows.count() === 0) oldest = Date.now()
      rows.add(readBody(), offset)
    }
    if (isDue() && underWay < inserts) send()
    busy = false
    if (offset < synced && underWay < inserts) setImmediate(pump)
  }
  parentPort?.on('message', (bytes: number) => {
    synced = bytes
    pump()
  })
  setInterval(pump, 50)
}

if (isMainThread) {
  const [dir = '.', url = ''] = process.argv.slice(2)
  serve({ path: join(dir, 'baseline.log'), url })
} else store(workerData)
