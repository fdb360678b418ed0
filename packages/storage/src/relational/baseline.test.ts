import { randomUUID } from 'node:crypto'
import { silentLogger } from '@tributary/kernel'
import { becomeEarlierDatabase, createTestDatabase } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SchemaTooNew } from './applied-schemas.ts'
import { earlierMigrations } from './baseline.ts'
import { describeSchema, hashesOf } from './describe-schema.ts'
import {
  knownSchemas,
  migrate,
  requireMigratable,
  requireNoEarlierVersion,
  requireSchema,
  SchemaNotReady,
} from './migrate.ts'
import { baselineName, baselineTables } from './migrations/0200-baseline/baseline.ts'
import { migrations } from './migrations/index.ts'
import type { Relational } from './open.ts'
import { announceProcess } from './process-schemas.ts'

const at = { patienceMs: 0 }
const commit = 'version 0.1 of commit 8f80beb3'

let store: Relational
beforeEach(async () => {
  store = await createTestDatabase()
})
afterEach(() => store.close())

/** The whole database, with all rows and the record of its version. */
const everything = () => describeSchema(store.pool)
/** The same, without the record of the version. */
const tables = () => describeSchema(store.pool, { withoutRows: ['schema_migrations'] })
const recorded = async (): Promise<unknown[]> =>
  (await store.pool.query(`select name, oldest from schema_migrations where name like '02%'`)).rows
const emptyDatabase = () => store.pool.query('drop schema public cascade; create schema public')
const addUser = () =>
  store.db.insertInto('users').values({ id: randomUUID(), email: 'ada@example.com', is_admin: true }).execute()

describe('the baseline', () => {
  it('the baseline of the database creates the schema of the release: any change needs a new migration', async () => {
    await emptyDatabase()
    expect(await migrate(store.db, migrations.slice(0, 1))).toEqual([baselineName])
    const described = await tables()
    expect(baselineTables.filter((name) => !described.has(`table ${name}`))).toEqual([])
    await expect(`${JSON.stringify(hashesOf(described), null, 2)}\n`).toMatchFileSnapshot('baseline.hashes.json')
  })

  it('the baseline brings a database of the last commit of version 0.1 to the same schema, and keeps its rows', async () => {
    await addUser()
    const made = await tables()
    expect(made.get('table users')?.get('row 0')).toContain('ada@example.com')
    await becomeEarlierDatabase(store)
    const names = [...(await tables()).keys()].flatMap((name) => /^table (.*)$/.exec(name)?.slice(1) ?? [])
    const earlier = await describeSchema(store.pool, { withoutRows: names })
    await expect(`${JSON.stringify(hashesOf(earlier), null, 2)}\n`).toMatchFileSnapshot('earlier.hashes.json')
    await requireMigratable(store.db)
    expect(await migrate(store.db, migrations.slice(0, 1))).toEqual([baselineName])
    expect(await recorded()).toEqual([{ name: baselineName, oldest: baselineName }])
    // Later migrations add the rest of this version.
    await migrate(store.db)
    expect(await tables()).toEqual(made)
    await requireSchema(store.db)
  })

  it('the baseline is recorded once if several processes start together', async () => {
    await becomeEarlierDatabase(store)
    const applied = await Promise.all([1, 2, 3].map(() => migrate(store.db, migrations.slice(0, 1))))
    expect(applied.flat()).toEqual([baselineName])
  })

  const refused: [string, () => Promise<unknown>, string][] = [
    [
      'without the last migration of version 0.1',
      () => becomeEarlierDatabase(store, { without: ['0097-overtaken-workspaces'] }),
      `1 of the ${earlierMigrations.length} migrations of version 0.1 are missing (the last one is 0097-overtaken-workspaces)`,
    ],
    [
      'of a version before processes were announced',
      async () => {
        await becomeEarlierDatabase(store, { without: earlierMigrations.filter((name) => name > '0094') })
        await store.pool.query('alter table schema_migrations drop column oldest; drop table process_schemas')
      },
      '4 of the',
    ],
    [
      'with a migration that no release had',
      async () => {
        await becomeEarlierDatabase(store)
        await store.pool.query(`insert into schema_migrations (name) values ('0098-trial')`)
      },
      'it has migrations that no release had (0098-trial)',
    ],
    [
      'with tables and no record',
      () => store.pool.query('drop table schema_migrations'),
      'it has tables such as directory_version, directory_changes, users, and no record of their version',
    ],
  ]
  it.each(refused)(
    'a database %s is rejected unchanged, with the commit that can migrate it',
    async (_, make, found) => {
      await addUser()
      await make()
      const before = await everything()
      await expect(migrate(store.db, migrations, at)).rejects.toThrow(found)
      await expect(migrate(store.db, migrations, at)).rejects.toThrow(commit)
      await expect(requireMigratable(store.db)).rejects.toThrow(commit)
      expect(await everything()).toEqual(before)
    },
  )

  it('a database of version 0.1 is rejected by every process except the start of the product, which migrates it', async () => {
    await becomeEarlierDatabase(store)
    await expect(requireNoEarlierVersion(store.db)).rejects.toThrow(SchemaNotReady)
    await expect(requireSchema(store.db)).rejects.toThrow(SchemaNotReady)
    await migrate(store.db)
    await requireNoEarlierVersion(store.db)
    await emptyDatabase()
    await requireNoEarlierVersion(store.db)
  })

  it('the baseline is not recorded while a process of version 0.1 runs; afterwards none can start or continue', async () => {
    await becomeEarlierDatabase(store)
    const run = (version: string, knows: ReadonlySet<string>) =>
      announceProcess({
        pool: store.pool,
        id: randomUUID(),
        host: 'shop-1',
        version,
        roles: ['collect'],
        knows,
        onTooOld: () => {},
        logger: silentLogger,
      })
    const runEarlier = () => run('0.1.0', new Set(earlierMigrations))
    const earlier = await runEarlier()
    const words =
      'collect on shop-1, version 0.1.0). This version works beside none of version 0.1: stop all processes first'
    await expect(requireMigratable(store.db)).rejects.toThrow(words)
    await expect(migrate(store.db, migrations, at)).rejects.toThrow(words)
    expect(await recorded()).toEqual([])
    await earlier.check()
    await earlier.stop()
    await migrate(store.db, migrations, at)
    // The same for a process that was paused for so long that it no longer counts as running.
    await expect(earlier.check()).rejects.toThrow(SchemaTooNew)
    await expect(runEarlier()).rejects.toThrow(`newer version of Tributary (${baselineName})`)
    const next = await run('0.2.0', knownSchemas())
    await next.check()
    await next.stop()
  })
})
