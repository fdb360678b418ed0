import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import { createSupervisor } from '../../supervisor/supervisor.ts'
import { createClickHouseEventStore } from '../clickhouse.ts'
import { migrateEventStore } from '../migrate.ts'
import { systemOwner } from '../port.ts'
import { createChdbChild } from './child.ts'

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

/** Removes the last `count` lines of the deduplication log of events, as a power loss may do. */
const loseTokens = async (dataDir: string, count: number): Promise<void> => {
  for (const path of await readdir(dataDir, { recursive: true })) {
    if (!/store\/.*deduplication_log_\d+\.txt$/.test(path)) continue
    const lines = (await readFile(join(dataDir, path), 'utf8')).split('\n').filter((line) => line !== '')
    if (!lines.some((line) => line.split('\t')[1]?.startsWith('202609_'))) continue
    await writeFile(
      join(dataDir, path),
      lines
        .slice(0, -count)
        .map((line) => `${line}\n`)
        .join(''),
    )
  }
}

const rowsOf = (insert: number, days: readonly string[]): string[] =>
  days.flatMap((day) =>
    [1, 2, 3].map((row) => JSON.stringify({ event_id: `${insert}-${day}-${row}`, receive_time: `${day} 06:00:00` })),
  )

const [september, october] = ['2026-09-21', '2026-10-21']

describe('rows on disk without the token of their insert', () => {
  it.each([
    ['one insert', [[september], [september]], 1],
    ['two inserts', [[september], [september], [september]], 2],
    ['an insert into two months', [[september], [september, october]], 2],
    ['one of the two months of an insert', [[september], [september, october]], 1],
  ])(
    'rows on disk without the token of their insert are stored once when the insert is repeated: %s',
    async (_, inserts, lost) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'tributary-chdb-token-'))
      try {
        const all = inserts.map((days, index) => ({ rows: rowsOf(index, days), token: `token-${index}` }))
        {
          await using running = await openStore(dataDir)
          await migrateEventStore(running.store)
          // The engine must not merge parts while the test reads them.
          await running.store.command('system stop merges events')
          for (const { rows, token } of all) await running.store.insert('events', rows, { token })
        }
        await loseTokens(dataDir, lost)
        await using running = await openStore(dataDir)
        for (const { rows, token } of all) await running.store.insert('events', rows, { token })
        const stored = await running.store.query<{ event_id: string }>(
          'select event_id from events order by event_id',
          {},
          { owner: systemOwner, slot: 'heavy' },
        )
        const expected = all.flatMap(({ rows }) =>
          rows.map((row) => (JSON.parse(row) as { event_id: string }).event_id),
        )
        expect(stored.map(({ event_id }) => event_id)).toEqual(expected.toSorted())
      } finally {
        await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
      }
    },
    120_000,
  )
})
