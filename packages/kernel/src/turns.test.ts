import { expect, onTestFinished, test } from 'vitest'
import { beginPiece, mapInPieces, nextTurn, pieceMs } from './turns.ts'

/** A clock that each part of the work moves by the time that it takes. */
const workingClock = () => {
  let time = 0
  return { now: () => time, take: (ms: number) => void (time += ms) }
}

test('long work is interrupted after each piece, and keeps the order of its results', async () => {
  const clock = workingClock()
  const done: string[] = []
  const work = (name: string) => (item: number) => {
    clock.take(pieceMs / 2)
    done.push(name)
    return item * 10
  }
  const [first, second] = await Promise.all([
    mapInPieces([1, 2, 3, 4], work('a'), clock.now),
    mapInPieces([5, 6, 7], work('b'), clock.now),
  ])
  expect(first).toEqual([10, 20, 30, 40])
  expect(second).toEqual([50, 60, 70])
  expect(done.join('')).toBe('aabbaab')
})

test('callers are served one in each round of the event loop, in their order', async () => {
  let round = 0
  let counting = setImmediate(function count() {
    round++
    counting = setImmediate(count)
  })
  onTestFinished(() => clearImmediate(counting))
  const served: [string, number][] = []
  const call = async (name: string): Promise<void> => {
    await nextTurn()
    served.push([name, round])
  }
  await Promise.all(['a', 'b', 'c'].map(call))
  expect(served.map(([name]) => name)).toEqual(['a', 'b', 'c'])
  expect(new Set(served.map(([, at]) => at)).size).toBe(3)
})

/** Works for a time in ms. */
const workFor = (ms: number): void => {
  const { user, system } = process.threadCpuUsage()
  for (let used = 0; used < ms * 1000; ) {
    const now = process.threadCpuUsage()
    used = now.user + now.system - user - system
  }
}

test('long work that begins in the round of other long work does one part, and then waits', async () => {
  await nextTurn()
  const done: string[] = []
  const first = mapInPieces([1], () => workFor(2 * pieceMs))
  const second = mapInPieces(['a', 'b', 'c'], (item) => {
    workFor(2)
    done.push(item)
  })
  expect(done).toEqual(['a'])
  await Promise.all([first, second])
  expect(done).toEqual(['a', 'b', 'c'])
})

test('short work that begins in the round of long work is done at once', async () => {
  await nextTurn()
  const done: string[] = []
  const long = mapInPieces([1], () => workFor(2 * pieceMs))
  const short = mapInPieces(['a', 'b', 'c'], (item) => done.push(item))
  expect(done).toEqual(['a', 'b', 'c'])
  await Promise.all([long, short])
})

test('work that had to wait has the whole time in its turn, whatever ran before it', async () => {
  const isOver: boolean[] = []
  const work = async (): Promise<void> => {
    await nextTurn()
    const piece = beginPiece()
    workFor(pieceMs / 2)
    isOver.push(piece.isOver())
    workFor(pieceMs)
    isOver.push(piece.isOver())
  }
  await Promise.all([work(), work(), work()])
  expect(isOver).toEqual([false, true, false, true, false, true])
})

test('short work needs no turn', async () => {
  let turned = false
  setImmediate(() => {
    turned = true
  })
  await mapInPieces(
    [1, 2, 3],
    (item) => item,
    () => 0,
  )
  expect(turned).toBe(false)
  expect(beginPiece(() => 0).isOver()).toBe(false)
})

test('an error ends the work', async () => {
  const clock = workingClock()
  const seen: number[] = []
  const work = (item: number): void => {
    clock.take(pieceMs)
    seen.push(item)
    if (item === 2) throw new Error('bad item')
  }
  await expect(mapInPieces([1, 2, 3], work, clock.now)).rejects.toThrow('bad item')
  expect(seen).toEqual([1, 2])
})
