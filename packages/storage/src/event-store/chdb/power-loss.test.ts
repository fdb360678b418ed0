import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { silentLogger } from '@tributary/kernel'
import { type Names, noteSyncs, skipsPowerLoss } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createSupervisor } from '../../supervisor/supervisor.ts'
import { createClickHouseEventStore } from '../clickhouse.ts'
import { systemOwner } from '../port.ts'
import { createChdbChild } from './child.ts'
import { idsOf, rowsOf, tokenOf } from './insert-rows.ts'

/** Number of rounds. Each one loses the power once, and continues with the remaining data. */
const rounds = Number(process.env.SOAK_ROUNDS ?? 2)
/**
 * In turns, names reach the disk as late and as early as they may. The engine syncs no folder above a part: it relies
 * on a journal.
 */
const namesOf = (round: number): Names => (round % 2 === 0 ? 'newest' : 'journal')

/** The acknowledged batches, and the events whose removal was acknowledged or is uncertain. */
type Answered = { next: number; removed: string[]; removing: string[] }

type Loss = { env: Record<string, string>; lose: () => void }

/** Inserts until `count` inserts are acknowledged, and then loses the power. */
const insertUntil = async (dir: string, first: number, count: number, { env, lose }: Loss): Promise<Answered> => {
  const script = fileURLToPath(new URL('./insert-process.ts', import.meta.url))
  const args = ['--disable-warning=ExperimentalWarning', script, dir, String(first)]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  const answered: Answered = { next: first, removed: [], removing: [] }
  let said = ''
  let lost = false
  for await (const chunk of child.stdout) {
    const lines = (said + String(chunk)).split('\n')
    said = lines.pop() ?? ''
    for (const line of lines) {
      const [what, which = ''] = line.split(' ')
      if (what === 'stored') answered.next = Number(which) + 1
      if (what === 'removing') answered.removing.push(which)
      if (what === 'removed') answered.removed.push(which)
    }
    if (lost || answered.next < first + count) continue
    lost = true
    // During an insert, an acknowledgement or a merge.
    await delay(Math.random() * 20)
    lose()
  }
  expect(lost).toBe(true)
  return answered
}

const openStore = async (dataDir: string) => {
  const { spec, ...child } = await createChdbChild({ dataDir, memoryBytes: 700 * 1024 ** 2 })
  const supervisor = createSupervisor({ logger: silentLogger })
  await supervisor.add(spec)
  const store = createClickHouseEventStore({ ...child, logger: silentLogger })
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      await supervisor.stop()
    },
  }
}

describe.skipIf(skipsPowerLoss())('after a loss of power', () => {
  test(
    'at random moments during inserts, merges and removals, the event store contains every insert once, including a repeated one',
    async () => {
      const root = await mkdtemp(join(tmpdir(), 'tributary-chdb-power-'))
      try {
        let dir = join(root, 'event-store')
        mkdirSync(dir)
        let next = 0
        const removed = new Set<string>()
        const removing = new Set<string>()
        for (let round = 0; round < rounds; round++) {
          using synced = noteSyncs(dir, namesOf(round))
          const left = join(root, `left-${round}`)
          const loss = { env: synced.env, lose: () => synced.losePower(left) }
          const answered = await insertUntil(dir, next, 60 + Math.floor(Math.random() * 40), loss)
          dir = left
          await using running = await openStore(dir)
          for (const id of answered.removed) removed.add(id)
          for (const id of answered.removing) removing.add(id)
          // The pipeline repeats unacknowledged inserts with the same tokens.
          for (let number = next; number < answered.next + 1; number++)
            await running.store.insert('events', rowsOf(number), { token: tokenOf(number) })
          next = answered.next + 1
          const stored = await running.store.query<{ event_id: string }>(
            'select event_id from events',
            {},
            { owner: systemOwner, slot: 'heavy' },
          )
          const expected = Array.from({ length: next }, (_, number) => idsOf(number)).flat()
          const counts = new Map<string, number>()
          for (const { event_id } of stored) counts.set(event_id, (counts.get(event_id) ?? 0) + 1)
          expect(expected.filter((id) => !counts.has(id) && !removing.has(id))).toEqual([])
          expect([...counts].filter(([id, count]) => count > 1 || removed.has(id))).toEqual([])
        }
      } finally {
        await rm(root, { recursive: true, force: true, maxRetries: 10 })
      }
    },
    180_000 + rounds * 60_000,
  )
})
