import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { rewriteFiles } from './rewrite-files.ts'
import { findDamage, findLeftovers } from './testing/catalog.ts'
import { startLoad } from './testing/load.ts'
import { createPeople } from './testing/people.ts'
import { type Run, startTrialDatabase, type TrialDatabase, uniqueWord } from './testing/trial-database.ts'

let database: TrialDatabase
const run: Run = (text, params) => database.run(text, params)

beforeAll(async () => {
  database = await startTrialDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() => database.empty())

/** 60 MB in the long run (`npm run soak`), and 24 MB otherwise. */
const count = Number(process.env.SOAK_ROUNDS ?? 0) > 0 ? 100_000 : 40_000

test('a large table is rewritten under writes: acknowledged writes exist once, waits are short, and removed values are gone', async () => {
  await createPeople(run, count)
  await run(`insert into trial.people (id, amount) select 'fixed-' || n, 1000 from generate_series(1, 100) n`)
  const planted = [uniqueWord(), uniqueWord()]
  await run('insert into trial.people (id, note, large) values ($1, $1, $2)', [
    planted[0],
    `${planted[1]}${randomBytes(20_000).toString('hex')}`,
  ])
  await run('insert into trial.people (id, note) select $1 || n, $1 from generate_series(1, 300) n', [planted[0]])
  await run('checkpoint')
  await run('delete from trial.people where note = $1', [planted[0]])
  const size = (await run(`select pg_total_relation_size('trial.people')::float / 1024 / 1024 as mb`)).rows[0]
    ?.mb as number
  const unchanged = `select count(*)::int as n, sum(hashtextextended(p::text, 0))::text as sum from trial.people p where id like 'old-%'`
  const was = (await run(unchanged)).rows
  const pool = new Pool({ connectionString: database.url, ssl: false, max: 16, application_name: 'tributary load' })
  const load = startLoad(pool, 6)
  await pause(500)
  const idle = Math.max(...load.waits)
  const steps: string[] = []
  const began = performance.now()
  const { left } = await rewriteFiles(database.options({ onStep: (step) => void steps.push(step) })).finally(
    async () => {
      await pause(500)
      await load.stop()
    },
  )
  const ms = performance.now() - began
  process.stdout.write(
    `${size.toFixed(0)} MB, ${load.waits.length} writes in ${ms.toFixed(0)} ms, longest ${Math.max(...load.waits).toFixed(0)} ms (before ${idle.toFixed(0)} ms), swap tries ${steps.filter((step) => step === 'closed').length}\n`,
  )
  await pool.end()
  expect(left).toEqual([])
  expect(steps).toContain('swapped')
  expect(load.faults).toEqual([])
  const { rows } = await run(
    `select id, amount, note, boss from trial.people where id like 'w%' order by id collate "C"`,
  )
  expect(rows).toEqual(
    [...load.acknowledged].map(([id, row]) => ({ id, ...row })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  expect((await run(unchanged)).rows).toEqual(was)
  expect(await findDamage(run, 'trial')).toEqual([])
  expect(await findLeftovers(run)).toEqual([])
  expect(Math.max(...load.waits)).toBeLessThan(1000)
  for (const value of planted) expect(await database.filesWith(value)).toEqual([])
}, 300_000)
