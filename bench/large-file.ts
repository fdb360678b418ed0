// A part of npm run soak: a dry run reads a CSV file of 2 GB at a URL, with memory of about a tenth of the file size.
// The file is created while it is sent. The run reads each row once. It rejects a file that has one row too many, and
// says so. Exits with 1 if one of this fails. The test takes about ten minutes and 5 GB of disk. `TRIBUTARY_BENCH_MB`
// sets a smaller file.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type ApiClient, eventually } from '@tributary/test-kit'
import { type Figure, printFigures, sizeOf, thousands } from './harness.ts'
import { beginMemory, MiB } from './memory.ts'
import { startBench } from './product.ts'

const megabytes = sizeOf('MB', 2048)
/** Maximum memory, relative to the memory that a tenth of the file takes. */
const memoryRatio = 1.25
const head = 'id,email,note,total\n'
const noteCharacters = 900
const rowsOfPiece = 1000

const rowOf = (n: number): string => {
  const id = String(n).padStart(10, '0')
  const note = `${id.split('').toReversed().join('')} ü`.repeat(80).slice(0, noteCharacters - 80)
  const bytes = Buffer.byteLength(note)
  return `${id},u${id}@x.example.de,${note}${'.'.repeat(noteCharacters - bytes)},${id.slice(-5)}.25\n`
}

/** Maximum number of rows that fit into the file; all rows have the same number of bytes. */
const rowsThatFit = Math.floor((megabytes * MiB - head.length) / Buffer.byteLength(rowOf(0)))

function* csvOf(rows: number): Generator<string> {
  yield head
  for (let from = 0; from < rows; from += rowsOfPiece) {
    let piece = ''
    for (let n = from; n < Math.min(rows, from + rowsOfPiece); n++) piece += rowOf(n)
    yield piece
  }
}

let rows = rowsThatFit
const server = createServer((_request, response) => {
  // The response has no content length, so the client notices only at the limit that the file is too large.
  Readable.from(csvOf(rows), { objectMode: false })
    .on('error', () => {})
    .pipe(response)
}).listen(0, '127.0.0.1')
await once(server, 'listening')

type DryRun = { state: string; message: string; counts: { read: number; added: number } | null }

const dryRun = async (api: ApiClient, workspace: string, definition: Record<string, unknown>): Promise<DryRun> => {
  const { name } = await api.ok('POST', `/${workspace}/syncDryRuns`, definition)
  return await eventually(
    'the dry run has ended',
    async () => {
      const found = await api.ok('GET', `/${String(name)}`)
      return found['finish_time'] !== null && (found as unknown as DryRun)
    },
    3_600_000,
  )
}

const measure = async (): Promise<Figure[]> => {
  const bench = await startBench({ env: { TRIBUTARY_UPLOAD_MAX_MB: String(megabytes) } })
  await using _ = bench.product
  const { api, pid } = bench.product
  const { workspace } = bench
  const make = async (kind: string, body: Record<string, unknown>): Promise<string> =>
    String((await api.ok('POST', `/${workspace}/${kind}`, body))['name'])
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/large.csv`
  const settings = { url, format: 'csv', delimiter: ',', header: true }
  rows = 1000
  const data_source = await make('dataSources', {
    title: 'Large',
    app: { name: 'catalogDataSources/file-url' },
    settings,
  })
  const query = { schema: 'file', table: 'rows' }
  const definition = {
    model: await make('models', { title: 'Large', data_source, query, primary_key: ['id'] }),
    destination: await make('destinations', {
      title: 'Nobody',
      app: { name: 'catalogDestinations/webhook' },
      settings: { url, batching: true },
    }),
    object: 'records',
    object_name: 'large',
    mode: 'FULL_SYNC',
    identifier: 'id',
    fields: ['id', 'email', 'note', 'total'].map((name) => ({ column: name, target: name })),
  }
  const readWith = async (count: number): Promise<{ read: DryRun; seconds: number; peak: number }> => {
    rows = count
    const memory = beginMemory([pid])
    const began = performance.now()
    const read = await dryRun(api, workspace, definition)
    return { read, seconds: (performance.now() - began) / 1000, peak: memory.end() / MiB }
  }
  const small = await readWith(Math.ceil(rowsThatFit / 10))
  const { read, seconds, peak } = await readWith(rowsThatFit)
  const ratio = peak / small.peak
  rows = rowsThatFit + 1
  const refused = await dryRun(api, workspace, definition)
  return [
    {
      figure: `a CSV file of ${megabytes} MB at a URL, ${thousands(rowsThatFit)} rows, read by a dry run`,
      target: 'each row once',
      measured: `${thousands(read.counts?.read ?? 0)} rows in ${seconds.toFixed(0)} s${read.message}`,
      pass: read.state === 'done' && read.counts?.read === rowsThatFit && read.counts.added === rowsThatFit,
    },
    {
      figure: 'memory meanwhile, all processes of the product',
      target: `<= ${memoryRatio} of ${Math.round(small.peak)} MiB of a tenth of it`,
      measured: `${Math.round(peak)} MiB`,
      ratio,
      pass: ratio <= memoryRatio,
    },
    {
      figure: 'the same with a row more',
      target: 'refused, in words',
      measured: refused.message,
      pass: refused.state === 'failed' && refused.message.includes('The file has more than'),
    },
  ]
}

process.exitCode = printFigures(await measure()) ? 0 : 1
server.closeAllConnections()
server.close()
