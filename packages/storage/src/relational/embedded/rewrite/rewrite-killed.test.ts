import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../migrate.ts'
import { rewriteFiles } from './rewrite-files.ts'
import { type OnlineStep, onlineSteps, rewriteOnline } from './rewrite-online.ts'
import { describeSchema, differences, findDamage, findLeftovers } from './testing/catalog.ts'
import { interruptRewrite } from './testing/interrupt-rewrite.ts'
import { createPeople, readDigest } from './testing/people.ts'
import { type Run, startTrialDatabase, type TrialDatabase } from './testing/trial-database.ts'

let database: TrialDatabase
const run: Run = (text, params) => database.run(text, params)

beforeAll(async () => {
  database = await startTrialDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() => database.empty())

test.each(onlineSteps.slice(0, -1).map((step) => [step] as const))(
  'a signal after the step "%s" ends the rewrite, and leaves the table unchanged',
  async (step) => {
    await createPeople(run, 500)
    const rows = await readDigest(run)
    const controller = new AbortController()
    const onStep = (reached: OnlineStep): void => {
      if (reached === step) controller.abort(new Error('The process ends'))
    }
    // After the swap was sent, the table may be rewritten: both outcomes are complete.
    await rewriteOnline('trial.people', database.options({ onStep, signal: controller.signal })).catch(
      (error: unknown) => expect(String(error)).toContain('The process ends'),
    )
    expect(await findLeftovers(run)).toEqual([])
    expect(await readDigest(run)).toEqual(rows)
    expect(await findDamage(run, 'trial')).toEqual([])
  },
)

test.skipIf(!existsSync('/usr/bin/prlimit'))(
  'a full disk ends the rewrite, and leaves the table unchanged',
  async () => {
    await createPeople(run, 2000)
    await run('update trial.people set large = repeat(md5(id), 320)')
    const rows = await readDigest(run)
    const onStep = async (step: OnlineStep): Promise<void> => {
      if (step !== 'prepared') return
      const { rows: found } = await run(
        `select pid from pg_stat_activity where application_name = 'rewrite files: copy'`,
      )
      const pid = String(found[0]?.pid)
      const { uid, gid } = statSync(`/proc/${pid}`)
      // A file cannot grow above this size. The file of large values is larger; a file of the write-ahead log is not.
      execFileSync('prlimit', ['--pid', pid, `--fsize=${16 * 2 ** 20}`], { uid, gid })
    }
    const { left } = await rewriteFiles(database.options({ onStep }))
    expect(left.join()).toContain('trial.people')
    // The failing file is that of the copy's large values, or a temporary file of its sort.
    expect(left.join()).toMatch(/could not (?:extend|write to) file/)
    expect(await findLeftovers(run)).toEqual([])
    expect(await readDigest(run)).toEqual(rows)
    expect(await rewriteOnline('trial.people', database.options())).toBeUndefined()
    expect(await readDigest(run)).toEqual(rows)
  },
  120_000,
)

test('a failing trigger of the table ends only its own statement, and a role writes with its own rights', async () => {
  await createPeople(run, 100)
  await run(`create function trial.refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
    create trigger people_refuse after update on trial.people for each row when (new.amount = 13) execute function trial.refuse();
    create role trial_writer; grant usage on schema trial to trial_writer; grant select, update on trial.people to trial_writer`)
  const onStep = async (step: OnlineStep): Promise<void> => {
    if (!['prepared', 'copied', 'indexed', 'compared'].includes(step)) return
    await expect(run(`update trial.people set amount = 13 where id = 'old-1'`)).rejects.toThrow('refused')
    await run(`set role trial_writer; update trial.people set amount = amount + 10 where id = 'old-2'; reset role`)
  }
  expect(await rewriteOnline('trial.people', database.options({ onStep }))).toBeUndefined()
  const { rows } = await run(`select id, amount from trial.people where id in ('old-1', 'old-2') order by id`)
  expect(rows).toEqual([
    { id: 'old-1', amount: 10 },
    { id: 'old-2', amount: 50 },
  ])
  expect(await findDamage(run, 'trial')).toEqual([])
  await run('drop schema trial cascade; drop role trial_writer')
})

test('a rewrite is not reported as swapped if a migration removes the copy while the connection that locks the table ends', async () => {
  await createPeople(run, 100)
  const reason = await interruptRewrite(database, 'before swap', async () => {
    await run(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'rewrite files: swap'`,
    )
    await migrate(database.store.db, [])
  })
  expect(reason).toContain('tributary_rewrite')
})

test.each(onlineSteps.map((step) => [step] as const))(
  'after a crash of PostgreSQL at the step "%s" the table is complete, and the next rewrite finishes',
  async (step) => {
    await createPeople(run, 1000)
    const rows = await readDigest(run)
    let crashes = 0
    const onStep = async (reached: OnlineStep): Promise<void> => {
      if (reached !== step || crashes > 0) return
      crashes++
      const { rows: found } = await run(
        `select pid from pg_stat_activity where application_name = 'rewrite files: copy'`,
      )
      process.kill(found[0]?.pid, 'SIGKILL')
    }
    await rewriteOnline('trial.people', database.options({ onStep, swapTries: 3 })).catch(() => {})
    expect(crashes).toBe(1)
    await expect.poll(() => readDigest(run).catch(() => undefined), { timeout: 20_000 }).toEqual(rows)
    await run(`update trial.people set amount = amount + 1 where id = 'old-1'`)
    await run(`update trial.people set amount = amount - 1 where id = 'old-1'`)
    expect(await rewriteFiles(database.options())).toEqual({ left: [] })
    expect(await findLeftovers(run)).toEqual([])
    expect(await readDigest(run)).toEqual(rows)
    expect(await findDamage(run, 'trial')).toEqual([])
  },
)

describe.each(onlineSteps.map((step) => [step] as const))('ended after the step "%s"', (step: OnlineStep) => {
  test.each(['rewrite files: copy', 'rewrite files: swap'])(
    'after the end of connection "%s", the table is complete, writes continue, and the next rewrite finishes',
    async (name) => {
      await createPeople(run, 500)
      const [was, rows] = [await describeSchema(run, 'trial'), await readDigest(run)]
      let ended = 0
      const onStep = async (reached: OnlineStep): Promise<void> => {
        if (reached !== step || ended > 0) return
        ended++
        await run('select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1', [name])
      }
      await rewriteOnline('trial.people', database.options({ onStep, swapTries: 3 })).catch(() => {})
      expect(ended).toBe(1)
      expect(await readDigest(run)).toEqual(rows)
      await run(`insert into trial.people (id) values ('meanwhile')`)
      await run(`delete from trial.people where id = 'meanwhile'`)
      expect(await rewriteFiles(database.options())).toEqual({ left: [] })
      expect(await findLeftovers(run)).toEqual([])
      expect({ ...((await readDigest(run)) as object), number: '' }).toEqual({ ...(rows as object), number: '' })
      const names = (all: string[]) => all.filter((one) => !one.includes('last_value'))
      expect(differences(names(was), names(await describeSchema(run, 'trial')))).toEqual([])
      expect(await findDamage(run, 'trial')).toEqual([])
    },
  )
})
