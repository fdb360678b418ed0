import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Relational } from '../relational/open.ts'
import { JobGivenUp, type JobKind, type JobRun, type Jobs } from './port.ts'

/** A migrated database without other users, and functions to open its jobs. */
export type JobStore = AsyncDisposable & {
  db: Relational['db']
  /** Opens the jobs as one more process would, but does not start them. Abandoned jobs are looked for every second. */
  jobs(kinds: readonly JobKind[]): Promise<Jobs>
  /** Runs a process that takes a job of a kind and is killed while it runs. Resolves when the process is dead. */
  takeAndDie(kind: string): Promise<void>
}

/**
 * The contract of every adapter of `Jobs`. `open` creates a store that is disposed after each test. The tests run
 * concurrently, each in its own store, since they wait for pauses and leases.
 */
export const jobsConformance = (name: string, open: () => Promise<JobStore>): void => {
  describe.concurrent(`jobs conformance: ${name}`, () => {
    sendingTests(open)
    failureTests(open)
    lifeTests(open)
    scheduleTests(open)
  })
}

type Named = { name: string }

/** Creates a kind for a test. `takeAndDie` runs a kind by its name, with these values. */
export const testKind = (name: string, more: Partial<JobKind<Named>> = {}): JobKind<Named> => ({
  name,
  data: z.object({ name: z.string() }),
  retries: { most: 5, pauseSeconds: 1, maxPauseSeconds: 60 },
  leaseSeconds: 10,
  maxSeconds: 600,
  atOnce: 4,
  exclusive: false,
  keepSeconds: 3600,
  ...more,
})

/** Polls until the function returns a value. */
const until = async <T>(look: () => T | Promise<T>): Promise<Exclude<T, false | undefined | null>> => {
  for (let tries = 0; tries < 600; tries++) {
    const found = await look()
    if (found !== false && found !== undefined && found !== null) return found as Exclude<T, false | undefined | null>
    await pause(50)
  }
  throw new Error('it did not happen within half a minute')
}

/** A promise that a run waits for, and its resolver. */
const gate = () => Promise.withResolvers<void>()

const broken = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

const sendingTests = (open: () => Promise<JobStore>): void => {
  it('a job sent in a transaction runs with its data within two seconds of the commit, and not after a rollback', async () => {
    await using store = await open()
    const kind = testKind('sent')
    const [sender, worker] = [await store.jobs([kind]), await store.jobs([kind])]
    const ran: { name: string; attempt: number; at: number }[] = []
    await worker.start()
    await worker.work(kind, async ({ name }, { attempt }) => void ran.push({ name, attempt, at: performance.now() }))
    const undone = store.db.transaction().execute(async (tx) => {
      await sender.send(tx, kind, { name: 'undone' })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await store.db.transaction().execute(async (tx) => {
      await sender.send(tx, kind, { name: 'done' })
      expect(ran).toEqual([])
    })
    const committed = performance.now()
    await until(() => ran.length > 0)
    expect(ran).toMatchObject([{ name: 'done', attempt: 1 }])
    expect((ran[0]?.at ?? 0) - committed).toBeLessThan(2000)
    await worker.stop()
  })

  it('a job that is sent twice with the same ID exists once, even if it is done', async () => {
    await using store = await open()
    const kind = testKind('once')
    const jobs = await store.jobs([kind])
    const id = newId()
    expect(await jobs.send(store.db, kind, { name: 'first' }, { id })).toBe(id)
    expect(await jobs.send(store.db, kind, { name: 'second' }, { id })).toBeUndefined()
    const ran: string[] = []
    await jobs.start()
    await jobs.work(kind, async ({ name }) => void ran.push(name))
    await until(() => ran.length > 0)
    await jobs.send(store.db, kind, { name: 'third' }, { id })
    await jobs.send(store.db, kind, { name: 'last' })
    await until(() => ran.includes('last'))
    expect(ran).toEqual(['first', 'last'])
    await jobs.stop()
  })

  it('several processes together run each of many jobs once', async () => {
    await using store = await open()
    const kind = testKind('many')
    const sender = await store.jobs([kind])
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`)
    for (const name of names) await sender.send(store.db, kind, { name })
    const ran: string[] = []
    const workers = await Promise.all([1, 2, 3].map(() => store.jobs([kind])))
    for (const worker of workers) {
      await worker.start()
      await worker.work(kind, async ({ name }) => void ran.push(name))
    }
    await until(() => ran.length >= names.length)
    expect(ran.toSorted()).toEqual(names.toSorted())
    await Promise.all(workers.map((worker) => worker.stop()))
  })

  it('an exclusive kind has one waiting or running job per key over all processes; other keys do not wait', async () => {
    await using store = await open()
    const kind = testKind('exclusive', { exclusive: true })
    const workers = await Promise.all([1, 2].map(() => store.jobs([kind])))
    const [sender] = workers
    if (sender === undefined) throw new Error('there is one')
    const send = (name: string, key: string) => sender.send(store.db, kind, { name }, { key })
    expect(await send('a1', 'a')).toBeTypeOf('string')
    expect(await send('waits already', 'a')).toBeUndefined()
    const ends = gate()
    const ran: string[] = []
    for (const worker of workers) {
      await worker.start()
      await worker.work(kind, async ({ name }) => {
        ran.push(name)
        if (name === 'a1') await ends.promise
      })
    }
    await until(() => ran.includes('a1'))
    expect(await send('runs already', 'a')).toBeUndefined()
    await send('b1', 'b')
    await until(() => ran.includes('b1'))
    ends.resolve()
    await until(() => send('a2', 'a'))
    await until(() => ran.includes('a2'))
    expect(ran).toEqual(['a1', 'b1', 'a2'])
    await Promise.all(workers.map((worker) => worker.stop()))
  })
}

const failureTests = (open: () => Promise<JobStore>): void => {
  it('a failed job runs again after growing pauses, and counts as failed when its retries are used up', async () => {
    await using store = await open()
    const kind = testKind('fails', { retries: { most: 2, pauseSeconds: 1, maxPauseSeconds: 60 } })
    const jobs = await store.jobs([kind])
    const tries: { attempt: number; at: number }[] = []
    await jobs.start()
    await jobs.work(kind, async (_, { attempt }) => {
      tries.push({ attempt, at: performance.now() })
      throw new Error('not now')
    })
    await jobs.send(store.db, kind, { name: 'x' })
    await until(async () => (await jobs.counts(kind)).failed === 1)
    expect(tries.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    const [first = 0, second = 0, third = 0] = tries.map(({ at }) => at)
    expect(second - first).toBeGreaterThanOrEqual(990)
    expect(third - second).toBeGreaterThanOrEqual(1990)
    expect(third - first).toBeLessThan(15_000)
    expect(await jobs.counts(kind)).toEqual({ waiting: 0, running: 0, failed: 1 })
    await jobs.stop()
  })

  it('a job that gives up counts as failed and is not retried', async () => {
    await using store = await open()
    const kind = testKind('given-up')
    const jobs = await store.jobs([kind])
    const ran: string[] = []
    await jobs.start()
    await jobs.work(kind, async ({ name }) => {
      ran.push(name)
      throw new JobGivenUp('never')
    })
    await jobs.send(store.db, kind, { name: 'x' })
    await until(async () => (await jobs.counts(kind)).failed === 1)
    expect(ran).toEqual(['x'])
    await jobs.stop()
  })

  it('a job whose error text the database cannot store counts as failed, too', async () => {
    await using store = await open()
    const kind = testKind('odd-errors')
    const jobs = await store.jobs([kind])
    await jobs.start()
    const errors: Record<string, string> = {
      long: `${'x'.repeat(999)}🙂`,
      half: 'half a character \ud83d',
      zero: 'a zero \0',
    }
    await jobs.work(kind, async ({ name }) => {
      throw new JobGivenUp(errors[name])
    })
    for (const name of Object.keys(errors)) await jobs.send(store.db, kind, { name })
    await until(async () => (await jobs.counts(kind)).failed === 3)
    expect(await jobs.counts(kind)).toEqual({ waiting: 0, running: 0, failed: 3 })
    await jobs.stop()
  })

  it('a canceled job does not run; a running one is aborted and not retried', async () => {
    await using store = await open()
    const kind = testKind('canceled')
    const jobs = await store.jobs([kind])
    const cancel = async (id: string | undefined) => jobs.cancel(store.db, kind, id ?? '')
    await cancel(await jobs.send(store.db, kind, { name: 'waits' }))
    const ran: string[] = []
    await jobs.start()
    await jobs.work(kind, async ({ name }, { signal }) => {
      ran.push(name)
      if (name === 'runs') await broken(signal).finally(() => ran.push('broken off'))
    })
    const id = await jobs.send(store.db, kind, { name: 'runs' })
    await until(() => ran.includes('runs'))
    await cancel(id)
    await until(() => ran.includes('broken off'))
    await jobs.send(store.db, kind, { name: 'last' })
    await until(() => ran.includes('last'))
    expect(ran).toEqual(['runs', 'broken off', 'last'])
    // The counts are those of the last look, in which the last job may have waited.
    const settled = async () => {
      const counts = await jobs.counts(kind)
      return counts.running === 0 && counts.waiting === 0 && counts
    }
    expect(await until(settled)).toMatchObject({ failed: 0 })
    expect(ran).toEqual(['runs', 'broken off', 'last'])
    await jobs.stop()
  }, 30_000)
}

const lifeTests = (open: () => Promise<JobStore>): void => {
  it('a job of a killed process runs again after its lease; a job that takes longer than a lease does not', async () => {
    await using store = await open()
    const [abandoned, long] = [testKind('abandoned'), testKind('long')]
    const [here, other] = await Promise.all([1, 2].map(() => store.jobs([abandoned, long])))
    if (here === undefined || other === undefined) throw new Error('there are two')
    const ends = gate()
    const ran: string[] = []
    const runLong = async () => {
      ran.push('long')
      await ends.promise
    }
    await here.start()
    await here.work(long, runLong)
    await here.send(store.db, long, { name: 'x' })
    await until(() => ran.includes('long'))
    await here.send(store.db, abandoned, { name: 'x' })
    await store.takeAndDie(abandoned.name)
    await other.start()
    await other.work(long, runLong)
    const runs: JobRun[] = []
    await other.work(abandoned, async (_, run) => void runs.push(run))
    await until(() => runs.length > 0)
    expect(runs).toMatchObject([{ attempt: 2 }])
    expect(ran).toEqual(['long'])
    ends.resolve()
    await Promise.all([here.stop(), other.stop()])
  }, 60_000)

  it('a process that stops aborts its jobs and takes no new ones; another process runs them', async () => {
    await using store = await open()
    const kind = testKind('stopped')
    const [here, other] = [await store.jobs([kind]), await store.jobs([kind])]
    const ran: string[] = []
    await here.start()
    await here.work(kind, async ({ name }, { signal }) => {
      ran.push(`here ${name}`)
      await broken(signal)
    })
    await here.send(store.db, kind, { name: 'a' })
    await until(() => ran.length > 0)
    await here.stop()
    await here.send(store.db, kind, { name: 'b' })
    await other.start()
    await other.work(kind, async ({ name }) => void ran.push(`other ${name}`))
    await until(() => ran.includes('other a') && ran.includes('other b'))
    expect(ran.filter((each) => each.startsWith('here'))).toEqual(['here a'])
    await other.stop()
  }, 30_000)
}

const scheduleTests = (open: () => Promise<JobStore>): void => {
  it('a schedule uses its time zone and its latest data until it is removed', async () => {
    await using store = await open()
    const kind = testKind('scheduled', { exclusive: true })
    const jobs = await store.jobs([kind])
    const kolkata = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kolkata', timeStyle: 'short' })
    const [hour, minute] = kolkata.format(new Date()).split(':').map(Number)
    const cron = `${minute} ${hour} * * *`
    await jobs.schedule(kind, { name: 'elsewhere' }, { cron, timeZone: 'UTC', key: 'elsewhere' })
    await jobs.schedule(kind, { name: 'taken back' }, { cron, timeZone: 'Asia/Kolkata', key: 'back' })
    await jobs.unschedule(kind, 'back')
    await jobs.schedule(kind, { name: 'before' }, { cron, timeZone: 'UTC', key: 'now' })
    await jobs.schedule(kind, { name: 'now' }, { cron, timeZone: 'Asia/Kolkata', key: 'now' })
    const ran: string[] = []
    await jobs.start()
    await jobs.work(kind, async ({ name }) => void ran.push(name))
    await until(() => ran.length > 0)
    expect(ran).toEqual(['now'])
    await jobs.stop()
  }, 60_000)
}
