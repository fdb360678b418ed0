import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { createTestDatabase } from '@tributary/test-kit'
import { expect, test, vi } from 'vitest'
import { openRelational, type Relational } from '../relational/open.ts'
import { type JobStore, jobsConformance, testKind } from './conformance.ts'
import { installJobs } from './pg-boss/install.ts'
import { openPgBossJobs } from './pg-boss/pg-boss-jobs.ts'
import type { JobKind, Jobs } from './port.ts'

const here = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))

const open = async (): Promise<JobStore & { url: string }> => {
  const store = await createTestDatabase()
  const pools: Relational[] = []
  const opened: Jobs[] = []
  return {
    db: store.db,
    url: store.url,
    async jobs(kinds: readonly JobKind[]) {
      const own = openRelational({ url: store.url, logger: silentLogger, maxConnections: 5 })
      pools.push(own)
      const jobs = await openPgBossJobs({
        pool: own.pool,
        kinds,
        logger: silentLogger,
        metrics: noMetrics,
        lookSeconds: 1,
        stopMs: 1000,
      })
      opened.push(jobs)
      return jobs
    },
    async takeAndDie(kind) {
      const program = `
        import { noMetrics, silentLogger } from ${here('../../../kernel/src/index.ts')}
        import { openRelational } from ${here('../relational/open.ts')}
        import { openPgBossJobs } from ${here('./pg-boss/pg-boss-jobs.ts')}
        const { pool } = openRelational({ url: ${JSON.stringify(store.url)}, logger: silentLogger })
        const kind = { name: ${JSON.stringify(kind)}, data: { parse: (data) => data }, retries: { most: 5, pauseSeconds: 1, maxPauseSeconds: 60 },
          leaseSeconds: 10, maxSeconds: 600, atOnce: 1, exclusive: false, keepSeconds: 3600 }
        const jobs = await openPgBossJobs({ pool, kinds: [kind], logger: silentLogger, metrics: noMetrics })
        await jobs.start()
        await jobs.work(kind, () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}) })`
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
      expect((await once(child, 'exit'))[1]).toBe('SIGKILL')
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((jobs) => jobs.stop()))
      await Promise.all(pools.map((pool) => pool.close()))
      await store.close()
    },
  }
}

jobsConformance('pg-boss', open)

test('processes that prepare the database concurrently do not conflict, and waiting jobs stay', async () => {
  await using store = await createTestDatabase()
  await store.pool.query('drop schema jobs cascade')
  await Promise.all([1, 2, 3].map(() => installJobs(store.pool)))
  const kind = testKind('stays')
  const jobs = await openPgBossJobs({ pool: store.pool, kinds: [kind], logger: silentLogger, metrics: noMetrics })
  await jobs.send(store.db, kind, { name: 'x' })
  await installJobs(store.pool)
  const ran: string[] = []
  await jobs.start()
  await jobs.work(kind, async ({ name }) => void ran.push(name))
  await expect.poll(() => ran).toEqual(['x'])
  await jobs.stop()
})

test('workers without jobs do not look themselves; the process looks for all of them with one statement', async () => {
  await using store = await createTestDatabase()
  await using own = openRelational({ url: store.url, logger: silentLogger })
  const statements: string[] = []
  const query = vi.spyOn(own.pool, 'query').mockImplementation(((text: string, values: unknown[]) => {
    statements.push(`${text} ${JSON.stringify(values)}`)
    return store.pool.query(text, values)
  }) as typeof own.pool.query)
  const kinds = ['one', 'two', 'three'].map((name) => testKind(name))
  const jobs = await openPgBossJobs({
    pool: own.pool,
    kinds,
    logger: silentLogger,
    metrics: noMetrics,
    lookSeconds: 1,
    stopMs: 1000,
  })
  await jobs.start()
  for (const kind of kinds) await jobs.work(kind, async () => {})
  const looks = (): number => statements.filter((text) => text.includes('as asked (name)')).length
  const fetches = (): number =>
    statements.filter((text) => /\bset\s+state = 'active'/i.test(text) && kinds.some(({ name }) => text.includes(name)))
      .length
  // Each worker looks when it starts.
  await expect.poll(looks, { timeout: 20_000 }).toBeGreaterThan(3)
  const before = { looks: looks(), fetches: fetches() }
  await expect.poll(looks, { timeout: 20_000 }).toBeGreaterThan(before.looks + 2)
  const fetched = fetches() - before.fetches
  await jobs.stop()
  query.mockRestore()
  expect(before.fetches).toBeGreaterThan(0)
  expect(fetched).toBe(0)
})

test('a worker continues after its connections were cut', async () => {
  await using store = await createTestDatabase()
  await using own = openRelational({ url: store.url, logger: silentLogger, applicationName: 'cut' })
  const kind = testKind('cut')
  const jobs = await openPgBossJobs({
    pool: own.pool,
    kinds: [kind],
    logger: silentLogger,
    metrics: noMetrics,
    lookSeconds: 1,
  })
  const ran: string[] = []
  await jobs.start()
  await jobs.work(kind, async ({ name }) => void ran.push(name))
  await store.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut'")
  await jobs.send(store.db, kind, { name: 'x' })
  await expect.poll(() => ran, { timeout: 20_000 }).toEqual(['x'])
  await jobs.stop()
})
