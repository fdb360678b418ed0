import { createTestDatabase } from '@tributary/test-kit'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { prepared } from './prepared.ts'

test('a connection prepares a named statement once, whatever its parameters, and does not prepare an unnamed one', async () => {
  await using store = await createTestDatabase()
  await store.db.connection().execute(async (db) => {
    for (const value of [1, 2])
      expect((await sql<{ n: number }>`${prepared('a-number')}select ${value}::integer as n`.execute(db)).rows).toEqual(
        [{ n: value }],
      )
    await sql`select ${3}::integer`.execute(db)
    const { rows } = await sql<{ name: string; times: string }>`
      select name, generic_plans + custom_plans as times from pg_prepared_statements`.execute(db)
    expect(rows).toEqual([{ name: 'a-number', times: '2' }])
  })
})
