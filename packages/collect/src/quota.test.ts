import { expect, test } from 'vitest'
import { createQuota, type Quota } from './admission.ts'

/** Accepts bytes of a workspace and places them at an offset, by default in partition 0. */
const accept = (quota: Quota, workspaceId: string, bytes: number, offset: number, partition = 0): boolean => {
  if (!quota.reserve(workspaceId, bytes)) return false
  quota.placed(workspaceId, bytes, { partition, offset })
  return true
}

test('a workspace can use exactly its share of the quota; unprocessed bytes of other workspaces do not count', () => {
  const quota = createQuota(() => 100)
  expect([quota.reserve('a', 60), quota.reserve('a', 60), quota.reserve('a', 1)]).toEqual([true, true, false])
  expect(quota.isFull('a')).toBe(true)
  expect(quota.reserve('b', 99)).toBe(true)
  expect(quota.isFull('b')).toBe(false)
})

test('the quota releases bytes that could not be written', () => {
  const quota = createQuota(() => 100)
  quota.reserve('a', 100)
  quota.release('a', 30)
  expect(quota.isFull('a')).toBe(false)
})

test('the quota releases the bytes before a position only in the partition of the position', () => {
  const quota = createQuota(() => 100)
  accept(quota, 'a', 100, 7)
  accept(quota, 'b', 100, 8, 1)
  quota.processed([7, 8])
  expect([quota.isFull('a'), quota.isFull('b')]).toEqual([true, true])
  quota.processed([8, 8])
  expect([quota.isFull('a'), quota.isFull('b')]).toEqual([false, true])
  quota.processed([8, 9])
  expect(quota.isFull('b')).toBe(false)
})

test('the quota releases bytes once if the same position is reported again, and none for a lower position', () => {
  const quota = createQuota(() => 100)
  accept(quota, 'a', 90, 0)
  quota.processed([0])
  accept(quota, 'a', 90, 5)
  for (const position of [1, 1, 0]) quota.processed([position])
  expect(accept(quota, 'a', 20, 6)).toBe(true)
  expect(quota.isFull('a')).toBe(true)
  quota.processed([7])
  expect(quota.isFull('a')).toBe(false)
})

test('the quota stores few entries for unprocessed bytes of many workspaces, and releases all bytes in the end', () => {
  const quota = createQuota(() => 100, 10)
  for (let offset = 0; offset < 1000; offset++) {
    expect(accept(quota, `w${offset}`, 100, offset)).toBe(true)
    quota.processed([0])
  }
  expect([quota.isFull('w0'), quota.isFull('w999')]).toEqual([true, true])
  quota.processed([1000])
  expect([quota.isFull('w0'), quota.isFull('w999')]).toEqual([false, false])
})

test.each([null, 7, 'text', [], {}, ['many'], [null], [-1]])(
  'the quota ignores a report with an invalid shape: %j',
  (report) => {
    const quota = createQuota(() => 10)
    accept(quota, 'a', 10, 0)
    quota.processed(report)
    expect(quota.isFull('a')).toBe(true)
  },
)

test('the quota shrinks as soon as more processes share it, and accepts nothing until there is room again', () => {
  let processes = 1
  const quota = createQuota(() => 100 / processes)
  expect(quota.reserve('w', 60)).toBe(true)
  quota.placed('w', 60, { partition: 0, offset: 0 })
  processes = 2
  expect([quota.reserve('w', 1), quota.isFull('w'), quota.isFull('x')]).toEqual([false, true, false])
  quota.processed([1])
  expect(quota.reserve('w', 50)).toBe(true)
  expect(quota.isFull('w')).toBe(true)
})
