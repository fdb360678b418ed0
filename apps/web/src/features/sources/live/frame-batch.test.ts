// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFrameBatch } from './frame-batch.ts'

let frames: { id: number; run: () => void }[] = []
let last = 0
/** Simulates an animation frame. */
const draw = (): void => frames.shift()?.run()

beforeEach(() => {
  frames = []
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => {
    frames.push({ id: ++last, run })
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (id: number) => {
    frames = frames.filter((frame) => frame.id !== id)
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('items of one frame are passed on together and in order', () => {
  const batches: (readonly number[])[] = []
  const batch = createFrameBatch<number>((items) => batches.push(items))
  for (const item of [1, 2, 3]) batch.add(item)
  expect([batches.length, frames.length]).toEqual([0, 1])
  draw()
  batch.add(4)
  draw()
  expect(batches).toEqual([[1, 2, 3], [4]])
})

test('without frames, at most a hundred items wait, and on a hidden page no item waits', () => {
  const sizes: number[] = []
  const batch = createFrameBatch<number>((items) => sizes.push(items.length))
  for (let item = 0; item < 250; item++) batch.add(item)
  expect(sizes).toEqual([100, 100])
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  batch.add(250)
  expect(sizes).toEqual([100, 100, 51])
})

test('after stop, no item is passed on', () => {
  const onBatch = vi.fn()
  const batch = createFrameBatch<number>(onBatch)
  batch.add(1)
  batch.stop()
  draw()
  expect(onBatch).not.toHaveBeenCalled()
})
