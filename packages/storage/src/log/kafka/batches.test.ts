import { NewerFormat } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { type BatchHead, decodeBatches, encodeBatch } from './batches.ts'

const read = (head: BatchHead & Record<string, unknown>) => {
  const stamp = { producerId: 1n, epoch: 0, sequence: 0 }
  const record = { key: 'k', meta: '{}', body: Buffer.from('x'), addressed: true }
  return decodeBatches(encodeBatch([record], { head, time: 1, stamp }))[0]
}

test('a record of a newer version with unknown fields is read without them, and one with an unknown format is rejected', () => {
  expect(read({ i: 'a', c: 1, unknown: true })?.records).toMatchObject([{ key: 'k', meta: '{}' }])
  const newer = read({ i: 'a', c: 1, v: 2 })
  expect(() => newer?.records).toThrow(NewerFormat)
  expect(() => newer?.head).toThrow(NewerFormat)
})
