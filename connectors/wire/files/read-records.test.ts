import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyCount } from './count-keys.ts'
import { type FileFormat, readRows, scanFile } from './read-records.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const csv: FileFormat = { kind: 'csv', delimiter: '', header: true }
const ndjson: FileFormat = { kind: 'ndjson' }

let files = 0
/** Returns the columns and the rows of a file with this content. */
const read = async (content: string | Uint8Array, format: FileFormat) => {
  const path = join(folder, String(files++))
  await writeFile(path, content)
  await using file = await open(path)
  const scan = await scanFile(file, format)
  const values: (string | null)[][] = []
  for await (const rows of readRows(file, format, scan.columns)) values.push(...rows)
  return { ...scan, values }
}

test('a CSV column has the type of all its values, and booleans are written as in a database', async () => {
  const text = [
    '\u{feff}n;zip;price;on;day;at;long;none',
    '1;01234;1.50;TRUE;2026-01-31;2026-01-31 10:00:00;12345678901234567890;',
    '-20;99999;2;false;2026-02-01;2026-01-31T10:00:00Z;1;',
  ].join('\n')
  const { columns, rows, values } = await read(text, csv)
  expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'n bigint',
    'zip text',
    'price numeric',
    'on boolean',
    'day date',
    'at timestamp',
    'long text',
    'none text',
  ])
  expect(rows).toBe(2)
  expect(values[0]).toEqual([
    '1',
    '01234',
    '1.50',
    't',
    '2026-01-31',
    '2026-01-31 10:00:00',
    '12345678901234567890',
    null,
  ])
  expect(values[1]?.[3]).toBe('f')
})

test('CSV without a header row has numbered columns', async () => {
  const { columns, rows } = await read('1\tx\n2\ty', { kind: 'csv', delimiter: '\t', header: false })
  expect(columns).toEqual([
    { name: 'column_1', type: 'bigint' },
    { name: 'column_2', type: 'text' },
  ])
  expect(rows).toBe(2)
})

test('NDJSON has the members of all its objects, exact digits, and names such as constructor', async () => {
  const text =
    '{"id":1,"n":1,"m":"a","constructor":"x"}\r\n\n{"id":12345678901234567890,"n":1.50,"m":2,"o":{"b":1.0},"b":true}'
  const { columns, values } = await read(text, ndjson)
  expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'id bigint',
    'n numeric',
    'm jsonb',
    'constructor text',
    'o jsonb',
    'b boolean',
  ])
  expect(values).toEqual([
    ['1', '1', '"a"', 'x', null, null],
    ['12345678901234567890', '1.50', '2', null, '{"b":1.0}', 't'],
  ])
})

test.each([
  ['', csv, 'The file is empty'],
  ['\n\n', ndjson, 'The file is empty'],
  ['a,b\n1,2\n3\n', csv, 'Line 3 has 1 value, but there are 2 columns'],
  ['a,a\n', csv, 'Line 1: two columns are called a'],
  ['a,,b\n', csv, 'Line 1: column 2 has no name'],
  [Array.from({ length: 2001 }, (_, at) => `c${at}`).join(), csv, 'The file has more than 2,000 columns'],
  ['{"a":1}\n{"a":', ndjson, 'Line 2 is not valid JSON'],
  ['{"a":1}\n[1]', ndjson, 'Line 2 is not a JSON object'],
  ['{"":1}', ndjson, 'Line 1: the name of a member is not valid'],
  [Buffer.from([0x61, 0x0a, 0xff]), csv, 'The file is not UTF-8'],
  [Buffer.from('a,b', 'utf16le').subarray(0), csv, 'name of column'],
  [
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a,b', 'utf16le')]),
    csv,
    'The file is UTF-16. Save it as UTF-8',
  ],
])('a broken file is refused with a message and the line: %#', async (content, format, words) => {
  await expect(read(content, format)).rejects.toThrow(words)
})

test('the key count counts null keys separately, and keys that several rows have', () => {
  const count = createKeyCount([0, 1])
  for (const row of [
    ['1', 'a'],
    ['1', 'b'],
    ['1', 'a'],
    [null, 'a'],
    ['2', 'a'],
    ['1', 'a'],
  ])
    count.add(row)
  expect(count.result()).toEqual({ rows: 6, null_rows: 1, duplicate_keys: 1, duplicate_rows: 3 })
})

test.each([
  ['CSV', csv, (n: number) => `${n},${'x'.repeat(90)}`],
  ['NDJSON', ndjson, (n: number) => JSON.stringify({ n, note: 'x'.repeat(90) })],
])('a large %s file is read only as far as its reader needs, a piece at a time', async (_, format, rowOf) => {
  const path = join(folder, String(files++))
  await writeFile(
    path,
    Array.from({ length: 60_000 }, (_row, n) => (n === 0 && format === csv ? 'n,note' : rowOf(n))).join('\n'),
  )
  await using file = await open(path)
  const { size } = await file.stat()
  let bytes = 0
  const counted = Object.assign(Object.create(file), {
    stat: () => file.stat(),
    read: async (buffer: Buffer, offset: number, length: number, position: number) => {
      const found = await file.read(buffer, offset, length, position)
      bytes += found.bytesRead
      return found
    },
  })
  const columns = [
    { name: 'n', type: 'bigint' },
    { name: 'note', type: 'text' },
  ]
  let pieces = 0
  for await (const rows of readRows(counted, format, columns)) {
    pieces++
    expect(rows.length).toBeLessThan(1500)
    expect(bytes).toBeLessThanOrEqual(pieces * 64 * 1024)
  }
  expect([bytes, pieces]).toEqual([size, Math.ceil(size / 64 / 1024)])
})

test.each([
  ['sep=;\na;b,c\n1;2', ['a', 'b,c']],
  ['\u{feff}SEP=|\r\na|b;c\r\n1|2', ['a', 'b;c']],
  ['"sep=\t"\na\tb\n1\t2', ['a', 'b']],
  ['sep=^\na^b\n1^2', ['a', 'b']],
])('a first line that names the delimiter is not a row: %j', async (text, names) => {
  const { columns, rows, values } = await read(text, csv)
  expect(columns.map(({ name }) => name)).toEqual(names)
  expect([rows, values]).toEqual([1, [['1', '2']]])
})

test('line numbers count the first line that names the delimiter', async () => {
  await expect(read('sep=;\na;b\n1;2;3', csv)).rejects.toThrow('Line 3 has 3 values, but there are 2 columns')
})

test.each([
  ['2026-02-28', 'date'],
  ['2024-02-29', 'date'],
  ['2026-02-30', 'text'],
  ['2026-02-29', 'text'],
  ['2026-04-31', 'text'],
  ['1900-02-29', 'text'],
  ['2026-02-28 23:59:59', 'timestamp'],
  ['2026-02-30T10:00:00Z', 'text'],
  ['2026-02-28 25:00:00', 'text'],
])('a column with %s beside a day has the type %s', async (value, type) => {
  const beside = value.length > 10 ? '2026-01-01 00:00:00' : '2026-01-01'
  expect((await read(`day\n${beside}\n${value}\n`, csv)).columns).toEqual([{ name: 'day', type }])
})
