import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FileFormat } from './read-records.ts'
import { createFiles } from './several-files.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-several-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const csv: FileFormat = { kind: 'csv', delimiter: '', header: true }
const ndjson: FileFormat = { kind: 'ndjson' }

const read = async (contents: readonly (readonly [string, FileFormat])[]) => {
  await using closing = new AsyncDisposableStack()
  const opened = []
  for (const [at, [content, format]] of contents.entries()) {
    const path = join(folder, `${at}`)
    await writeFile(path, content)
    opened.push({ name: `file-${at}`, handle: closing.use(await open(path)), format })
  }
  const files = createFiles(opened)
  const scan = await files.scan()
  const values = []
  for await (const rows of files.rows(scan.columns)) values.push(...rows)
  return { types: scan.columns.map(({ name, type }) => `${name} ${type}`), rows: scan.rows, values }
}

test('files form one table by column name, in any order, and missing values are null', async () => {
  const found = await read([
    ['id,flag,n\n1,true,1\n', csv],
    ['n;new;id\n1.5;x;2\n', csv],
    ['id,flag,n\n', csv],
  ])
  expect(found).toEqual({
    types: ['id bigint', 'flag boolean', 'n numeric', 'new text'],
    rows: 2,
    values: [
      ['1', 't', '1', null],
      ['2', null, '1.5', 'x'],
    ],
  })
})

test('a column with several types has the text of the files, or JSON if all of them are JSON', async () => {
  expect(
    await read([
      ['id,a\n1,true', csv],
      ['id,a\n2,TRUE or so', csv],
    ]),
  ).toMatchObject({
    types: ['id bigint', 'a text'],
    values: [
      ['1', 'true'],
      ['2', 'TRUE or so'],
    ],
  })
  expect(
    await read([
      ['{"a":1}', ndjson],
      ['{"a":"1"}', ndjson],
    ]),
  ).toMatchObject({
    types: ['a jsonb'],
    values: [['1'], ['"1"']],
  })
})

test('an error in one of several files names the file', async () => {
  await expect(
    read([
      ['a\n1', csv],
      ['a,b\n1', csv],
    ]),
  ).rejects.toThrow('file-1: Line 2 has 1 value, but there are 2 columns')
})

test('files with more than 2,000 columns together are refused', async () => {
  const head = (from: number): string => Array.from({ length: 1500 }, (_, at) => `c${from + at}`).join()
  await expect(
    read([
      [head(0), csv],
      [head(1000), csv],
    ]),
  ).rejects.toThrow('The files have more than 2,000 columns')
})
