import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataQueryError, type DataSourceSession, fileTable, type UploadedFile } from '@tributary/connector-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { file } from './definition.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-file-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const query = { schema: fileTable.schema, table: fileTable.name }

let files = 0
/** Opens a file with this content. */
const open = async (
  content: string | Uint8Array,
  given: { title?: string; settings?: object; signal?: AbortSignal; scan?: UploadedFile['scan'] } = {},
): Promise<DataSourceSession & { path: string }> => {
  const path = join(folder, String(files++))
  await writeFile(path, content)
  const { title = 'a.csv', settings = {}, signal = new AbortController().signal, scan } = given
  const session = await file.open({
    settings: { format: 'auto', delimiter: 'auto', header: true, ...settings },
    connect: () => Promise.reject(new Error('A file needs no connection')),
    signal,
    statementMs: 1000,
    upload: { path, title, scan },
  })
  return Object.assign(session, { path })
}

const rowsOf = async (session: DataSourceSession, limit = 1_000_000) => {
  const rows = []
  for await (const batch of session.read(query, limit)) rows.push(...batch)
  return rows
}

test('a file is one table, whose rows and keys are read like those of a database', async () => {
  await using session = await open('id,email\n1,a\n2,\n1,b\n')
  expect(await session.listTables({ search: 'ROW', offset: 0, limit: 10 })).toEqual([
    { ...fileTable, kind: 'table', rows: 3 },
  ])
  expect(await session.describe(query)).toEqual([
    { name: 'id', type: 'bigint' },
    { name: 'email', type: 'text' },
  ])
  expect(await rowsOf(session, 2)).toEqual([
    ['1', 'a'],
    ['2', null],
  ])
  expect(await session.checkKey(query, ['id'])).toEqual({ rows: 3, null_rows: 0, duplicate_keys: 1, duplicate_rows: 2 })
  expect(await session.checkKey(query, ['email'])).toMatchObject({ null_rows: 1, duplicate_keys: 0 })
})

test('rows are read in batches, completely and in order', async () => {
  const lines = Array.from({ length: 60_000 }, (_, at) => `${at},${'x'.repeat(40)}`)
  await using session = await open(`id,text\n${lines.join('\n')}`)
  const batches: number[] = []
  let next = 0
  for await (const batch of session.read(query, 1_000_000)) {
    batches.push(batch.length)
    for (const [id] of batch) expect(id).toBe(String(next++))
  }
  expect(next).toBe(60_000)
  expect(batches.length).toBeGreaterThan(5)
})

test('a file that is deleted while it is read is still read completely', async () => {
  await using session = await open('id\n1\n2\n')
  await session.describe(query)
  await rm(session.path)
  expect(await rowsOf(session)).toHaveLength(2)
})

test.each([
  [{ sql: 'select 1' }, 'A file has no SQL'],
  [{ schema: 'file', table: 'other' }, 'A file has one table, file.rows'],
])('a query for anything but the file is refused: %j', async (other, words) => {
  await using session = await open('id\n1')
  await expect(session.describe(other)).rejects.toThrow(words)
  await expect(session.checkKey(other, ['id'])).rejects.toThrow(DataQueryError)
})

test('a broken file and an unknown column give readable messages', async () => {
  await using session = await open('id,x\n1')
  await expect(session.describe(query)).rejects.toThrow(
    new DataQueryError('Line 2 has 1 value, but there are 2 columns'),
  )
  await using good = await open('id\n1')
  await expect(good.checkKey(query, ['none'])).rejects.toThrow(new DataQueryError('The file has no column none'))
})

test('the format follows from the name or the settings, and a file without either is refused', async () => {
  await using lines = await open('{"a":1}', { title: 'x.NDJSON' })
  expect(await lines.describe(query)).toEqual([{ name: 'a', type: 'bigint' }])
  await using chosen = await open('a|b\n1|2', { title: 'x', settings: { format: 'csv', delimiter: '|' } })
  expect(await chosen.describe(query)).toHaveLength(2)
  const written = await readFile(new URL('../../wire/files/parquet/testing/pages-none.parquet', import.meta.url))
  await using parquet = await open(written, { title: 'x.parquet' })
  expect(await parquet.describe(query)).toHaveLength(3)
  expect(await rowsOf(parquet)).toHaveLength(300)
  await expect(open('a', { title: 'x.bin' })).rejects.toThrow('Choose the format in the settings')
})

test('a known scan of a file is reused', async () => {
  const scan = { columns: [{ name: 'known', type: 'text' }], rows: 7 }
  await using session = await open('id\n1', { scan })
  expect(await session.describe(query)).toEqual(scan.columns)
})

test('reading a file ends when it is canceled', async () => {
  const giving = new AbortController()
  await using session = await open('id\n1', { signal: giving.signal })
  giving.abort()
  await expect(session.describe(query)).rejects.toThrow('given up')
})
