import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConsumerJournal, type FileJournal, openJournal } from '@tributary/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { batchAgain } from '../store.ts'
import { createCommitter } from './insert.ts'
import { microBatch } from './test-batches.ts'

let dir: string
let journal: FileJournal
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-commit-'))
  journal = openJournal({ file: join(dir, 'journal.sqlite') })
})
afterEach(async () => {
  journal.close()
  await rm(dir, { recursive: true, force: true })
})

const ranges = (token: string, from: number) => [{ partition: 0, from, to: from + 1, token }]

/** A batch of one record, whose range is in the journal. */
const begun = (token: string, offset: number) => {
  journal.begin(ranges(token, offset), [], 0)
  return batchAgain(token, ranges(token, offset), [microBatch(0, offset, ['a'], 100 - offset)], Promise.resolve())
}

const newCommitter = (commit: ConsumerJournal['commit'] = journal.commit) => {
  const reported = { commits: 0 }
  const committer = createCommitter({
    journal: { positions: journal.positions, commit },
    retryWrite: async (_, task) => {
      for (;;)
        try {
          return await task()
        } catch {}
    },
    onCommitted: () => void reported.commits++,
  })
  committer.begin()
  return { committer, reported }
}

describe('committing', () => {
  it('a position is committed only after a batch and all earlier ones are stored and delivered', async () => {
    const { committer } = newCommitter()
    for (const [token, offset] of [['a', 0] as const, ['b', 1] as const]) committer.track(begun(token, offset))
    const steps = [
      () => committer.stored('b'),
      () => committer.delivered('b'),
      () => committer.stored('a'),
      () => committer.delivered('a'),
    ]
    const positions: (number | undefined)[] = []
    for (const step of steps) {
      step()
      await committer.commit()
      positions.push(journal.positions().get(0))
    }
    expect(positions).toEqual([undefined, undefined, undefined, 2])
    expect(committer.positions()).toEqual(journal.positions())
    expect(journal.openRanges()).toEqual([])
  })

  it('committing reports each commit once, and then drops the batch', async () => {
    const { committer, reported } = newCommitter()
    const batches = [begun('a', 0), begun('b', 1)]
    for (const batch of batches) committer.track(batch)
    expect(committer.bytes()).toBe(batches.reduce((sum, { bytes }) => sum + bytes, 0))
    expect(committer.oldest()).toBe(99)
    for (const { token } of batches) {
      committer.stored(token)
      committer.delivered(token)
      await committer.commit()
    }
    expect(reported.commits).toBe(2)
    expect([committer.bytes(), committer.oldest(), committer.isIdle()]).toEqual([0, undefined, true])
  })

  it('committing retries until the journal is written, and advances no position before that', async () => {
    let failures = 0
    const seen: unknown[] = []
    const { committer } = newCommitter((positions) => {
      seen.push(committer.positions().get(0))
      if (failures++ < 2) throw new Error('disk full')
      journal.commit(positions)
    })
    committer.track(begun('a', 0))
    committer.stored('a')
    committer.delivered('a')
    await committer.commit()
    expect(seen).toEqual([undefined, undefined, undefined])
    expect(journal.positions()).toEqual(new Map([[0, 1]]))
  })

  it('committing runs one commit at a time, and includes batches that become ready during the commit', async () => {
    let second: Promise<void> | undefined
    const taken: number[] = []
    const { committer } = newCommitter((positions) => {
      taken.push(positions.get(0) ?? 0)
      if (second === undefined) {
        committer.stored('b')
        committer.delivered('b')
        second = committer.commit()
        expect(committer.isIdle()).toBe(false)
      }
      journal.commit(positions)
    })
    for (const [token, offset] of [['a', 0] as const, ['b', 1] as const]) committer.track(begun(token, offset))
    committer.stored('a')
    committer.delivered('a')
    await committer.commit()
    expect(taken).toEqual([1, 2])
    expect(committer.isIdle()).toBe(true)
  })

  it('committing starts with the positions of the journal', () => {
    journal.commit(new Map([[4, 17]]))
    expect(newCommitter().committer.positions()).toEqual(new Map([[4, 17]]))
  })
})
