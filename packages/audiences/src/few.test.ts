import { audienceQuery } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { createTestDatabase } from '@tributary/test-kit'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileAudience } from './compile.ts'
import { profilesQuery } from './evaluate.ts'

const people = 3000
/** Profiles that have both events. */
const few = 20
const workspaceId = newId()

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
  const id = sql.raw(`(lpad(to_hex(n), 16, '0') || repeat('0', 16))::uuid`)
  const numbers = sql`generate_series(1, ${people}::integer) as n`
  await sql`
    insert into profiles (workspace_id, id, sequence, create_time)
    select ${workspaceId}::uuid, ${id}, n, now() from ${numbers}`.execute(database.db)
  await sql`
    insert into profile_identifiers (workspace_id, type, value, profile_id, sequence, create_time)
    select ${workspaceId}::uuid, 'user_id', n::text, ${id}, n, now() from ${numbers}`.execute(database.db)
  await sql`
    insert into profile_traits (workspace_id, identifier, name, value, time, event_id, source_id)
    select ${workspaceId}::uuid, n, 'plan', '"pro"', now(), n::text, ${workspaceId}::uuid from ${numbers}
    `.execute(database.db)
  await sql`analyze profiles, profile_identifiers, profile_traits`.execute(database.db)
})
afterAll(() => database?.close())

const event = (selectedEvent: string, value = 1) => ({
  id: `q${selectedEvent}`,
  type: 'event',
  selectedEvent,
  count: { operator: value === 0 ? 'exactly' : 'at_least', value },
})
const trait = {
  id: 'qtra',
  type: 'attribute',
  selectedAttributes: [{ id: 'trai', name: 'plan', operator: 'equals', value: 'pro' }],
}
const group = (operator: 'and' | 'or', ...queries: object[]) => ({
  operator,
  segments: queries.map((query, index) => ({ id: `seg${index}`, queries: [query] })),
})

type Plan = { 'Relation Name'?: string; 'Actual Loops': number; Plans?: Plan[] }

/** How often a plan reads a table. */
const readsOf = (plan: Plan, table: string): number =>
  (plan['Relation Name'] === table ? plan['Actual Loops'] : 0) +
  (plan.Plans ?? []).reduce((sum, part) => sum + readsOf(part, table), 0)

test.each([
  ['one event and a trait', { gaaa: group('and', event('aaa'), trait) }, few],
  ['one of two events, and a trait', { gaaa: group('or', event('aaa'), event('bbb')), gbbb: group('and', trait) }, few],
  ['a trait, and one of two events', { gbbb: group('and', trait), gaaa: group('or', event('aaa'), event('bbb')) }, few],
  ['an event without another, and a trait', { gaaa: group('and', event('aaa'), event('bbb', 0), trait) }, 0],
])('an audience of %s looks up traits only if a profile meets its event conditions', async (_, groups, members) => {
  const { events, profiles } = compileAudience(audienceQuery.parse({ groups }), {
    workspaceId,
    asOf: Date.now(),
    queryOf: () => undefined,
  })
  expect(events?.sets).toBeLessThanOrEqual(2)
  const numbers = Array.from({ length: few }, (__, index) => index + 1)
  const sets = {
    sizes: [few, few],
    chunks: [{ owners: `{${numbers.join(',')}}`, bits_0: `{${numbers.map(() => 3).join(',')}}` }],
  }
  const { sql: text, parameters } = profilesQuery(profiles, sets, { text: 'select id from members' })
  const found = await database.db.executeQuery(CompiledQuery.raw(text, [...parameters]))
  expect(found.rows).toHaveLength(members)
  const { rows } = await database.db.executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    CompiledQuery.raw(`explain (analyze, format json) ${text}`, [...parameters]) as CompiledQuery<{
      'QUERY PLAN': { Plan: Plan }[]
    }>,
  )
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  expect(plan === undefined ? undefined : readsOf(plan, 'profile_traits')).toBeLessThanOrEqual(few)
})
