import { rowPieces } from '@tributary/storage'
import { describe, expect, it } from 'vitest'
import { readRow } from '../../rows/rows.ts'
import { batchAgain, createInsertBuffer } from '../store.ts'
import type { Batch } from './insert.ts'
import { microBatch } from './test-batches.ts'

const nothing = Promise.resolve()
const idsOf = (batch: Batch): unknown[] => rowPieces(batch.rows).map((row) => readRow(row).messageId)

/** A buffer that two partitions filled in turns. */
const filled = () => {
  const buffer = createInsertBuffer()
  const batches = [
    microBatch(3, 5, ['c', 'c'], 50),
    microBatch(1, 7, ['a'], 70),
    microBatch(3, 6, ['d', 'd', 'd'], 40),
    microBatch(1, 8, ['b'], 80),
  ]
  for (const [n, batch] of batches.entries()) buffer.add(batch, nothing, 1000 + n)
  return { buffer, batches }
}

describe('the buffer of an insert', () => {
  it('the buffer of an insert returns rows by partition and offset, regardless of the order of arrival', () => {
    const { buffer } = filled()
    const ranges = buffer.ranges()
    expect(ranges.map(({ partition, from, to }) => [partition, from, to])).toEqual([
      [1, 7, 9],
      [3, 5, 7],
    ])
    const batch = buffer.take(ranges)
    expect(batch.ranges).toEqual(ranges)
    expect(idsOf(batch)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('the buffer of an insert gives all ranges of a batch the same token, and each batch a new token', () => {
    const { buffer } = filled()
    const tokens = [...buffer.ranges(), ...buffer.ranges()].map(({ token }) => token)
    expect(new Set(tokens.slice(0, 2)).size).toBe(1)
    expect(new Set(tokens).size).toBe(2)
    expect(buffer.take(buffer.ranges().map((range) => ({ ...range, token: 'own' }))).token).toBe('own')
  })

  it('the buffer adds up discarded counts and bytes of all micro-batches, and keeps the earliest time', () => {
    const { buffer, batches } = filled()
    const bytes = batches.reduce((sum, { rows }) => sum + rows.bytes.length, 0)
    expect(buffer).toMatchObject({ rows: 4, bytes, since: 40, openedAt: 1000 })
    expect(buffer.bytesOf(1)).toBe((batches[1]?.rows.bytes.length ?? 0) + (batches[3]?.rows.bytes.length ?? 0))
    const batch = buffer.take(buffer.ranges())
    expect(batch).toMatchObject({ since: 40, bytes })
    expect(batch.discarded).toMatchObject([{ workspaceId: 'w-3', reason: 'duplicate', events: 3 }])
  })

  it('the buffer of an insert is empty after its content was taken, and starts a new batch', () => {
    const { buffer } = filled()
    buffer.take(buffer.ranges())
    expect(buffer).toMatchObject({ rows: 0, bytes: 0, since: undefined, openedAt: undefined })
    expect([buffer.isEmpty(), buffer.bytesOf(1), buffer.ranges()]).toEqual([true, 0, []])
    expect(() => buffer.take([])).toThrow(/nothing in the buffer/)
    buffer.add(microBatch(1, 9, ['e'], 90), nothing, 2000)
    expect(buffer).toMatchObject({ rows: 1, since: 90, openedAt: 2000 })
    expect(idsOf(buffer.take(buffer.ranges()))).toEqual(['e'])
  })

  it('a batch waits for the deliveries of every micro-batch in it', async () => {
    const buffer = createInsertBuffer()
    buffer.add(microBatch(1, 0, ['a']), nothing, 0)
    buffer.add(microBatch(1, 1, ['b']), Promise.reject(new Error('not durable')), 0)
    await expect(buffer.take(buffer.ranges()).deliveries).rejects.toThrow('not durable')
  })

  it('a batch that is rebuilt from its records equals the original one', () => {
    const { buffer, batches } = filled()
    const first = buffer.take(buffer.ranges())
    const sorted = batches.toSorted((a, b) => a.partition - b.partition || a.from - b.from)
    const { deliveries, ...again } = batchAgain(first.token, first.ranges, sorted, nothing)
    expect(deliveries).toBe(nothing)
    expect(first).toMatchObject(again)
  })
})
