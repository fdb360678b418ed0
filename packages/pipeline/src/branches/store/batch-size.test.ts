import { describe, expect, it } from 'vitest'
import { createBatchSize } from '../store.ts'

const settings = {
  flushRows: 20_000,
  flushBytes: 2000,
  flushAgeMs: 500,
  batchRows: 40_000,
  batchBytes: 3000,
  batchMs: 1000,
  shareBytes: 100,
}

/** The batch size after inserts at these rates, in rows per millisecond. */
const after = (...rates: readonly number[]) => {
  const size = createBatchSize(settings)
  for (const rate of rates) size.inserted(rate * 10, 10)
  return size
}

describe('a batch is due', () => {
  it.each<[string, { rows: number; bytes: number }, number, boolean]>([
    ['with enough rows', { rows: 20_000, bytes: 0 }, 0, true],
    ['not with one less', { rows: 19_999, bytes: 0 }, 0, false],
    ['with enough bytes', { rows: 1, bytes: 2000 }, 0, true],
    ['not with one less', { rows: 1, bytes: 1999 }, 0, false],
    ['by its age', { rows: 1, bytes: 1 }, 500, true],
    ['not a moment before', { rows: 1, bytes: 1 }, 499, false],
  ])('%s', (_, waiting, age, due) => {
    expect(after().isDue(waiting, age)).toBe(due)
  })

  it.each<[string, readonly number[], number]>([
    ['with as many rows as a slow store takes in its time', [5], 5000],
    ['never with so few that inserts cost more than their rows', [0.1], 2000],
    ['never with more than the settings say', [1000], 20_000],
    ['with regard to the inserts before the latest one', [5, 15], 8000],
  ])('%s', (_, rates, rows) => {
    const size = after(...rates)
    expect([size.isDue({ rows: rows - 1, bytes: 0 }, 0), size.isDue({ rows, bytes: 0 }, 0)]).toEqual([false, true])
  })
})

describe('whether a partition is full', () => {
  it.each<[string, { rows: number; bytes: number }, number, boolean]>([
    ['while the batch is not full, however much is its own', { rows: 39_999, bytes: 2999 }, 2999, false],
    ['not with its share of rows in a full batch', { rows: 40_000, bytes: 200 }, 100, true],
    ['not with its share of bytes in a full batch', { rows: 1, bytes: 3000 }, 100, true],
    ['with less than its share in a full batch', { rows: 40_000, bytes: 3000 }, 99, false],
    ['not, share or no share, with two batches of rows', { rows: 80_000, bytes: 0 }, 0, true],
    ['not, share or no share, with two batches of bytes', { rows: 1, bytes: 6000 }, 0, true],
  ])('%s', (_, waiting, own, full) => {
    expect(after().isFull(waiting, own)).toBe(full)
  })

  it('a partition has a lower limit of rows if the store is slow', () => {
    expect(after(5).isFull({ rows: 5000, bytes: 0 }, 100)).toBe(true)
    expect(after(5).isFull({ rows: 4999, bytes: 0 }, 100)).toBe(false)
  })
})
