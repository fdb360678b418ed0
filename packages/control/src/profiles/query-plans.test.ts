import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPersonIdentifiers, readPersonTraits } from '../profile-api/read-person.ts'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

/**
 * The number of profiles, each with two identifiers and three traits, and the number in the statistics of PostgreSQL.
 */
const profiles = 2000
const claimedProfiles = 200_000

/** A statement as it went to the database. */
type Statement = { text: string; values: readonly unknown[] }
type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Total Cost': number
  Plans?: readonly Plan[]
}

let harness: Harness
let organization: Organization
const asked: Statement[] = []

/** Records the queries through connections of the pool. */
const follow = (): void => {
  const followed = new WeakSet()
  harness.database.pool.on('acquire', (client) => {
    if (followed.has(client)) return
    followed.add(client)
    const query = new Proxy(client.query, {
      apply(target, _, args: [string | Statement, (readonly unknown[])?]) {
        const [given, values] = args
        asked.push(typeof given === 'string' ? { text: given, values: values ?? [] } : given)
        return Reflect.apply(target, client, args)
      },
    })
    Object.assign(client, { query })
  })
}

beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  const { pool } = harness.database
  const workspace = organization.workspaceId
  await pool.query('insert into identity_ledgers (workspace_id) values ($1)', [workspace])
  const fill = [
    `insert into profiles (workspace_id, id, sequence, create_time)
     select $1, md5('p' || n)::uuid, n, now() from generate_series(1, ${profiles}) as n`,
    `insert into profile_identifiers (workspace_id, type, value, profile_id, sequence, create_time)
     select $1, kind, kind || n, md5('p' || n)::uuid, n + at * ${profiles}, now()
     from generate_series(1, ${profiles}) as n cross join (values ('user_id', 0), ('anonymous_id', 1)) as k (kind, at)`,
    `insert into identity_operations (workspace_id, sequence, kind, profile_id, type, value, time)
     select workspace_id, sequence, case when type = 'user_id' then 'create' else 'link' end, profile_id, type, value, create_time
     from profile_identifiers where workspace_id = $1`,
    `insert into profile_trait_sets (workspace_id, identifier, id, time, event_id, source_id)
     select $1, n, md5('s')::uuid, now(), '0-' || n || '-0', $1 from generate_series(1, ${profiles}) as n`,
    `insert into profile_traits (workspace_id, identifier, name, value, set_id, time, event_id, source_id)
     select $1, n, name, '"' || name || case name when 'plan' then '' else n::text end || '"', md5('s')::uuid, now(), '0-1-0', $1
     from generate_series(1, ${profiles}) as n cross join (values ('email'), ('name'), ('plan')) as k (name)`,
    // One has a trait by both identifiers.
    `insert into profile_traits (workspace_id, identifier, name, value, time, event_id, source_id)
     select $1, 9 + ${profiles}, 'plan', '"free"', now(), '0-0-0', $1`,
    // None of these users occurs in the queries of the test.
    `insert into privacy_hashes (workspace_id, hash, type, identifier, suppress_time, request_id)
     select $1, md5('h' || n), 'user_id', n, now(), $1 from generate_series(${profiles / 2}, ${profiles}) as n`,
  ]
  for (const statement of fill) await pool.query(statement, [workspace])
  await pool.query('analyze')
  await pool.query(
    `select pg_restore_relation_stats('schemaname', 'public', 'relname', c.relname::text,
       'relpages', c.relpages, 'reltuples', (c.reltuples * ${claimedProfiles / profiles})::real)
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and c.relpages > 0
       and (c.relname like 'profile%' or c.relname like 'identity%' or c.relname like 'privacy%')`,
  )
  follow()
})
afterAll(() => harness[Symbol.asyncDispose]())

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/**
 * The cost of a statement by PostgreSQL's own estimate (reading a row is 0.01), and the tables that it scans
 * completely.
 */
const explain = async (statement: Statement, generic: boolean): Promise<{ cost: number; whole: string[] }> => {
  const { rows } = generic
    ? await harness.database.pool.query(`explain (generic_plan, format json) ${statement.text}`)
    : await harness.database.pool.query(`explain (format json) ${statement.text}`, [...statement.values])
  const plan: Plan = rows[0]['QUERY PLAN'][0].Plan
  const whole = nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan')
  return { cost: plan['Total Cost'], whole: whole.map((node) => node['Relation Name'] ?? '') }
}

const isOfProfiles = ({ text }: Statement): boolean =>
  /\b(profiles|profile_\w+|current_traits|identity_operations)\b/.test(text)

const list = (query: object) =>
  organization.guest.ok(methods.profiles.list, { workspace: organization.workspaceId }, { query })

const cases: readonly [string, () => Promise<unknown>, boolean][] = [
  ['the list of profiles', () => list({}), false],
  ['a search by an identifier', () => list({ search: 'user_id7' }), true],
  ['a search by a trait that one profile has', () => list({ search: 'email7' }), true],
  [
    'the page of a profile',
    async () => {
      const [{ name } = { name: '' }] = (await list({})).profiles
      asked.length = 0
      return organization.guest.ok(methods.profiles.get, { workspace: organization.workspaceId, profile: idIn(name) })
    },
    true,
  ],
  [
    'the history of a trait',
    async () => {
      const [{ name } = { name: '' }] = (await list({})).profiles
      asked.length = 0
      const params = { workspace: organization.workspaceId, profile: idIn(name) }
      return organization.guest.ok(methods.profiles.getTraitHistory, params, { query: { trait: 'plan' } })
    },
    false,
  ],
  ...['user_id', 'anonymous_id'].flatMap((type) =>
    [readPersonTraits, readPersonIdentifiers].map((read): (typeof cases)[number] => [
      `the Profile API (${read.name} by ${type})`,
      () => read(harness.database.pool, organization.workspaceId, { type, value: `${type}7` }, null),
      true,
    ]),
  ),
  [
    'the Profile API of who has a trait by two identifiers',
    () =>
      readPersonTraits(harness.database.pool, organization.workspaceId, { type: 'user_id', value: 'user_id9' }, null),
    true,
  ],
]

test.each(cases)('%s looks up its rows in 200,000 profiles by indexes', async (_, ask, isPrepared) => {
  asked.length = 0
  await ask()
  const statements = asked.filter(isOfProfiles)
  expect(statements).not.toEqual([])
  for (const statement of statements)
    for (const generic of isPrepared ? [false, true] : [false]) {
      const { cost, whole } = await explain(statement, generic)
      expect(whole, statement.text).toEqual([])
      // To look at one column of all profiles costs at least 2,000; a page of the list with the traits of its titles 1,200.
      expect(cost, statement.text).toBeLessThan(1600)
    }
})
