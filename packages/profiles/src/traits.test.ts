import { newId, noMetrics } from '@tributary/kernel'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLearning } from './index.ts'
import { createRandom } from './testing/people.ts'
import { earlierKept } from './trait-changes.ts'

const sourceId = newId()
let database: TestDatabase
let workspace: string
let learning: ReturnType<typeof createLearning>

beforeEach(async () => {
  database = await createTestDatabase()
  learning = createLearning({ db: database.db, metrics: noMetrics })
  const organization = newId()
  workspace = newId()
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  await database.db
    .insertInto('workspaces')
    .values({ id: workspace, organization_id: organization, title: 'W' })
    .execute()
})
afterEach(() => database.close())

type Call = { userId: string; number: number; time: string; traits: Readonly<Record<string, unknown>> }

const eventIdOf = (number: number): string => `0-${String(number).padStart(6, '0')}-0`
const timeOf = (second: number): string => new Date(1_767_225_600_000 + second * 1000).toISOString()

const learn = (calls: readonly Call[]): Promise<void> =>
  learning(
    calls.map(({ userId, number, time, traits }) => {
      const event = { eventId: eventIdOf(number), type: 'identify', userId, traits, context: {} }
      const json = JSON.stringify({ ...event, receivedAt: timeOf(100_000), timestamp: time })
      return { workspaceId: workspace, sourceId, eventId: event.eventId, json }
    }),
  )

type Trait = { value: string; time: string; event_id: string }
const lastOf = ({ value, time, event_id }: Trait): Trait => ({ value, time, event_id })
type Kept = Record<string, Trait & { earlier: Trait[] }>

/** Returns every stored trait, by user and name. */
const kept = async (): Promise<Kept> => {
  const { rows } = await database.pool.query<
    Trait & { user_id: string; name: string; at: Date; earlier: (Trait & { source_id: string })[] }
  >(`select i.value as user_id, t.name, t.value, t.time as at, t.event_id, t.earlier
     from current_traits t join profile_identifiers i on i.workspace_id = t.workspace_id and i.sequence = t.identifier`)
  return Object.fromEntries(
    rows.map(({ user_id, name, value, at, event_id, earlier }) => [
      `${user_id} ${name}`,
      { value, time: at.toISOString(), event_id, earlier: earlier.map(lastOf) },
    ]),
  )
}

/** Returns the expected traits, by applying the calls one by one. */
const evaluate = (calls: readonly Call[]): Kept => {
  const result: Kept = {}
  for (const { userId, number, time, traits } of calls)
    for (const [name, given] of Object.entries(traits)) {
      const next = { value: JSON.stringify(given), time, event_id: eventIdOf(number) }
      const before = result[`${userId} ${name}`]
      if (before !== undefined && `${before.time} ${before.event_id}` >= `${time} ${next.event_id}`) continue
      const { earlier = [], ...last } = before ?? {}
      const changes = before !== undefined && before.value !== next.value ? [last as Trait, ...earlier] : earlier
      result[`${userId} ${name}`] = { ...next, earlier: changes.slice(0, earlierKept) }
    }
  return result
}

const randomCalls = (random: (below: number) => number, count: number): Call[] => {
  const forms = [['plan'], ['plan', 'seats'], ['seats', 'plan', 'city'], ['city'], ['plan', 'seats', 'city', 'role']]
  return Array.from({ length: count }, (_, number) => {
    const names = forms[random(forms.length)] ?? []
    return {
      userId: `u${random(3)}`,
      number,
      // Some calls are late, and some have the same time.
      time: timeOf(random(3) === 0 ? random(count) : number >> 1),
      traits: Object.fromEntries(names.map((name) => [name, random(4) === 0 ? random(3) : 0])),
    }
  })
}

describe('traits', () => {
  test('traits are the same as from applying the events one by one, in any batches and with any repetitions', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = createRandom(seed)
      const calls = randomCalls(random, 50).map((call) => ({ ...call, userId: `${call.userId}-${seed}` }))
      for (let at = 0; at < calls.length; ) {
        const batch = calls.slice(at, at + 1 + random(3))
        await learn(batch)
        if (random(4) === 0) await learn(batch)
        at += batch.length
      }
      const own = Object.entries(await kept()).filter(([key]) => key.split(' ')[0]?.endsWith(`-${seed}`))
      expect(Object.fromEntries(own), `stream ${seed}`).toEqual(evaluate(calls))
    }
    const { rows } = await database.pool.query(
      `select from profile_trait_sets s where not exists (
         select from profile_traits t
         where t.workspace_id = s.workspace_id and t.identifier = s.identifier and t.set_id = s.id)`,
    )
    expect(rows).toHaveLength(0)
  })

  test('traits have the same values in any order of events', async () => {
    const random = createRandom(7)
    const calls = randomCalls(random, 40)
    const seen: unknown[] = []
    for (let order = 0; order < 6; order++) {
      const again = random.shuffled(calls).map((call) => ({ ...call, userId: `${call.userId}-${order}` }))
      for (let at = 0; at < again.length; at += 9) await learn(again.slice(at, at + 9))
      const own = Object.entries(await kept()).filter(([key]) => key.split(' ')[0]?.endsWith(`-${order}`))
      seen.push(
        own
          .map(([key, trait]) => [key.replace(`-${order} `, ' '), lastOf(trait)] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      )
    }
    for (const each of seen) expect(each).toEqual(seen[0])
  })

  test('repeated traits are not written again, and show the last event that set them', async () => {
    const traits = { plan: 'team', seats: 3, city: 'Oslo' }
    const call = (number: number, more: object = {}) => ({
      userId: 'u',
      number,
      time: timeOf(number),
      traits: { ...traits, ...more },
    })
    const versions = async (): Promise<unknown[]> =>
      (await database.pool.query('select name, xmin::text from profile_traits order by name')).rows
    await learn([call(1)])
    const before = await versions()
    await learn([call(2), call(3)])
    // The late call follows calls with other names.
    await learn([{ ...call(0), traits: { city: 'Oslo', plan: 'team', seats: 3 } }])
    expect(await versions()).toEqual(before)
    expect(Object.values(await kept()).map(({ time, event_id }) => [time, event_id])).toEqual(
      Array.from({ length: 3 }, () => [timeOf(3), eventIdOf(3)]),
    )
    await learn([call(4, { seats: 4 })])
    const changed = (await versions()).filter((each, index) => JSON.stringify(each) !== JSON.stringify(before[index]))
    expect(changed).toMatchObject([{ name: 'seats' }])
  })

  test('traits that return to an earlier value have the value that came last', async () => {
    const call = (number: number, traits: object): Call => ({
      userId: 'u',
      number,
      time: timeOf(number),
      traits: { ...traits },
    })
    const calls = [call(1, { plan: 'A', seats: 1 }), call(2, { plan: 'B' }), call(3, { plan: 'A', seats: 1 })]
    for (const each of calls) await learn([each])
    expect(await kept()).toEqual(evaluate(calls))
  })

  test('traits that were stored without sets change like others', async () => {
    const calls = randomCalls(createRandom(3), 60)
    await learn(calls.slice(0, 30))
    await database.pool.query('delete from profile_trait_sets')
    await database.pool.query('update profile_traits set set_id = null')
    // Values that only moved with their set are lost here, and return with the repeated calls.
    await learn(calls.slice(0, 30))
    for (let at = 30; at < calls.length; at += 2) await learn(calls.slice(at, at + 2))
    const shown = (traits: Kept) => Object.fromEntries(Object.entries(traits).map(([key, each]) => [key, lastOf(each)]))
    expect(shown(await kept())).toEqual(shown(evaluate(calls)))
  })

  test('traits keep their value if an older value arrives late, even if the newer one was sent twice', async () => {
    const plan = (value: string, number: number, second: number): Call => ({
      userId: 'u',
      number,
      time: timeOf(second),
      traits: { plan: value },
    })
    await learn([plan('A', 1, 1)])
    await learn([plan('A', 2, 3)])
    await learn([plan('B', 3, 2)])
    expect(await kept()).toMatchObject({ 'u plan': { value: '"A"', time: timeOf(3), earlier: [] } })
  })
})
