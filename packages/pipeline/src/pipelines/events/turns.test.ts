import { describe, expect, it } from 'vitest'
import { createTurns, type TurnsDeps } from './read-loop.ts'

/** Partitions from 0 on; a turn takes at most `most` records of one. */
const world = (more: Partial<TurnsDeps> = {}, maxOffsets = 2) => {
  const next: number[] = [0, 0, 0]
  const served: number[] = []
  const ends = [0, 0, 0]
  const round = createTurns({
    nextOf: (partition) => next[partition] ?? 0,
    isFull: () => false,
    isRunning: () => true,
    async turn(partition, from) {
      served.push(partition)
      next[partition] = Math.min(from + maxOffsets, ends[partition] ?? 0)
      return true
    },
    ...more,
  })
  return {
    served,
    round: (...to: number[]) => {
      ends.splice(0, 3, ...to)
      return round(to)
    },
  }
}

describe('turns of partitions', () => {
  it('every partition with new records gets one turn in a round, even if another partition has a large backlog', async () => {
    const { round, served } = world()
    expect(await round(100, 0, 2)).toEqual({ backPressured: new Set(), more: true })
    expect(served).toEqual([0, 2])
  })

  it('a round begins after the partition that was served last', async () => {
    const { round, served } = world()
    await round(2, 2, 0)
    await round(4, 4, 4)
    expect(served).toEqual([0, 1, 2, 0, 1])
  })

  it('a round reports whether a partition has more records than its turn took', async () => {
    const { round } = world()
    expect((await round(2, 2, 2)).more).toBe(false)
    expect((await round(2, 5, 2)).more).toBe(true)
  })

  it('a partition under back-pressure is skipped and reported, and the other partitions get their turn', async () => {
    const { round, served } = world({ isFull: (partition) => partition === 1 })
    expect(await round(2, 2, 2)).toEqual({ backPressured: new Set([1]), more: false })
    expect(served).toEqual([0, 2])
    expect((await round(2, 0, 2)).backPressured).toEqual(new Set())
  })

  it('a partition from which nothing could be read does not count as served', async () => {
    const tried: number[] = []
    const { round } = world({
      async turn(partition) {
        tried.push(partition)
        return false
      },
    })
    expect(await round(2, 2, 2)).toEqual({ backPressured: new Set(), more: false })
    await round(2, 0, 0)
    expect(tried).toEqual([0, 1, 2, 0])
  })

  it('a round of turns ends when the pipeline ends', async () => {
    let turns = 0
    const { round, served } = world({ isRunning: () => turns++ < 2 })
    await round(2, 2, 2)
    expect(served).toEqual([0, 1])
  })
})
