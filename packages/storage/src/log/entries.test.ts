import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { compressChunk, expandChunk } from './entries.ts'

const text = (bytes: number): Buffer => Buffer.from('{"event":"Order Completed"}\n'.repeat(bytes).slice(0, bytes))

test.each([
  ['of one byte', text(1)],
  ['that is too small to be worth it', text(16 * 1024 - 1)],
  ['that is just large enough', text(16 * 1024)],
  ['of a MiB and more', text(5_000_000)],
  ['that cannot be made smaller', randomBytes(100_000)],
])('a %s chunk is byte-identical after decompression, and never larger than the original', (_, bytes) => {
  const stored = compressChunk(bytes)
  expect(stored.body.byteLength).toBeLessThanOrEqual(bytes.byteLength)
  expect(Buffer.compare(expandChunk(stored), bytes)).toBe(0)
})

test.each([1, -1])('a chunk with another length than recorded is rejected (%i byte)', (more) => {
  const { body, size } = compressChunk(text(50_000))
  expect(() => expandChunk({ body, size: size + more })).toThrow()
})
