import { type AudienceQuery, methods, queriesOf, type SegmentQuery } from '@tributary/contract'
import { newId, setFaultHandler, silentLogger } from '@tributary/kernel'
import { clearTouches } from '@tributary/storage'
import { eventually } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { compileAudience } from '../../../audiences/src/compile.ts'
import { queueStaleAudiences } from '../../../audiences/src/compute.ts'
import { createEvaluation } from '../../../audiences/src/evaluate.ts'
import { createIncrementalEvaluation } from '../../../audiences/src/incremental-evaluation/incremental-evaluation.ts'
import { comparesWithNow } from '../../../audiences/src/references.ts'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import {
  createRandom,
  givenNames,
  oneOf,
  randomAudience,
  randomEvents,
  randomValue,
} from '../testing/random-audience.ts'
import { receiveEvents } from '../testing/receive-events.ts'
import { trialAudience } from '../testing/requests.ts'

let harness: Harness
let organization: Organization
let workspace: string
/** Whether the pipeline reports received events as stored. */
let stored = true
/** Whether the event store is behind by more than a moment. */
let behind = false
/** Runs once, after the event store has returned the result of a query. */
let afterQuery: (() => Promise<void>) | undefined

beforeAll(async () => {
  harness = await startControl()
  const { query } = harness.eventStore
  harness.eventStore.query = async (...call) => {
    const rows = await query(...call)
    const then = afterQuery
    afterQuery = undefined
    await then?.()
    return rows as never
  }
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

beforeEach(async () => {
  stored = true
  behind = false
  const { administrator, organization: of } = organization
  const made = await administrator.ok(methods.workspaces.create, {}, { body: { title: newId(), organization: of } })
  workspace = idIn(made.name)
})
afterEach(() => setFaultHandler(undefined))

const hour = 3_600_000
const receive = (...events: Record<string, unknown>[]): Promise<void> => receiveEvents(harness, workspace, events)
/** Receives events that are nearly a day old, so that they soon leave the last day. */
const receiveLongAgo = (...events: Record<string, unknown>[]): Promise<void> =>
  receiveEvents(harness, workspace, events, 23.5 * hour)

const queryOf = (part: Partial<SegmentQuery>): AudienceQuery => {
  const query = structuredClone(trialAudience)
  for (const each of queriesOf(query)) Object.assign(each, { selectedAttributes: [] }, part)
  return query
}
const timeframe = { time: { unit: 'day', value: 1 } } as const
/** Profiles that sent an event in the last day, and profiles that did not. */
const did = (selectedEvent: string): AudienceQuery => queryOf({ type: 'event', selectedEvent, timeframe })
const never = (selectedEvent: string): AudienceQuery =>
  queryOf({ type: 'event', selectedEvent, timeframe, count: { operator: 'exactly', value: 0 } })

const signal = new AbortController().signal
const get = (name: string) => organization.collaborator.ok(methods.audiences.get, { workspace, audience: idIn(name) })
const compute = async (name: string): Promise<void> => {
  const { version } = await get(name)
  await harness.computeAudience({ audience: idIn(name), version }, { signal })
}
const create = async (query: AudienceQuery): Promise<string> => {
  const body = { title: 'Audience', query }
  const { name } = await organization.collaborator.ok(methods.audiences.create, { workspace }, { body })
  await compute(name)
  return name
}
const followerDeps = () => ({
  db: harness.db,
  eventStore: harness.eventStore,
  profileLedger: harness.profileLedger,
  clock: harness.now,
  storing: { isStored: () => stored, isBehind: () => behind },
  logger: silentLogger,
})
const pass = async (): Promise<void> => {
  const follower = createIncrementalEvaluation(followerDeps())
  await follower.pass()
  await follower.stop()
}
const members = async (name: string): Promise<string[]> => {
  const { members: found } = await organization.collaborator.ok(methods.audiences.listMembers, {
    workspace,
    audience: idIn(name),
  })
  expect((await get(name)).size).toBe(found.length)
  return found.map(({ profile }) => profile.title).toSorted()
}
const changes = async (name: string): Promise<string[]> => {
  const params = { workspace, audience: idIn(name) }
  const { changes: found } = await organization.collaborator.ok(methods.audiences.listChanges, params)
  return found
    .map(({ kind, profile, merged }) => `${kind} ${profile?.title ?? '?'}${merged ? ' merged' : ''}`)
    .toSorted()
}
const ask = (kind: 'suppress' | 'delete', value: string) =>
  organization.administrator.ok(
    methods.privacyRequests.create,
    { workspace },
    { body: { kind, identifiers: [{ type: 'user_id', value }] } },
  )

describe('a live audience', () => {
  test('each changed profile enters or leaves a live audience without a complete computation', async () => {
    await receive({ userId: 'ada' })
    const seen = await create(did('Seen'))
    const others = await create(never('Order Completed'))
    await receive({ userId: 'bob' }, { userId: 'ada', event: 'Order Completed' })
    await pass()
    expect(await members(seen)).toEqual(['ada', 'bob'])
    expect(await members(others)).toEqual(['bob'])
    expect(await changes(others)).toEqual(['entered ada', 'entered bob', 'left ada'])
    expect((await get(seen)).as_of).toBe((await get(others)).as_of)
  })

  test('a live audience includes changed traits', async () => {
    await receive({ userId: 'ada' })
    const reachable = await create(trialAudience)
    await receive({ type: 'identify', userId: 'ada', traits: { email: 'ada@example.com' } })
    await pass()
    expect(await members(reachable)).toEqual(['ada@example.com'])
    // The next identify call changes the trait and the title.
    await receive({ type: 'identify', userId: 'ada', traits: { email: null } })
    await pass()
    expect(await members(reachable)).toEqual([])
  })

  test('profiles enter and leave a live audience as time passes, without a new event', async () => {
    await receiveLongAgo({ userId: 'ada' }, { userId: 'bob' })
    const seen = await create(did('Seen'))
    const others = await create(never('Seen'))
    await receive({ userId: 'bob' })
    expect(await members(seen)).toEqual(['ada', 'bob'])
    harness.advance(hour)
    await pass()
    expect(await members(seen)).toEqual(['bob'])
    expect(await members(others)).toEqual(['ada'])
  })

  test('a merged profile is one member of a live audience, and leaves if it no longer meets the conditions', async () => {
    await receive({ userId: 'ada' }, { anonymousId: 'device' }, { anonymousId: 'phone', event: 'Other' })
    const seen = await create(did('Seen'))
    const others = await create(never('Other'))
    expect(await members(others)).toEqual(['ada', 'device'])
    await receive({ type: 'identify', userId: 'ada', anonymousId: 'device' })
    await receive({ type: 'identify', userId: 'ada', anonymousId: 'phone' })
    await pass()
    expect(await members(seen)).toEqual(['ada'])
    expect(await changes(seen)).toEqual(['entered ada', 'entered ada merged', 'left ada merged'])
    expect(await members(others)).toEqual([])
  })

  test('a suppressed or deleted profile leaves a live audience, and enters again when the suppression is lifted', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' }, { userId: 'cleo' })
    const seen = await create(did('Seen'))
    await ask('suppress', 'ada')
    await ask('delete', 'bob')
    await pass()
    expect(await members(seen)).toEqual(['cleo'])
    const { suppressions } = await organization.administrator.ok(methods.suppressions.list, { workspace })
    for (const { name } of suppressions) await organization.administrator.call('DELETE', `/${name}`)
    await pass()
    expect(await members(seen)).toEqual(['ada', 'cleo'])
  })

  test('a live audience waits for events that are not stored yet', async () => {
    const seen = await create(did('Seen'))
    stored = false
    await receiveEvents(harness, workspace, [{ userId: 'ada' }], 1000, { partition: 0 })
    await pass()
    expect(await members(seen)).toEqual([])
    stored = true
    await pass()
    expect(await members(seen)).toEqual(['ada'])
  })

  test('a live audience keeps its last exact state while storage lags, however long, and then misses no profile', async () => {
    const name = await create(did('Seen'))
    const { as_of } = await get(name)
    stored = false
    behind = true
    await receiveEvents(harness, workspace, [{ userId: 'ada' }], 1000, { partition: 0 })
    const longAgo = { time: new Date(Date.now() - 60_000) } as never
    await harness.db.updateTable('audience_touches').set(longAgo).where('workspace_id', '=', workspace).execute()
    harness.advance(2 * 60_000)
    await pass()
    expect(await get(name)).toMatchObject({ as_of, size: 0 })
    stored = true
    await pass()
    expect(await members(name)).toEqual(['ada'])
    expect((await get(name)).as_of).not.toBe(as_of)
  })

  test('a change that was recorded long ago is applied even if its position was never reported as stored, unless storage lags', async () => {
    const name = await create(did('Seen'))
    stored = false
    await receiveEvents(harness, workspace, [{ userId: 'ada' }], 1000, { partition: 0 })
    const longAgo = { time: new Date(Date.now() - 60_000) } as never
    await harness.db.updateTable('audience_touches').set(longAgo).where('workspace_id', '=', workspace).execute()
    await pass()
    expect(await members(name)).toEqual(['ada'])
  })

  test('an incremental evaluation skips an audience that is not live, and a changed query discards the previous members', async () => {
    const seen = await create(did('Seen'))
    await organization.collaborator.call('PATCH', `/${seen}?update_mask=query`, { query: did('Other') })
    await receive({ userId: 'ada' })
    await pass()
    expect(await members(seen)).toEqual([])
    await compute(seen)
    await pass()
    expect(await members(seen)).toEqual([])
  })

  test('a paused live audience keeps its members, and has missed no change after it is resumed', async () => {
    await receive({ userId: 'ada' })
    const seen = await create(did('Seen'))
    const params = { workspace, audience: idIn(seen) }
    await organization.collaborator.ok(methods.audiences.pause, params, { body: {} })
    await receive({ userId: 'bob' })
    await pass()
    await compute(seen)
    expect(await get(seen)).toMatchObject({ state: 'paused', size: 1 })
    expect((await organization.collaborator.call('POST', `/${seen}:compute`, {})).status).toBe(409)
    for (const verb of ['pause', 'resume']) {
      expect((await organization.guest.call('POST', `/${seen}:${verb}`, {})).status).toBe(403)
      expect((await organization.outsider.call('POST', `/${seen}:${verb}`, {})).status).toBe(404)
    }
    await organization.collaborator.ok(methods.audiences.resume, params, { body: {} })
    await compute(seen)
    expect(await get(seen)).toMatchObject({ state: 'live', size: 2 })
    expect(await changes(seen)).toEqual(['entered ada', 'entered bob'])
  })

  test('after a kill, an evaluation continues where it stopped: no profile enters twice or is missed', async () => {
    const seen = await create(did('Seen'))
    await receive({ userId: 'ada' })
    setFaultHandler((point) => {
      if (point === 'audiences.before-commit') throw new Error('killed')
    })
    await expect(pass()).rejects.toThrow('killed')
    setFaultHandler(undefined)
    expect(await members(seen)).toEqual([])
    await pass()
    await pass()
    expect(await changes(seen)).toEqual(['entered ada'])
  })

  test('a live audience keeps profiles that enter during a complete computation, and no profile enters twice', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' })
    const seen = await create(did('Seen'))
    const orders = await create(never('Order Completed'))
    // During the evaluation of all profiles, one profile enters and one leaves.
    for (const name of [seen, orders]) {
      afterQuery = async () => {
        await receive({ userId: `cleo-${idIn(name)}` }, { userId: 'bob', event: 'Order Completed' })
        await pass()
      }
      await compute(name)
      await pass()
    }
    expect(await members(orders)).toEqual([`cleo-${idIn(seen)}`, `cleo-${idIn(orders)}`, 'ada'].toSorted())
    for (const name of [seen, orders]) {
      const all = await changes(name)
      expect(new Set(all).size).toBe(all.length)
    }
  })

  test('a new live audience immediately has the right count, including profiles that changed just before', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' })
    const body = { title: 'New', query: did('Seen') }
    const { name } = await organization.collaborator.ok(methods.audiences.create, { workspace }, { body })
    expect(await get(name)).toMatchObject({ state: 'preparing', size: null })
    // The second evaluation, which would include these changes, does not run.
    let asked = 0
    const { query } = harness.eventStore
    harness.eventStore.query = async (...call) => {
      if (asked++ > 0) throw new Error('The second look does not come')
      return query(...call) as never
    }
    await compute(name).catch(() => {})
    harness.eventStore.query = query
    expect((await get(name)).size).toBe(2)
  })

  test('a computation publishes a first result, and then removes a profile that changed during it', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' })
    const seen = await create(did('Seen'))
    await organization.collaborator.call('PATCH', `/${seen}?update_mask=query`, { query: did('Other') })
    let between: Awaited<ReturnType<typeof get>> | undefined
    afterQuery = async () => {
      await receive({ userId: 'bob' })
      afterQuery = async () => {
        between = await get(seen)
      }
    }
    await compute(seen)
    const { size, change_time } = await get(seen)
    expect([between?.size, size]).toEqual([1, 0])
    expect(change_time).not.toBe(between?.change_time)
  })
})

test('only an evaluation in which a profile enters or leaves is announced', async () => {
  const seen = await create(did('Seen'))
  let announced = 0
  const follower = createIncrementalEvaluation({ ...followerDeps(), onChanged: () => void announced++ })
  const evaluated = async (event: Record<string, unknown>): Promise<void> => {
    await receive(event)
    const before = harness.now()
    await eventually('an evaluation', async () => Date.parse((await get(seen)).as_of ?? '') > before)
  }
  follower.start()
  try {
    await evaluated({ userId: 'ada' })
    await eventually('the message', () => announced === 1)
    await evaluated({ userId: 'ada' })
    await evaluated({ userId: 'bob', event: 'Other' })
    expect([(await get(seen)).size, announced]).toEqual([1, 1])
  } finally {
    await follower.stop()
  }
})

test('a workspace with long evaluations does not delay other workspaces', async () => {
  const slow = workspace
  const ofSlow = await create(did('Seen'))
  let [elapsed, held] = [0, false]
  const [began, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const query: typeof harness.eventStore.query = async (sql, params, options) => {
    if (options?.owner === slow) {
      elapsed += 2000
      if (held) {
        began.resolve()
        await ended.promise
      }
    }
    return await harness.eventStore.query(sql, params, options)
  }
  const clock = (): number => harness.now() + elapsed
  const follower = createIncrementalEvaluation({ ...followerDeps(), eventStore: { query }, clock })
  try {
    await receive({ userId: 'ada' })
    follower.start()
    await eventually('its first pass', async () => (await get(ofSlow)).size === 1)
    held = true
    await receive({ userId: 'bob' })
    await began.promise
    const { administrator, organization: of } = organization
    const made = await administrator.ok(methods.workspaces.create, {}, { body: { title: newId(), organization: of } })
    workspace = idIn(made.name)
    const seen = await create(did('Seen'))
    await receive({ userId: 'cy' })
    await eventually('the other one is brought up to date', async () => (await get(seen)).size === 1)
  } finally {
    ended.resolve()
    await follower.stop()
  }
})

test('an audience that compares dates with the current time is recomputed each minute; others are recomputed as a repair', async () => {
  const dated = await create(
    queryOf({
      type: 'attribute',
      selectedAttributes: [
        { id: 'dddd', name: 'renewal', valueType: 'date', operator: 'within_next', value: '3', values: [] },
      ],
    }),
  )
  const plain = await create(did('Seen'))
  const queued = async (): Promise<string[]> => {
    const keys: string[] = []
    const jobs = { send: async (_: unknown, __: unknown, data: { audience: string }) => void keys.push(data.audience) }
    await queueStaleAudiences({ db: harness.db, jobs: jobs as never, clock: harness.now })
    return keys.filter((key) => [dated, plain].some((name) => idIn(name) === key))
  }
  expect(await queued()).toEqual([])
  harness.advance(60_000)
  expect(await queued()).toEqual([idIn(dated)])
  harness.advance(hour)
  expect((await queued()).toSorted()).toEqual([idIn(dated), idIn(plain)].toSorted())
})

test('recorded profile changes are kept until every audience has evaluated them', async () => {
  const seen = await create(did('Seen'))
  const count = async (): Promise<number> =>
    (await harness.db.selectFrom('audience_touches').select('id').where('workspace_id', '=', workspace).execute())
      .length
  await receive({ userId: 'ada' })
  await harness.db
    .updateTable('audience_touches')
    .set({ time: new Date(Date.now() - 5 * 60_000) } as never)
    .execute()
  await clearTouches(harness.db)
  expect(await count()).toBe(1)
  await pass()
  await clearTouches(harness.db)
  expect(await count()).toBe(0)
  expect(await members(seen)).toEqual(['ada'])
})

test('after each incremental evaluation, random audiences contain the same profiles as a complete computation', async () => {
  const random = createRandom(7)
  const evaluation = createEvaluation({ db: harness.db, eventStore: harness.eventStore })
  // Audiences that change with the calendar are left out, because they need a complete computation.
  const queries = Array.from({ length: 30 }, () => randomAudience(random))
    .filter((query) => !comparesWithNow(query, () => undefined))
    .slice(0, 12)
  const names: string[] = []
  for (const query of queries) names.push(await create(query))
  /** Makes one of many users with one ID or both. Sometimes the anonymous ID is that of another user. */
  const person = (): Record<string, unknown> => {
    const [user, kind] = [random(25), random(4)]
    const device = random(12) === 0 ? random(25) : user
    return {
      ...(kind === 0 ? {} : { userId: `user-${user}` }),
      ...(kind === 1 ? {} : { anonymousId: `device-${device}` }),
    }
  }
  const values = (): Record<string, unknown> =>
    Object.fromEntries(givenNames.filter(() => random(2) === 0).map((each) => [each, randomValue(random)]))
  const sizes = new Set<number>()
  const steps = Number(process.env.SOAK_ROUNDS ?? 0) > 0 ? 40 : 2
  for (let step = 0; step < steps; step++) {
    const events = Array.from({ length: 1 + random(6) }, () => {
      const event = oneOf(random, randomEvents)
      if (event === 'identify') return { ...person(), type: event, traits: values() }
      return { ...person(), type: event === 'page' ? 'page' : 'track', event, properties: values() }
    })
    await receiveEvents(harness, workspace, events, random(89) * 24 * hour + random(24) * hour)
    harness.advance(random(20) * 60_000)
    await pass()
    for (const [index, name] of names.entries()) {
      const query = queries[index] ?? trialAudience
      const asOf = Date.parse((await get(name)).as_of ?? '')
      const right = await evaluation.run<{ id: string }, string[]>(
        compileAudience(query, { workspaceId: workspace, asOf, queryOf: () => undefined }),
        { text: 'select id from members order by id' },
        (_, rows) => Promise.resolve(rows.map(({ id }) => id)),
        { workspaceId: workspace, slot: 'short', signal },
      )
      const found = await harness.db
        .selectFrom('audience_members')
        .select('profile_id')
        .where('audience_id', '=', idIn(name))
        .orderBy('profile_id')
        .execute()
      sizes.add(found.length)
      expect(
        found.map(({ profile_id }) => profile_id),
        `step ${step} ${JSON.stringify(query)}`,
      ).toEqual(right)
    }
  }
  expect(sizes.size).toBeGreaterThan(4)
}, 600_000)
