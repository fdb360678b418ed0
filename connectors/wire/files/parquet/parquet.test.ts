import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { BrokenFile } from '../broken-file.ts'
import { readParquet, scanParquet } from './rows.ts'
import { type WrittenColumn, writeParquet } from './testing/write-parquet.ts'
import { writeTexts } from './write-texts.ts'

// The files were written by ClickHouse 26.7 (types, pages) and hyparquet-writer 0.17 (encodings), or are from
// apache/parquet-testing (second-pages).
const written = (name: string): Uint8Array => readFileSync(new URL(`./testing/${name}.parquet`, import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'tributary-parquet-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const read = (bytes: Uint8Array) => {
  const path = join(folder, String(files++))
  writeFileSync(path, bytes)
  const fd = openSync(path, 'r')
  const scan = scanParquet(fd, bytes.length)
  return { ...scan, values: [...readParquet(fd, bytes.length)].flat() }
}

test('values of every type keep all digits, and lists, maps, and structs are JSON', () => {
  const { columns, values } = read(written('types'))
  expect(columns.map(({ name, type }, at) => [name, type, values[1]?.[at]])).toEqual([
    ['big', 'bigint', '9007199254740993'],
    ['huge', 'numeric', '18446744073709551003'],
    ['small', 'integer', '-1'],
    ['note', 'text', 'tëxt 1'],
    ['amount', 'numeric', '123456789012345678901233.5678'],
    ['cents', 'numeric', '-0.05'],
    ['flag', 'boolean', 'f'],
    ['day', 'date', '2026-01-30'],
    ['at', 'timestamp with time zone', '2026-01-31 10:00:01.123456789+00'],
    ['before', 'timestamp with time zone', '1969-12-31 23:59:59.999+00'],
    ['share', 'double precision', '0.3333333333333333'],
    ['part', 'real', '0.1'],
    ['tags', 'jsonb', '[]'],
    ['counts', 'jsonb', '{"k1":1,"z":null}'],
    ['nested', 'jsonb', '{"n":1,"list":["x",null],"d":1.5}'],
    ['matrix', 'jsonb', '[[1,null],[]]'],
    ['id', 'uuid', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
    ['items', 'jsonb', '[{"a":1,"b":"a"},{"a":1,"b":"b"}]'],
  ])
  expect(values[2]?.[12]).toBe('["a","b\\"c","2"]')
  expect(values[3]?.[3]).toBeNull()
})

test.each(['none', 'snappy', 'lz4', 'brotli', 'zstd', 'gzip'])(
  'many pages and row groups are read, compressed as %s',
  (codec) => {
    const { rows, values } = read(written(`pages-${codec}`))
    expect(rows).toBe(300)
    expect(values).toEqual(
      Array.from({ length: 300 }, (_, at) => [
        String(at),
        at % 5 === 0 ? null : `user ${at % 7}${'x'.repeat(40)}`,
        JSON.stringify(Array.from({ length: at % 4 }, (__, item) => item)),
      ]),
    )
  },
)

test('delta, prefix, and byte-stream-split encodings are decoded', () => {
  const { values } = read(written('encodings'))
  expect(values).toHaveLength(300)
  for (const [at, row] of values.entries())
    expect(row).toEqual([
      String(((at * at * 7919) % 100_003) - 50_000),
      String(BigInt(at) * 9_007_199_254_740_993n * (at % 2 === 0 ? -1n : 1n)),
      at % 7 === 0 ? null : `${'v'.repeat(at % 11)}${at}`,
      `https://example.com/${at >> 4}/${at}`,
      String(at / 3),
      at % 3 === 0 ? 't' : 'f',
    ])
})

test('pages of the second version are read', () => {
  expect(read(written('second-pages')).values).toEqual([
    ['abc', '1', '2', 't', '[1,2,3]'],
    ['abc', '2', '3', 't', null],
    ['abc', '3', '4', 't', null],
    [null, '4', '5', 'f', '[1,2,3]'],
    ['abc', '5', '2', 't', '[1,2]'],
  ])
})

const int = (name: string, ...values: number[]): WrittenColumn => ({
  name,
  type: 1,
  pages: [{ values: values.length, packed: new Uint8Array(Int32Array.from(values).buffer) }],
})
const page = (given: WrittenColumn['pages'][number], more: Partial<WrittenColumn> = {}): WrittenColumn => ({
  name: 'a',
  type: 1,
  pages: [given],
  ...more,
})
/** Returns levels of 1 bit in runs, each with its count, after their total length. */
const levels = (...runs: [count: number, level: number][]): number[] => {
  const bytes = runs.flatMap(([count, level]) => {
    const run: number[] = []
    let head = count * 2
    for (; head >= 128; head = Math.floor(head / 128)) run.push((head % 128) + 128)
    return [...run, head, level]
  })
  return [bytes.length, 0, 0, 0, ...bytes]
}
const many = 50_000_000
/** Returns a file with a list of booleans that takes a few bytes. */
const endless = (rows: bigint, ...repeated: [number, number][]) =>
  writeParquet(rows, [
    page(
      {
        values: many,
        packed: Uint8Array.from([...levels(...repeated), ...levels([many, 1]), ...levels([many, 1])]),
        encoding: 3,
      },
      { type: 0, repetition: 2 },
    ),
  ])
const zeros = gzipSync(Buffer.alloc(60 << 20), { level: 1 })

test('a hand-written valid file is read, so that each broken variant fails for one reason', () => {
  expect(read(writeParquet(2n, [int('a', 1, -2), int('b', 3, 4)])).values).toEqual([
    ['1', '3'],
    ['-2', '4'],
  ])
  const packed = gzipSync(new Uint8Array(Int32Array.of(7).buffer))
  expect(read(writeParquet(1n, [page({ values: 1, size: 4, packed }, { codec: 2 })])).values).toEqual([['7']])
})

test.each<[string, () => Uint8Array, string]>([
  ['is empty', () => new Uint8Array(), 'The file is empty'],
  ['is something else', () => Buffer.from('id,name\n1,2\n3,4'), 'not a Parquet file'],
  ['is cut off', () => written('types').subarray(0, 5000), 'not a Parquet file, or is not whole'],
  ['is encrypted', () => Buffer.concat([written('types').subarray(0, -4), Buffer.from('PARE')]), 'encrypted'],
  [
    'has a longer description than the file',
    () => Buffer.concat([Buffer.alloc(20), Buffer.from([255, 255, 255, 127]), Buffer.from('PAR1')]),
    'damaged',
  ],
  ['has a column outside of it', () => writeParquet(1n, [{ ...int('a', 1), meta: { 9: 1n << 40n } }]), 'outside'],
  ['has a page of 2 GB', () => writeParquet(1n, [page({ values: 1, size: 2 ** 31 - 1 })]), 'a page of more than 64 MB'],
  [
    'unpacks to more than it says',
    () => writeParquet(1n, [page({ values: 1, size: 4, packed: zeros }, { codec: 2 })]),
    'cannot be decompressed',
  ],
  [
    'has small pages that are large together',
    () =>
      writeParquet(
        1n,
        Array.from({ length: 5 }, (_, at) =>
          page({ values: 1, size: 60 << 20, packed: zeros }, { name: `c${at}`, codec: 2 }),
        ),
      ),
    'needs more than 256 MB at a time',
  ],
  ['says to have a trillion rows', () => writeParquet(1n << 40n, [int('a', 1)]), 'more than 200,000,000 rows'],
  ['has fewer values than rows', () => writeParquet(3n, [int('a', 1, 2)]), 'too few values'],
  ['has more values than rows', () => writeParquet(1n, [int('a', 1, 2)]), 'more rows than the others'],
  ['has a row without end', () => endless(1n, [1, 0], [many, 1]), 'Row 1 is longer than 8 MB'],
  ['begins in the middle of a row', () => endless(1n, [many, 1]), 'row 1 has parts that do not fit together'],
  [
    'has a text that is not UTF-8',
    () => writeParquet(1n, [page({ values: 1, packed: Uint8Array.of(1, 0, 0, 0, 0xff) }, { type: 6, converted: 0 })]),
    'not UTF-8',
  ],
  [
    'has a text that is longer than its page',
    () => writeParquet(1n, [page({ values: 1, packed: Uint8Array.of(255, 255, 255, 255, 0) }, { type: 6 })]),
    'too few values',
  ],
  ['has an unknown codec', () => writeParquet(1n, [page({ values: 1 }, { codec: 3 })]), "codec that can't be read (3)"],
  ['has two columns of one name', () => writeParquet(1n, [int('a', 1), int('a', 1)]), 'Two columns are called a'],
  [
    'has 2,001 columns',
    () =>
      writeParquet(
        1n,
        Array.from({ length: 2001 }, (_, at) => int(`c${at}`, at)),
      ),
    'more than 2,000 columns',
  ],
])('a file that %s is refused with a readable message', (_, bytes, words) => {
  const refused = (): unknown => read(bytes())
  expect(refused).toThrow(BrokenFile)
  expect(refused).toThrow(words)
})

test('a file with 2,000 columns is read', () => {
  const { columns, values } = read(
    writeParquet(
      1n,
      Array.from({ length: 2000 }, (_, at) => int(`c${at}`, at)),
    ),
  )
  expect(columns).toHaveLength(2000)
  expect(values[0]?.[1999]).toBe('1999')
})

test('a file with randomly changed bytes is read or refused with a readable message', () => {
  // The sequence is fixed, so that a failure can be repeated.
  let state = 1
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const originals = ['types', 'pages-snappy', 'pages-lz4', 'encodings'].map(written)
  let refused = 0
  for (let round = 0; round < 400; round++) {
    const bytes = Buffer.from(originals[round % originals.length] ?? [])
    for (let change = 0; change < 3; change++) bytes[random(bytes.length)] = random(256)
    try {
      read(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(BrokenFile)
      refused++
    }
  }
  expect(refused).toBeGreaterThan(50)
})

test.each(['none', 'gzip'] as const)(
  'a file that is written with text columns is read again, compressed as %s',
  (compression) => {
    const rows = Array.from({ length: 1003 }, (_, at) => at)
    const columns = [
      { name: '_key', values: rows.map(String) },
      { name: 'nöte', values: rows.map((at) => (at % 3 === 0 ? null : at % 5 === 0 ? '' : `ü"\n${at}`)) },
      { name: 'none', values: rows.map(() => null) },
      ...Array.from({ length: 20 }, (_, at) => ({ name: `c${at}`, values: rows.map(() => 'x'.repeat(at)) })),
    ]
    const found = read(writeTexts(columns, compression))
    expect(found.columns.slice(0, 3)).toEqual(['_key', 'nöte', 'none'].map((name) => ({ name, type: 'text' })))
    expect(found.values).toEqual(rows.map((at) => columns.map(({ values }) => values[at])))
  },
)
