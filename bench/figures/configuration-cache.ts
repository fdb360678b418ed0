import { createDestinationCache } from '@tributary/configuration'
import { createSecretBox, newId, silentLogger } from '@tributary/kernel'
import { openRelational, type Relational } from '@tributary/storage'
import { startSharedPostgres, templateDatabase, withDatabase } from '@tributary/test-kit'
import { type Figure, median } from '../harness.ts'

const maxTimes = 3
const rounds = 31
const few = 10
const many = 10_000

const secretBox = createSecretBox(Buffer.alloc(32))

/** Creates a workspace with `count` destinations, each with a secret; returns their IDs. */
const fill = async ({ db }: Relational, count: number): Promise<string[]> => {
  const [organization, workspace] = [newId(), newId()]
  await db.insertInto('organizations').values({ id: organization, title: 'Bench' }).execute()
  await db.insertInto('workspaces').values({ id: workspace, organization_id: organization, title: 'Bench' }).execute()
  const ids = Array.from({ length: count }, () => newId())
  for (let from = 0; from < count; from += 1000)
    await db
      .insertInto('destinations')
      .values(
        ids.slice(from, from + 1000).map((id) => ({
          id,
          workspace_id: workspace,
          title: 'Receiver',
          app: 'webhook',
          settings: JSON.stringify({ url: 'https://receiver.example/hook' }),
          secrets_encrypted: secretBox.seal(JSON.stringify({ signing_secret: 'secret' }), `destinations/${id}/secrets`),
        })),
      )
      .execute()
  return ids
}

/**
 * Starts a cache of a database with `count` destinations. `change` changes one destination and returns the time in ms
 * until the cache has the change.
 */
const follow = async (url: string, count: number) => {
  const relational = openRelational({ url, logger: silentLogger, maxConnections: 4 })
  const ids = await fill(relational, count)
  const cache = createDestinationCache({ ...relational, secretBox, logger: silentLogger, pollMs: 3_600_000 })
  await cache.start()
  return {
    async change(round: number): Promise<number> {
      const id = ids[(round * 7) % count] ?? ''
      await relational.db
        .updateTable('destinations')
        .set({ title: `Round ${round}` })
        .where('id', '=', id)
        .execute()
      const began = performance.now()
      await cache.refresh()
      if (cache.get(id)?.title !== `Round ${round}`) throw new Error('The change was not seen')
      return performance.now() - began
    },
    async stop() {
      await cache.stop()
      await relational.close()
    },
  }
}

/**
 * Measures the cost of a change of one destination for a cache of all destinations. Caches with many and with few
 * destinations alternate.
 */
export const measureConfigurationCache = async (): Promise<Figure[]> => {
  await using postgres = await startSharedPostgres()
  await using admin = openRelational({
    url: withDatabase(postgres.url, 'postgres'),
    logger: silentLogger,
    maxConnections: 1,
  })
  const open = async (count: number) => {
    await admin.pool.query(`create database bench_${count} template ${templateDatabase}`)
    return follow(withDatabase(postgres.url, `bench_${count}`), count)
  }
  const [small, large] = [await open(few), await open(many)]
  const times: { small: number[]; large: number[] } = { small: [], large: [] }
  try {
    for (let round = 0; round < rounds; round++) {
      times.small.push(await small.change(round))
      times.large.push(await large.change(round))
    }
  } finally {
    await small.stop()
    await large.stop()
  }
  const ratio = median(times.large) / median(times.small)
  return [
    {
      figure: `a change is seen, ${many / 1000} thousand destinations`,
      target: `≤ ${maxTimes} × ${median(times.small).toFixed(1)} ms with ${few}`,
      measured: `${median(times.large).toFixed(1)} ms`,
      ratio,
      pass: ratio <= maxTimes,
    },
  ]
}
