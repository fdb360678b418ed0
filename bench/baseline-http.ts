// The baseline for the figures of collection: node:http, JSON.parse, and one file that is synced (in groups) before the
// response 200. With `log` as second argument, the product's log replaces the file, to measure the cost of the log
// alone.
import { fdatasync, openSync, write } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openLogWriter } from '@tributary/storage'

const [dir = '.', kind = 'file'] = process.argv.slice(2)

type Append = (body: Buffer) => Promise<unknown>

/** Opens one file for appending. All bodies that arrive during a sync share the next sync. */
const openFile = (path: string): Append => {
  const file = openSync(path, 'a')
  let queue: { body: Buffer; done(): void; failed(error: Error): void }[] = []
  let busy = false
  const flush = (): void => {
    busy = true
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
        for (const entry of group) entry.done()
        busy = false
        if (queue.length > 0) flush()
      })
    })
  }
  return (body) =>
    new Promise<void>((done, failed) => {
      queue.push({ body, done, failed })
      if (!busy) {
        busy = true
        setImmediate(flush)
      }
    })
}

const openLog = async (path: string): Promise<Append> => {
  const writer = await openLogWriter({ dir: path })
  return (body) => writer.append({ key: 'workspace', meta: '{"k":"batch"}', body })
}

const append = kind === 'log' ? await openLog(join(dir, 'log')) : openFile(join(dir, 'baseline.log'))
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
    const parsed: unknown = JSON.parse(body.toString())
    if (typeof parsed !== 'object') return void response.writeHead(400).end()
    append(body).then(
      () =>
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 16 }).end('{"success":true}'),
      () => response.writeHead(503, { 'Content-Length': 0 }).end(),
    )
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening ${port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
