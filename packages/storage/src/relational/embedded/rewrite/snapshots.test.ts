import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../migrate.ts'
import { rewriteOnline } from './rewrite-online.ts'
import { findDamage, findLeftovers } from './testing/catalog.ts'
import { interruptRewrite } from './testing/interrupt-rewrite.ts'
import { createPeople } from './testing/people.ts'
import { type Run, startTrialDatabase, type TrialDatabase } from './testing/trial-database.ts'

let database: TrialDatabase
const run: Run = (text, params) => database.run(text, params)
const count = 100

beforeAll(async () => {
  database = await startTrialDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  await database.empty()
  await createPeople(run, count)
})

const openProductClient = async (): Promise<Client> => {
  const client = new Client({ connectionString: database.url, ssl: false, application_name: 'tributary trial' })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Waits until `number` connections wait for a lock on people, of this mode or any. */
const awaitWaiting = async (number: number, mode = '%'): Promise<void> => {
  const text = `select count(*)::int as n from pg_locks where not granted and relation = 'trial.people'::regclass and mode like $1`
  while ((await run(text, [mode])).rows[0]?.n < number) await pause(5)
}

/**
 * Rewrites people while `statement` waits for the table. The statement's snapshot is taken after a row was inserted,
 * and before the row is in the copy. The last change is committed while the statement waits.
 */
const rewriteBehind = async <Answer>(statement: () => Promise<Answer>): Promise<{ answer: Answer; tries: number }> => {
  const [inserter, updater] = [await database.openClient(), await database.openClient()]
  let answer: Promise<Answer> | undefined
  let tries = 0
  const changeLast = async (): Promise<void> => {
    await awaitWaiting(1, 'AccessExclusiveLock')
    await inserter.query('commit')
    answer = statement()
    answer.catch(() => {})
    await awaitWaiting(2)
    await updater.query('commit')
  }
  let changed: Promise<void> | undefined
  const hindrance = await rewriteOnline(
    'trial.people',
    database.options({
      maxClosedMs: 2000,
      async onStep(step) {
        if (step === 'closed') tries++
        if (step !== 'compared') return
        await inserter.query(`begin; insert into trial.people (id, amount) values ('new', 5)`)
        await updater.query(`begin; update trial.people set amount = amount + 1 where id = 'old-1'`)
        changed = changeLast()
      },
    }),
  )
  await changed
  await inserter.end()
  await updater.end()
  expect(hindrance).toBeUndefined()
  if (answer === undefined) throw new Error('the statement never waited')
  return { answer: await answer, tries }
}

const digest = 'select count(*)::int as n, sum(amount)::int as sum from trial.people'
const original = { n: count, sum: count * 10 }
/** The result of the statement with its waiting snapshot (`before`), and with a later one (`after`). */
const before = { n: count + 1, sum: count * 10 + 5 }
const after = { n: count + 1, sum: count * 10 + 6 }

/** Readers of the product: waiting statements take a new snapshot, so the swap does not wait for them. */
test.each<[string, (client: Client) => Promise<unknown>]>([
  ['a statement', async (client) => (await client.query(digest)).rows[0]],
  ['a prepared statement', async (client) => (await client.query({ name: 'digest', text: digest })).rows[0]],
])('a reader of the product that waits for the table sees every row at the first attempt: %s', async (_, read) => {
  const client = await openProductClient()
  await client.query({ name: 'digest', text: digest })
  expect(await rewriteBehind(() => read(client))).toEqual({ answer: after, tries: 1 })
  expect(await read(client)).toEqual(after)
  await client.end()
})

test('a writer of the product that waits for the table changes its row at the first attempt', async () => {
  const client = await openProductClient()
  const update = `update trial.people set amount = amount + 100 where id = 'old-1' returning amount`
  const { answer, tries } = await rewriteBehind(() => client.query(update))
  expect([answer.rows, tries]).toEqual([[{ amount: 111 }], 1])
  await client.end()
})

test('a transaction of the product that keeps its snapshot delays the swap, and sees every row', async () => {
  const client = await openProductClient()
  const { answer, tries } = await rewriteBehind(async () => {
    await client.query('start transaction isolation level repeatable read, read only')
    await client.query('select from trial.teams limit 1')
    const { rows } = await client.query(digest)
    await client.query('commit')
    return rows[0]
  })
  expect([answer, tries]).toEqual([before, 2])
  await client.end()
})

/**
 * Statements that an operator's tools may run. The catalog does not show whether they keep the snapshot with which they
 * wait.
 */
test.each<[string, (client: Client) => Promise<unknown>]>([
  [
    'a repeatable read by default',
    async (client) => {
      await client.query(`set default_transaction_isolation = 'repeatable read'`)
      return (await client.query(digest)).rows[0]
    },
  ],
  [
    'a serializable statement by default',
    async (client) => {
      await client.query('set default_transaction_isolation = serializable')
      return (await client.query(digest)).rows[0]
    },
  ],
  [
    'a repeatable read in one text',
    async (client) => {
      const answers: unknown = await client.query(`begin isolation level repeatable read; ${digest}; commit`)
      return (answers as { rows: unknown[] }[])[1]?.rows[0]
    },
  ],
  [
    'EXECUTE',
    async (client) => {
      await client.query(`prepare digest as ${digest}`)
      return (await client.query('execute digest')).rows[0]
    },
  ],
  [
    'a stable function',
    async (client) => {
      await client.query(`create function trial.digest() returns table (n integer, sum integer) language plpgsql stable
        as 'begin return query ${digest}; end'`)
      return (await client.query('select * from trial.digest()')).rows[0]
    },
  ],
  [
    'a cursor that is held',
    async (client) => {
      await client.query(`declare people cursor with hold for ${digest}`)
      return (await client.query('fetch all from people')).rows[0]
    },
  ],
  [
    'COPY',
    async (client) => ({
      ...before,
      n: (await client.query(`copy trial.people (id, amount) to '/dev/null'`)).rowCount,
    }),
  ],
])('a reader of another client that waits for the table sees every row: %s', async (_, read) => {
  const client = await database.openClient()
  const { answer, tries } = await rewriteBehind(() => read(client))
  // Some of them take a new snapshot after all, and see the last change.
  expect([before, after]).toContainEqual(answer)
  expect(tries).toBe(2)
  expect((await run(digest)).rows).toEqual([after])
  await client.end()
})

test.each(['repeatable read', 'serializable'])(
  'a writer that is %s and waits for the table changes its row or fails, but never misses the row',
  async (isolation) => {
    const client = await database.openClient()
    const update = async (id: string): Promise<unknown> => {
      await client.query(`begin isolation level ${isolation}`)
      await client.query('select from trial.teams limit 1')
      const changed = await client.query(`update trial.people set amount = amount + 100 where id = $1`, [id]).then(
        ({ rowCount }) => rowCount,
        (error: unknown) => (error as { code: string }).code,
      )
      await client.query('commit')
      return changed
    }
    expect((await rewriteBehind(() => update('new'))).answer).toBe(1)
    expect((await run(digest)).rows).toEqual([{ ...after, sum: after.sum + 100 }])
    await run(`delete from trial.people where id = 'new'`)
    // The last change is to this row.
    expect((await rewriteBehind(() => update('old-1'))).answer).toBe('40001')
    expect(await findDamage(run, 'trial')).toEqual([])
    await client.end()
  },
)

test.each(['repeatable read', 'serializable'])(
  'an open transaction that is %s delays the swap, then reads and writes every row',
  async (isolation) => {
    const client = await database.openClient()
    const reason = await interruptRewrite(database, 'compared', async () => {
      await client.query(`begin isolation level ${isolation}; select from trial.teams limit 1`)
    })
    expect(reason).toContain('keeps its snapshot')
    expect((await client.query(digest)).rows).toEqual([original])
    expect((await client.query('update trial.people set amount = amount + 1')).rowCount).toBe(count)
    await client.query('commit')
    await client.end()
    expect(await rewriteOnline('trial.people', database.options())).toBeUndefined()
    expect((await run(digest)).rows).toEqual([{ n: count, sum: count * 11 }])
  },
)

test('an open read committed transaction does not delay the swap', async () => {
  const client = await database.openClient()
  await client.query('begin; select from trial.teams limit 1')
  expect(await rewriteOnline('trial.people', database.options())).toBeUndefined()
  expect((await client.query(digest)).rows).toEqual([original])
  await client.query('commit')
  await client.end()
})

test('a cursor on the table delays the swap and continues to read, and changes are no longer logged', async () => {
  const client = await database.openClient()
  await client.query('begin; declare ids no scroll cursor for select id from trial.people order by id')
  const first = (await client.query('fetch 10 from ids')).rowCount
  const options = database.options({ maxClosedMs: 50, swapTries: 1 })
  await expect(rewriteOnline('trial.people', options)).rejects.toThrow('the next one removes it')
  expect(await findLeftovers(run)).toHaveLength(3)
  await run('update trial.people set amount = amount + 1')
  expect((await run('select from tributary_rewrite.log')).rows).toEqual([])
  expect([first, (await client.query('fetch all from ids')).rowCount]).toEqual([10, count - 10])
  await client.query('commit')
  await client.end()
  expect(await rewriteOnline('trial.people', database.options())).toBeUndefined()
  expect(await findLeftovers(run)).toEqual([])
  expect((await run(digest)).rows).toEqual([{ n: count, sum: count * 11 }])
})

test('a cursor WITH HOLD continues to read after the swap', async () => {
  const client = await database.openClient()
  await client.query('declare held cursor with hold for select id, large from trial.people')
  await client.query('fetch 10 from held')
  expect(await rewriteOnline('trial.people', database.options())).toBeUndefined()
  expect((await client.query('fetch all from held')).rowCount).toBe(count - 10)
  await client.end()
})

test('large values that change at each step are correct afterwards', async () => {
  await run(`update trial.people set large = repeat(md5(id), 300) where amount = 10`)
  let serial = 0
  const change = async (): Promise<void> => {
    const text = `update trial.people set large = repeat(md5(id || $1), 300) where id = 'old-' || $1::int`
    for (let turn = 0; turn < 3; turn++) await run(text, [String(++serial)])
    await run(`delete from trial.people where id = 'old-' || $1::int`, [String(++serial)])
    await run(`insert into trial.people (id, large) values ('new-' || $1, repeat(md5($1), 300))`, [String(serial)])
  }
  const all = `select id, md5(large) as large from trial.people order by id`
  let rows: unknown[] = []
  const onStep = async (step: string): Promise<void> => {
    if (!['prepared', 'copied', 'indexed', 'compared'].includes(step)) return
    await change()
    rows = (await run(all)).rows
  }
  expect(await rewriteOnline('trial.people', database.options({ onStep }))).toBeUndefined()
  expect(rows).toHaveLength(count)
  expect((await run(all)).rows).toEqual(rows)
  expect(await findDamage(run, 'trial')).toEqual([])
})

/** The product's source code by path, without connectors, which use databases of customers. */
const readSources = (): Map<string, string> => {
  const cwd = join(import.meta.dirname, '../../../../../..')
  const isOther = /(?:^|\/)(?:node_modules|dist|testing)(?:\/|$)|\.test\.ts$/
  const paths = globSync('{packages,apps}/**/*.ts', { cwd, exclude: (path) => isOther.test(path) })
  return new Map(paths.map((path) => [path, readFileSync(join(cwd, path), 'utf8')]))
}

test('the product keeps a snapshot only in read-only transactions', () => {
  const transactions = [...readSources()].flatMap(([path, text]) =>
    [...text.matchAll(/\.setIsolationLevel\('(?:repeatable read|serializable|snapshot)'\)[^\n]*\n?[^\n]*/g)].map(
      ([code]) => ({ path, onlyReads: code.includes(`.setAccessMode('read only')`) }),
    ),
  )
  expect(transactions.length).toBeGreaterThan(2)
  expect(transactions.filter(({ onlyReads }) => !onlyReads)).toEqual([])
})

test('no statement or function of the product reads with a snapshot from before its lock', async () => {
  const statement =
    /\bdeclare \w+ [\w ]*cursor\b|\bcopy [\w.]+ (?:\([^)]*\) )?(?:to|from) (?:'|stdout|stdin|program)|`\s*(?:prepare|execute) \w+/i
  expect([...readSources()].filter(([, text]) => statement.test(text)).map(([path]) => path)).toEqual([])
  await run('drop schema public cascade; create schema public')
  await migrate(database.store.db)
  // An SQL function with several statements keeps the snapshot of the first one.
  const { rows } = await run(
    `select proname from pg_proc p join pg_language l on l.oid = p.prolang where pronamespace = 'public'::regnamespace
      and (provolatile = 's' or lanname = 'sql' and provolatile = 'v' and prosrc ~ ';\\s*\\w')`,
  )
  expect(rows).toEqual([])
})
