import { describe, expect, it } from 'vitest'
import { createRowReader, createRowWriter, rowPieces } from './row-binary.ts'

describe('rows as RowBinary', () => {
  it.each([
    ['nothing', ''],
    ['ASCII that is short', 'user-1'],
    ['as much ASCII as is written byte by byte', 'x'.repeat(40)],
    ['ASCII at the end of a one-byte length', 'x'.repeat(127)],
    ['ASCII at the begin of a two-byte length', 'x'.repeat(128)],
    ['text whose letters need more bytes than its length says', 'ü'.repeat(64)],
    ['text whose length takes a byte more in bytes than in letters', `${'x'.repeat(126)}ü`],
    ['text whose length takes a byte more, at two bytes', `${'x'.repeat(16_382)}“`],
    ['more than a buffer holds', '😀'.repeat(100_000)],
    ['a null character', 'a\u0000b'],
  ])('rows as RowBinary return a text unchanged: %s', (_, text) => {
    const writer = createRowWriter()
    writer.text('before')
    writer.text(text)
    writer.text('behind')
    writer.end()
    const reader = createRowReader(writer.take().bytes)
    expect([reader.text(), reader.text(), reader.text()]).toEqual(['before', text, 'behind'])
  })

  it('rows as RowBinary contain no lone surrogate', () => {
    const writer = createRowWriter()
    writer.text('\ud800x')
    writer.end()
    expect(createRowReader(writer.take().bytes).text()).toBe('\ufffdx')
  })

  it('rows as RowBinary keep every kind of value, including times before 1970 and the largest numbers', () => {
    const writer = createRowWriter()
    writer.bool(true)
    writer.uint16(65_535)
    writer.uint32(4_294_967_295)
    writer.size(300)
    for (const ms of [0, -1, -86_400_001, 1_763_704_000_123, Date.UTC(2199, 11, 31)]) writer.time(ms)
    writer.optionalTime(undefined)
    writer.optionalTime(5)
    writer.end()
    const { bytes } = writer.take()
    const reader = createRowReader(bytes)
    expect(reader.bool()).toBe(true)
    expect(bytes.readUInt16LE(1)).toBe(65_535)
    const behind = createRowReader(bytes.subarray(3))
    expect([behind.uint32(), behind.size()]).toEqual([4_294_967_295, 300])
    expect([behind.time(), behind.time(), behind.time(), behind.time(), behind.time()]).toEqual([
      0,
      -1,
      -86_400_001,
      1_763_704_000_123,
      Date.UTC(2199, 11, 31),
    ])
    expect([behind.optionalTime(), behind.optionalTime()]).toEqual([undefined, 5])
    expect(() => behind.text()).toThrow(RangeError)
  })

  it('rows as RowBinary are split into rows at their ends, and taking the rows empties the writer', () => {
    const writer = createRowWriter()
    const texts = ['a', '', 'ü'.repeat(5000)]
    for (const text of texts) {
      writer.text(text)
      writer.end()
    }
    const rows = writer.take()
    expect(rowPieces([rows]).map((row) => createRowReader(row).text())).toEqual(texts)
    expect([writer.length, writer.count, writer.take().ends]).toEqual([0, 0, []])
  })
})
