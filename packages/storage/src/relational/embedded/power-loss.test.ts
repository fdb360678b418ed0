import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { silentLogger } from '@tributary/kernel'
import { type Names, noteSyncs, skipsPowerLoss } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createSupervisor } from '../../supervisor/supervisor.ts'
import { openRelational } from '../open.ts'
import { createEmbeddedPostgres } from './child.ts'

/**
 * Number of rounds. Each one loses the power once, and continues with the remaining data; in the first, PostgreSQL has
 * just created its folder.
 */
const rounds = Number(process.env.SOAK_ROUNDS ?? 2)
/**
 * In turns, names reach the disk as late and as early as they may. PostgreSQL does not sync the folder in which it
 * creates a table's file: it relies on a journal.
 */
const namesOf = (round: number): Names => (round % 2 === 0 ? 'journal' : 'newest')

type Loss = { env: Record<string, string>; lose: () => void }

/** Commits until there are `count` rows, and then loses the power. Returns the numbers of all committed rows. */
const commitUntil = async (dir: string, first: number, count: number, { env, lose }: Loss): Promise<number[]> => {
  const script = fileURLToPath(new URL('./commit-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dir, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  let said = ''
  let lost = false
  for await (const chunk of child.stdout) {
    said += String(chunk)
    if (lost || said.split('\n').length <= count) continue
    lost = true
    lose()
  }
  expect(lost).toBe(true)
  return said
    .split('\n')
    .slice(0, -1)
    .map((line) => Number(line.split(' ')[1]))
}

describe.skipIf(skipsPowerLoss())('after a loss of power', () => {
  test(
    'after a power loss at random moments under load, PostgreSQL starts and contains every committed row',
    async () => {
      const root = await mkdtemp(join(tmpdir(), 'tributary-postgres-power-'))
      try {
        let folder = join(root, 'data')
        mkdirSync(folder)
        const committed: number[] = []
        for (let round = 0; round < rounds; round++) {
          using synced = noteSyncs(folder, namesOf(round))
          const count = 150 + Math.floor(Math.random() * 300)
          const first = Math.max(-1, ...committed) + 100
          const left = join(root, `left-${round}`)
          const loss = { env: synced.env, lose: () => synced.losePower(left) }
          committed.push(...(await commitUntil(join(folder, 'postgres'), first, count, loss)))
          folder = left
          const { spec, url } = await createEmbeddedPostgres({ dir: join(folder, 'postgres'), logger: silentLogger })
          const supervisor = createSupervisor({ logger: silentLogger })
          await supervisor.add(spec)
          const { pool, close } = openRelational({ url, logger: silentLogger })
          const { rows } = await pool.query<{ id: string; text: string }>('select id, text from kept')
          await close()
          await supervisor.stop()
          const kept = new Map(rows.map(({ id, text }) => [Number(id), text]))
          expect(committed.filter((id) => kept.get(id) !== `row ${id} `.repeat(50))).toEqual([])
        }
      } finally {
        await rm(root, { recursive: true, force: true, maxRetries: 10 })
      }
    },
    180_000 + rounds * 30_000,
  )
})
