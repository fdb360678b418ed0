import { expect, test } from 'vitest'
import { createProcessorShortage } from './processor-shortage.ts'

const ms = 1e6
const setUp = (names: readonly string[]) => {
  const times = new Map<number, string>()
  const threads = names.map((name, osThread) => ({ name, osThread }))
  let now = 0
  const shortage = createProcessorShortage({
    threads: () => threads,
    read: (osThread) => times.get(osThread) ?? '0 0 0',
    now: () => now,
  })
  return (at: number, ...each: [ran: number, waited: number][]): number => {
    now = at
    for (const [osThread, [ran, waited]] of each.entries()) times.set(osThread, `${ran * ms} ${waited * ms} 7\n`)
    return shortage()
  }
}

test('the thread that waited most counts, of those that always had work', () => {
  const at = setUp(['pipeline', 'delivery', 'main'])
  expect(at(0, [0, 0], [0, 0], [0, 0])).toBe(0)
  expect(at(100, [30, 65], [60, 40], [10, 90])).toBeCloseTo(0.65)
  expect(at(200, [125, 70], [90, 110], [10, 190])).toBeCloseTo(0.7)
})

test('threads of groups of partitions count', () => {
  const at = setUp(['pipeline 1/4', 'delivery 2/4', 'file'])
  at(0, [0, 0], [0, 0], [0, 0])
  expect(at(100, [60, 40], [50, 50], [0, 100])).toBeCloseTo(0.5)
})

test('a thread that rested lacks nothing', () => {
  const at = setUp(['pipeline', 'delivery'])
  at(0, [0, 0], [0, 0])
  expect(at(100, [20, 60], [1, 2])).toBe(0)
})

test('without such a thread, and where Linux says nothing, nothing lacks', () => {
  const none = setUp(['main', 'log-writer'])
  none(0, [0, 0], [0, 0])
  expect(none(100, [10, 90], [10, 90])).toBe(0)
  const shortage = createProcessorShortage({
    threads: () => [{ name: 'delivery', osThread: 1 }],
    read: () => {
      throw new Error('no such file')
    },
    now: () => 0,
  })
  expect(shortage()).toBe(0)
  expect(shortage()).toBe(0)
})

test('the times of this process can be read', () => {
  let now = 0
  const shortage = createProcessorShortage({
    threads: () => [{ name: 'pipeline', osThread: process.pid }],
    now: () => now,
  })
  shortage()
  now = 1e9
  expect(shortage()).toBe(0)
})
