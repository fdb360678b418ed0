import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { type WrittenColumn, type WrittenPage, writeParquet } from './testing/write-parquet.ts'

const megabyte = 1024 * 1024
const reader = new URL('./testing/read-parquet.ts', import.meta.url).pathname

const folder = mkdtempSync(join(tmpdir(), 'tributary-parquet-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'hostile.parquet')

/** Reads a file in a process whose objects can use 64 MB; returns the result. */
const readInBounds = (): { grownBytes: number } => {
  const limits = ['--max-old-space-size=64', '--max-semi-space-size=4']
  const output = execFileSync(process.execPath, [...limits, '--disable-warning=ExperimentalWarning', reader, path])
  return JSON.parse(output.toString()) as { grownBytes: number }
}

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
/** Returns levels of one bit in runs, after their total length. */
const levels = (...runs: [count: number, level: number][]): number[] => {
  const bytes = runs.flatMap(([count, level]) => [...varint(count * 2), level])
  return [bytes.length, 0, 0, 0, ...bytes]
}
const column = (page: WrittenPage, more: Partial<WrittenColumn> = {}): WrittenColumn => ({
  name: 'a',
  type: 1,
  pages: [page],
  ...more,
})
const footer = (bytes: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([Buffer.from('PAR1'), bytes, length, Buffer.from('PAR1')])
}
/** Returns a decimal of 38 digits in 16 bytes, after its length. */
const decimal = (digits: bigint): number[] => [
  16,
  0,
  0,
  0,
  ...Buffer.from(BigInt.asUintN(128, digits).toString(16).padStart(32, '0'), 'hex'),
]

const tenMillion = 10_000_000
const unpacked = 16 * megabyte
const packed = zstdCompressSync(Buffer.alloc(unpacked))
const digits = 12_345_678_901_234_567_890_123_456_789_012_345_678n

test.each<[title: string, bytes: () => Uint8Array, expected: object]>([
  [
    'a page that unpacks to 10,000 times its size',
    () =>
      writeParquet(BigInt(unpacked / 8), [
        column({ values: unpacked / 8, size: unpacked, packed }, { type: 2, codec: 6 }),
      ]),
    { rows: unpacked / 8, first: ['0'] },
  ],
  [
    'a page that unpacks to more than its stated size',
    () => writeParquet(1n, [column({ values: 1, size: 4, packed }, { codec: 6 })]),
    { refused: 'The Parquet file is damaged: a page cannot be decompressed' },
  ],
  [
    'a row group of 10 million rows in a few bytes',
    () =>
      writeParquet(BigInt(tenMillion), [
        column({ values: tenMillion, packed: Uint8Array.from(levels([tenMillion, 0])) }, { repetition: 1 }),
      ]),
    { rows: tenMillion, first: [null] },
  ],
  [
    'a run of a billion levels for one value',
    () =>
      writeParquet(1n, [
        column({ values: 1, packed: Uint8Array.from([...levels([1e9, 1]), 7, 0, 0, 0]) }, { repetition: 1 }),
      ]),
    { rows: 1, first: ['7'] },
  ],
  [
    'a list of 50 million elements',
    () =>
      writeParquet(1n, [
        column(
          {
            values: 5e7,
            packed: Uint8Array.from([...levels([1, 0], [5e7, 1]), ...levels([5e7, 1]), ...levels([5e7, 1])]),
            encoding: 3,
          },
          { type: 0, repetition: 2 },
        ),
      ]),
    { refused: 'Row 1 is longer than 8 MB' },
  ],
  [
    'lists that are nested 30 deep',
    () => writeParquet(1n, [column({ values: 1 }, { groups: 30 })]),
    { refused: 'The Parquet file has values that are nested more than 24 deep' },
  ],
  [
    'decimals of 38 digits',
    () =>
      writeParquet(2n, [
        column(
          { values: 2, packed: Uint8Array.from([...decimal(digits), ...decimal(-digits)]) },
          { type: 6, converted: 5 },
        ),
      ]),
    { rows: 2, first: [String(digits)] },
  ],
  [
    'a description with lists of 33 million members, one in another',
    () =>
      footer(
        Uint8Array.from([0x15, 2, 0x19, ...Array.from({ length: 20 }, () => [0xf9, ...varint(33_000_000)]).flat()]),
      ),
    { refused: 'The Parquet file is damaged: its description cannot be read' },
  ],
  ...[2, 24, 3000].map((deep): [string, () => Uint8Array, object] => [
    `a description of 20 MB with lists that claim all of it, ${deep} in each other`,
    () => {
      const heads = Array.from({ length: deep }, () => [0xf9, ...varint(19 * megabyte)]).flat()
      return footer(Buffer.concat([Uint8Array.from([0x15, 2, 0x19, ...heads]), Buffer.alloc(20 * megabyte, 0xff)]))
    },
    { refused: 'The Parquet file is damaged: its description cannot be read' },
  ]),
])('%s is read exactly or refused, within 64 MB of memory', (_, bytes, expected) => {
  writeFileSync(path, bytes())
  const { grownBytes, ...found } = readInBounds()
  expect(found).toEqual(expected)
  expect(grownBytes).toBeLessThan(64 * megabyte)
})

test('a file description of 2 GB is refused within 64 MB of memory', () => {
  writeFileSync(path, 'PAR1')
  truncateSync(path, 2 ** 31)
  const end = Buffer.alloc(8, 'PAR1')
  end.writeUInt32LE(2 ** 31 - 12)
  writeFileSync(path, end, { flag: 'a' })
  const { grownBytes, ...found } = readInBounds()
  expect(found).toEqual({ refused: 'The description of the Parquet file is larger than 64 MB' })
  expect(grownBytes).toBeLessThan(64 * megabyte)
})
