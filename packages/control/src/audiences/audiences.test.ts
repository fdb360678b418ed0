import { type AudienceQuery, methods, queriesOf, type SegmentQuery } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { EventStoreLimitExceeded, EventStoreUnavailable, type QueryOptions } from '@tributary/storage'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { receiveEvents } from '../testing/receive-events.ts'
import { trialAudience } from '../testing/requests.ts'

let harness: Harness
let organization: Organization
let workspace: string
/** The error that the event store returns for queries of audiences, if set. */
let broken: Error | undefined
/** A function that runs while a query of the event store reports its progress. The query waits for it. */
let whileReading: ((onProgress: NonNullable<QueryOptions['onProgress']>) => Promise<void>) | undefined

beforeAll(async () => {
  harness = await startControl()
  const { query } = harness.eventStore
  harness.eventStore.query = async (...call) => {
    if (broken !== undefined) throw broken
    const onProgress = call[2]?.onProgress
    if (onProgress !== undefined) await whileReading?.(onProgress)
    return await query(...call)
  }
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

beforeEach(async () => {
  broken = undefined
  whileReading = undefined
  const { administrator, organization: of } = organization
  const made = await administrator.ok(methods.workspaces.create, {}, { body: { title: newId(), organization: of } })
  workspace = idIn(made.name)
})

const receive = (...events: Record<string, unknown>[]): Promise<void> => receiveEvents(harness, workspace, events)

const queryOf = (part: Partial<SegmentQuery>): AudienceQuery => {
  const query = structuredClone(trialAudience)
  for (const each of queriesOf(query)) Object.assign(each, { selectedAttributes: [] }, part)
  return query
}
const did = (selectedEvent: string, value = 1): AudienceQuery =>
  queryOf({ type: 'event', selectedEvent, count: { operator: 'at_least', value } })
const never = (selectedEvent: string): AudienceQuery =>
  queryOf({ type: 'event', selectedEvent, count: { operator: 'exactly', value: 0 } })
const within = (name: string, member = true): AudienceQuery =>
  queryOf({ type: 'audience', selectedAudience: { name, member } })

const create = (query: AudienceQuery, title = 'Audience') =>
  organization.collaborator.ok(methods.audiences.create, { workspace }, { body: { title, query } })
const refused = async (query: unknown): Promise<unknown> => {
  const body = { title: 'Audience', query }
  const reply = await organization.collaborator.call('POST', `/workspaces/${workspace}/audiences`, body)
  expect(reply.status).toBe(400)
  return reply.body.message
}
const get = (name: string, caller = organization.collaborator) =>
  caller.ok(methods.audiences.get, { workspace, audience: idIn(name) })
const signal = new AbortController().signal
const compute = async (name: string) => {
  const { version } = await get(name)
  await harness.computeAudience({ audience: idIn(name), version }, { signal })
  return await get(name)
}
const members = async (name: string, caller = organization.collaborator): Promise<string[]> => {
  const answer = await caller.ok(methods.audiences.listMembers, { workspace, audience: idIn(name) })
  return answer.members.map(({ profile }) => profile.title).toSorted()
}

describe('an audience', () => {
  test('SEG-10, SEG-14: an audience is created, listed, changed, and deleted; each change leaves an audit record', async () => {
    const { collaborator } = organization
    const made = await create(did('Seen'), 'Watchers')
    expect(made).toMatchObject({ title: 'Watchers', state: 'preparing', size: null, version: 1, query: did('Seen') })
    const { audiences } = await collaborator.ok(methods.audiences.list, { workspace })
    expect(audiences.map(({ name }) => name)).toEqual([made.name])
    const params = { workspace, audience: idIn(made.name) }
    const body = { title: 'Buyers', query: did('Order Completed'), version: 1 }
    const changed = await collaborator.ok(methods.audiences.update, params, {
      query: { update_mask: 'title,query' },
      body,
    })
    expect(changed).toMatchObject({ title: 'Buyers', version: 2, query: did('Order Completed') })
    await collaborator.ok(methods.audiences.delete, params)
    expect((await collaborator.call('GET', `/${made.name}`)).status).toBe(404)
    const records = (await harness.audits()).filter(({ resource }) => resource === made.name)
    expect(records.map(({ action }) => action)).toEqual(['audiences.create', 'audiences.update', 'audiences.delete'])
  })

  test('during the computation, the audience shows the current step and the share of events that is read', async () => {
    await receive({ userId: 'ada', event: 'Seen' })
    const { name, state, progress } = await create(did('Seen'))
    expect({ state, progress }).toEqual({ state: 'preparing', progress: null })
    const seen: unknown[] = []
    whileReading = async (onProgress) => {
      seen.push((await get(name)).progress)
      onProgress({ read: 250, total: 1000 })
      await expect.poll(async () => (await get(name)).progress?.share).toBe(0.25)
      const { audiences } = await organization.guest.ok(methods.audiences.list, { workspace })
      seen.push(...audiences.map((each) => each.progress))
    }
    expect(await compute(name)).toMatchObject({ state: 'live', progress: null, size: 1 })
    expect(seen).toEqual([
      { step: 'events', share: null },
      { step: 'events', share: 0.25 },
    ])
    // The last progress of a failed computation is not shown for the next one.
    broken = new EventStoreLimitExceeded('time', 'too long')
    expect(await compute(name)).toMatchObject({ state: 'failed', progress: null })
    broken = undefined
    const again = await organization.collaborator.ok(methods.audiences.compute, { workspace, audience: idIn(name) })
    expect(again.progress).toEqual({ step: 'waiting', share: null })
    whileReading = undefined
    await compute(name)
    // An audience that is up to date stays live during a complete computation.
    whileReading = async () => {
      expect(await get(name)).toMatchObject({ state: 'live', progress: null })
    }
    await compute(name)
  })

  test('a computed audience contains the profiles that meet its query, and its size equals the length of the list', async () => {
    await receive(
      { userId: 'ada', event: 'Order Completed' },
      { anonymousId: 'device', event: 'Order Completed' },
      { userId: 'bob' },
    )
    const buyers = await create(did('Order Completed'))
    const others = await create(never('Order Completed'))
    expect(await compute(buyers.name)).toMatchObject({ state: 'live', size: 2, entered_count: 2, left_count: 0 })
    expect(await members(buyers.name)).toEqual(['ada', 'device'])
    await compute(others.name)
    expect(await members(others.name)).toEqual(['bob'])
    // After a merge, no profile enters twice, and one profile leaves.
    await receive({ userId: 'ada', anonymousId: 'device', event: 'Order Completed' })
    expect(await compute(buyers.name)).toMatchObject({ size: 1, entered_count: 0, left_count: 1 })
    expect(await members(buyers.name)).toEqual(['ada'])
  })

  test('a suppressed or deleted user leaves an audience; after the suppression is lifted, the user enters again', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' }, { userId: 'cleo' })
    const seen = await create(did('Seen'))
    const everybody = await create(never('Other'))
    await compute(seen.name)
    const { administrator } = organization
    for (const [kind, value] of [
      ['suppress', 'ada'],
      ['delete', 'bob'],
    ] as const)
      await administrator.ok(
        methods.privacyRequests.create,
        { workspace },
        { body: { kind, identifiers: [{ type: 'user_id', value }] } },
      )
    // The user leaves the list immediately, and the size with the next computation.
    expect(await members(seen.name)).toEqual(['cleo'])
    expect(await compute(seen.name)).toMatchObject({ size: 1, left_count: 2 })
    expect(await members(seen.name)).toEqual(['cleo'])
    await compute(everybody.name)
    expect(await members(everybody.name)).toEqual(['cleo'])
    const { suppressions } = await administrator.ok(methods.suppressions.list, { workspace })
    for (const { name } of suppressions) await administrator.call('DELETE', `/${name}`)
    expect(await compute(seen.name)).toMatchObject({ size: 2, entered_count: 1 })
    expect(await members(seen.name)).toEqual(['ada', 'cleo'])
  })

  test('an audience excludes a profile of which any identifier is suppressed, and the new profile of a deleted user who returned and was suppressed', async () => {
    const { administrator } = organization
    const ask = (kind: 'delete' | 'suppress', type: string, value: string) =>
      administrator.ok(
        methods.privacyRequests.create,
        { workspace },
        { body: { kind, identifiers: [{ type, value }] } },
      )
    await receive({ anonymousId: 'tablet' }, { userId: 'ada', anonymousId: 'tablet' }, { userId: 'bob' })
    await ask('delete', 'user_id', 'bob')
    harness.advance(120_000)
    await receive({ userId: 'bob' }, { userId: 'cleo' })
    const seen = await create(did('Seen'))
    await compute(seen.name)
    expect(await members(seen.name)).toEqual(['ada', 'bob', 'cleo'])
    await ask('suppress', 'user_id', 'ada')
    await ask('suppress', 'user_id', 'bob')
    // The profile keeps the identifiers that were not named.
    const { suppressions } = await administrator.ok(methods.suppressions.list, { workspace })
    const device = suppressions.find(({ type }) => type === 'anonymous_id')
    await administrator.call('DELETE', `/${device?.name}`)
    expect(await compute(seen.name)).toMatchObject({ size: 1, left_count: 2 })
    expect(await members(seen.name)).toEqual(['cleo'])
  })

  test('a condition on another audience uses the current query of that audience, even before it is computed', async () => {
    await receive({ userId: 'ada', event: 'Order Completed' }, { userId: 'bob' })
    const buyers = await create(did('Order Completed'))
    const others = await create(within(buyers.name, false))
    await compute(others.name)
    expect(await members(others.name)).toEqual(['bob'])
    expect((await get(buyers.name)).dependents).toEqual([{ name: others.name, title: 'Audience' }])
  })

  test("the shown SQL finds exactly the audience's members when it runs with its parameters and as-of time", async () => {
    const plan = (name: string) => ({ type: 'identify', userId: name, traits: { plan: `it's "${name}"` } })
    const order = (userId: string, total: number) => ({ userId, event: 'Order Completed', properties: { total } })
    await receive(plan('ada'), plan('bob'), order('ada', 12), order('bob', 8), order('cleo', 20), order('cleo', 30))
    const query = did('Order Completed')
    const [first] = queriesOf(query)
    const values = [`it's "ada"`, `it's "bob"`, 'x\\']
    const list = { id: 'eeee', name: 'plan', valueType: 'text', operator: 'not_equals_any', value: '', values } as const
    const above = { id: 'ffff', name: 'total', valueType: 'number', operator: 'greater_than', value: '10' } as const
    Object.assign(first ?? {}, { selectedAttributes: [{ ...above, values: [] }] })
    const others = { ...first, id: 'gggg', type: 'attribute', selectedAttributes: [list] } as SegmentQuery
    Object.values(query.groups)[0]?.segments[0]?.queries.push(others)
    const { name } = await create(query)
    const computed = await compute(name)
    const { size } = computed
    harness.advance(60_000)
    await receive(order('dora', 40))
    const params = { workspace, audience: idIn(name) }
    const { as_of, statements } = await organization.collaborator.ok(methods.audiences.getStatements, params)
    const [events, profiles] = statements
    const options = { owner: workspace, slot: 'short' } as const
    const [sets] = await harness.eventStore.query<Record<string, string>>(events?.text ?? '', events?.params, options)
    const given = Object.values(profiles?.params ?? {}).map((value) => sets?.[value] ?? value)
    const { rows } = await harness.db.executeQuery<{ id: string }>(
      CompiledQuery.raw(profiles?.text ?? '', given) as CompiledQuery<{ id: string }>,
    )
    const listed = await organization.guest.ok(methods.audiences.listMembers, params)
    const found = listed.members.map(({ profile }) => idIn(profile.name))
    expect(rows.map(({ id }) => id).toSorted()).toEqual(found.toSorted())
    expect([rows.length, size]).toEqual([1, 1])
    expect([as_of, listed.as_of]).toEqual([computed.as_of, computed.as_of])
  })

  test('an audience that other audiences refer to cannot be deleted, and the response names them', async () => {
    const buyers = await create(did('Order Completed'))
    const other = await create(within(buyers.name), 'Loyal')
    const reply = await organization.collaborator.call('DELETE', `/${buyers.name}`)
    expect(reply).toMatchObject({ status: 409, body: { reason: 'AUDIENCE_IN_USE' } })
    expect(reply.body.message).toContain('Loyal')
    expect((await organization.collaborator.call('DELETE', `/${other.name}`)).status).toBe(200)
    expect((await organization.collaborator.call('DELETE', `/${buyers.name}`)).status).toBe(200)
  })

  test('an audience cannot refer to itself, even through another audience', async () => {
    const first = await create(did('Order Completed'))
    const second = await create(within(first.name))
    const params = { workspace, audience: idIn(first.name) }
    const path = `/workspaces/${workspace}/audiences/${params.audience}?update_mask=query`
    for (const name of [first.name, second.name]) {
      const reply = await organization.collaborator.call('PATCH', path, { query: within(name) })
      expect(reply).toMatchObject({ status: 400, body: { message: 'An audience cannot depend on itself' } })
    }
  })

  test('an audience rejects the second of two changes of the same version', async () => {
    const { name } = await create(did('Seen'))
    const path = `/${name}?update_mask=query`
    const change = (event: string) => organization.collaborator.call('PATCH', path, { query: did(event), version: 1 })
    expect((await change('A')).status).toBe(200)
    expect(await change('B')).toMatchObject({ status: 409, body: { reason: 'AUDIENCE_CHANGED' } })
    expect((await get(name)).query).toEqual(did('A'))
  })

  test('if an audience is changed or deleted while it is computed, the result of the computation is discarded', async () => {
    await receive({ userId: 'ada' })
    const { name } = await create(did('Seen'))
    await organization.collaborator.call('PATCH', `/${name}?update_mask=query`, { query: did('Other') })
    await harness.computeAudience({ audience: idIn(name), version: 1 }, { signal })
    expect(await get(name)).toMatchObject({ size: null, version: 2 })
    await organization.collaborator.call('DELETE', `/${name}`)
    await harness.computeAudience({ audience: idIn(name), version: 2 }, { signal })
    expect(
      await harness.db.selectFrom('audience_members').selectAll().where('audience_id', '=', idIn(name)).execute(),
    ).toEqual([])
  })

  test('a too expensive audience fails with advice and keeps its members; an audience waits for an unavailable event store', async () => {
    await receive({ userId: 'ada' })
    const { name } = await create(did('Seen'))
    await compute(name)
    broken = new EventStoreLimitExceeded('memory', 'too much')
    await compute(name)
    expect(await get(name)).toMatchObject({ state: 'failed', size: 1 })
    expect((await get(name)).failure).toContain('Choose')
    broken = new EventStoreUnavailable('away')
    await expect(compute(name)).rejects.toThrow('away')
    broken = undefined
    expect(await compute(name)).toMatchObject({ state: 'live', failure: '' })
  })

  test('guests see the profiles of an audience masked and change nothing; other organizations see no audience', async () => {
    await receive({ userId: 'ada.lovelace@example.com' })
    const { name } = await create(did('Seen'))
    await compute(name)
    expect(await members(name, organization.guest)).toEqual(['ad•••'])
    const preview = { query: did('Seen') }
    const path = `/workspaces/${workspace}/audiences`
    expect((await organization.guest.call('POST', `${path}:preview`, preview)).status).toBe(403)
    expect((await organization.guest.call('DELETE', `/${name}`)).status).toBe(403)
    for (const below of ['', '/members', '/statements'])
      expect((await organization.outsider.call('GET', `/${name}${below}`)).status).toBe(404)
  })

  test('an audience of another workspace cannot be referred to', async () => {
    const { name } = await create(did('Seen'))
    const other = name.replace(workspace, organization.workspaceId)
    expect(await refused(within(other))).toBe('This query names an audience that does not exist')
  })
})

test('a preview counts the profiles that an audience would contain, and how many of them can be reached', async () => {
  await receive(
    { type: 'identify', userId: 'ada', anonymousId: 'd', traits: { email: 'ada@example.com', phone: null } },
    { type: 'identify', userId: 'bob', traits: { phone: '+1' } },
  )
  const preview = await organization.collaborator.ok(
    methods.audiences.preview,
    { workspace },
    { body: { query: did('identify') } },
  )
  expect(preview).toMatchObject({ exact: true, size: 2, email_count: 1, phone_count: 1, device_count: 1 })
  expect(preview.sample.map(({ title }) => title)).toEqual(['bob', 'ada@example.com'])
})

test('an estimated preview of many profiles is near the exact count and marked as an estimate; the exact count follows', async () => {
  const { collaborator } = organization
  const preview = (estimate: boolean) =>
    collaborator.ok(methods.audiences.preview, { workspace }, { body: { query: never('Seen'), estimate } })
  const fill = (profiles: number) =>
    harness.db.executeQuery(
      CompiledQuery.raw(
        `insert into profiles (workspace_id, id, sequence, create_time)
          select $1::uuid, md5('profile' || g)::uuid, g, now() from generate_series(1, $2::int) g on conflict do nothing`,
        [workspace, profiles],
      ),
    )
  await fill(1000)
  expect(await preview(true)).toMatchObject({ exact: true, size: 1000 })
  await fill(30_000)
  const estimate = await preview(true)
  expect(estimate.exact).toBe(false)
  expect(Math.abs(estimate.size - 30_000)).toBeLessThan(900)
  expect(estimate.sample).toHaveLength(5)
  expect(await preview(true)).toEqual({ ...estimate, as_of: expect.any(String) })
  expect(await preview(false)).toMatchObject({ exact: true, size: 30_000 })
})

test('names and values are suggested from received events', async () => {
  await receive(
    { userId: 'ada', event: 'Order Completed', properties: { total: 12, plan: 'pro' } },
    { userId: 'ada', event: 'Order Completed', properties: { plan: 'pro' } },
    { userId: 'bob', event: 'Order Completed', properties: { plan: 'free', list: [1] } },
    { type: 'identify', userId: 'ada', traits: { plan: 'pro', age: 36 } },
  )
  const suggest = async (query: { kind: string; event?: string; name?: string }) => {
    const path = `/workspaces/${workspace}/audienceSuggestions?${new URLSearchParams(query)}`
    const { body } = await organization.collaborator.call('GET', path)
    return body['suggestions']
  }
  expect(await suggest({ kind: 'event' })).toEqual([
    { text: 'Order Completed', type: 'text' },
    { text: 'identify', type: 'text' },
  ])
  expect(await suggest({ kind: 'property', event: 'Order Completed' })).toEqual([
    { text: 'plan', type: 'text' },
    { text: 'list', type: 'text' },
    { text: 'total', type: 'number' },
  ])
  expect(await suggest({ kind: 'property_value', event: 'Order Completed', name: 'plan' })).toEqual([
    { text: 'pro', type: 'text' },
    { text: 'free', type: 'text' },
  ])
  expect(await suggest({ kind: 'trait' })).toEqual([
    { text: 'age', type: 'number' },
    { text: 'plan', type: 'text' },
  ])
  expect(await suggest({ kind: 'trait_value', name: 'age' })).toEqual([{ text: '36', type: 'number' }])
})

test('a zero date is suggested as a text, and a day is suggested as a date', async () => {
  const zeros = ['0000-00-00', '2026-00-10', '2026-11-00', '2026-11-00 00:00:00', '0000-00-00T00:00:00Z']
  const days = ['2026-11-10', '2026-11-10 00:00:00', '0999-01-01T00:00:00Z']
  const valuesOf = (texts: readonly string[], prefix: string) =>
    Object.fromEntries(texts.map((text, index) => [`${prefix}${index}`, text]))
  const values = { ...valuesOf(zeros, 'zero'), ...valuesOf(days, 'day') }
  await receive(
    { userId: 'ada', event: 'Dated', properties: values },
    { type: 'identify', userId: 'ada', traits: values },
  )
  for (const query of ['kind=property&event=Dated', 'kind=trait']) {
    const path = `/workspaces/${workspace}/audienceSuggestions?${query}`
    const { body } = await organization.collaborator.call('GET', path)
    const suggested = body['suggestions'] as { text: string; type: string }[]
    const found = suggested.filter(({ text }) => text in values).map(({ text, type }) => [text, type])
    const expected = Object.keys(values).map((name) => [name, name.startsWith('zero') ? 'text' : 'date'])
    expect(found.toSorted()).toEqual(expected.toSorted())
  }
})

describe('bad input', () => {
  test('a query with too many values, too many conditions, or empty groups is refused with a message', async () => {
    const trait = queriesOf(trialAudience)[0]?.selectedAttributes[0]
    const listed = { ...trait, operator: 'equals_any', values: Array.from({ length: 10_001 }, String) }
    expect(await refused(queryOf({ selectedAttributes: [listed] as never }))).toContain('At most 10000 elements')
    const many = Array.from({ length: 101 }, (_, index) => ({
      ...queriesOf(did('Seen'))[0],
      id: String(index).padStart(4, '0'),
    }))
    const heavy = { ...did('Seen'), groups: { aaaa: { segments: [{ id: 'bbbb', queries: many }] } } }
    expect(await refused(heavy)).toContain('At most 100 conditions')
    expect(await refused({ groups: {} })).toContain('Add a condition')
    expect(await refused({ groups: { aaaa: { segments: [] } } })).toContain('Add a condition')
    expect(await refused({ groups: { aaaa: { tableName: 'accounts', segments: [] } } })).toContain('Only users')
  })

  test('a list of 10,000 values matches a trait or property, or excludes the values; a query with two such lists is refused', async () => {
    await receive(
      { type: 'identify', userId: 'ada', traits: { plan: 'x' } },
      { userId: 'ada', properties: { plan: 'person 9999 é' } },
      { userId: 'bob', properties: { plan: 'person 10000 é' } },
      { type: 'identify', userId: 'bob', traits: { plan: 'person 5 é' } },
    )
    const values = Array.from({ length: 10_000 }, (_, index) => `person ${index} é`)
    const listed = (operator: string) =>
      [{ id: 'dddd', name: 'plan', valueType: 'text', operator, value: '', values }] as never
    const found = async (query: AudienceQuery): Promise<string[]> => {
      const { name } = await create(query)
      await compute(name)
      return await members(name)
    }
    expect(await found(queryOf({ selectedAttributes: listed('equals_any') }))).toEqual(['bob'])
    expect(await found(queryOf({ selectedAttributes: listed('not_equals_any') }))).toEqual(['ada'])
    const event = { type: 'event', selectedEvent: 'Seen', count: { operator: 'at_least', value: 1 } } as const
    expect(await found(queryOf({ ...event, selectedAttributes: listed('equals_any') }))).toEqual(['ada'])
    expect(await found(queryOf({ ...event, selectedAttributes: listed('not_equals_any') }))).toEqual(['bob'])
    const { name } = await create(queryOf({ selectedAttributes: listed('equals_any') }))
    const both = within(name)
    Object.values(both.groups)[0]?.segments.push(
      ...(Object.values(queryOf({ selectedAttributes: listed('equals_any') }).groups)[0]?.segments ?? []),
    )
    expect(await refused(both)).toContain('those of other audiences included')
  })

  test('a date is compared in UTC whatever its zone, also in the years 1 and 9999; a text that is not a date never matches', async () => {
    await receive(
      { type: 'identify', userId: 'first', traits: { at: '0001-01-01T00:30:00+01:00' } },
      { type: 'identify', userId: 'zone', traits: { at: '2026-01-01T01:00:00+02:00' } },
      { type: 'identify', userId: 'last', traits: { at: '9999-12-31T23:59:59.999-01:00' } },
      { type: 'identify', userId: 'never', traits: { at: '2026-02-30' } },
      { type: 'identify', userId: 'number', traits: { at: 1_772_600_767 } },
    )
    const found = async (part: object, type: 'attribute' | 'event'): Promise<string[]> => {
      const selectedAttributes = [
        { id: 'dddd', name: 'at', valueType: 'date', value: '', values: [], ...part },
      ] as never
      const { name } = await create(queryOf({ type, selectedEvent: 'identify', selectedAttributes }))
      await compute(name)
      return await members(name)
    }
    for (const type of ['attribute', 'event'] as const) {
      expect(await found({ operator: 'before', value: '0001-01-01' }, type)).toEqual(['first'])
      expect(await found({ operator: 'before', value: '2026-01-01' }, type)).toEqual(['first', 'zone'])
      expect(await found({ operator: 'after', value: '9999-12-31' }, type)).toEqual(['last'])
      expect(await found({ operator: 'between', values: ['2025-12-31', '2025-12-31'] }, type)).toEqual(['zone'])
      expect(await found({ operator: 'after_next', value: '36500' }, type)).toEqual(['last'])
    }
  })

  test('contradictory conditions match no profile; a condition on an event that no profile has is false, and its negation true', async () => {
    await receive({ userId: 'ada' }, { type: 'identify', userId: 'ada', traits: { plan: 'pro' } })
    const found = async (query: AudienceQuery): Promise<number | null> =>
      (await compute((await create(query)).name)).size
    const trait = (operator: string, name = 'plan', value = 'pro') =>
      queryOf({ selectedAttributes: [{ id: 'dddd', name, valueType: 'text', operator, value, values: [] }] as never })
    const both = (one: AudienceQuery, other: AudienceQuery): AudienceQuery => {
      const query = structuredClone(one)
      const more = queriesOf(other).map((each) => ({ ...each, id: 'zzzz' }))
      Object.values(query.groups)[0]?.segments[0]?.queries.push(...more)
      return query
    }
    expect(await found(both(did('Seen'), never('Seen')))).toBe(0)
    expect(await found(both(trait('equals'), trait('not_equals')))).toBe(0)
    expect(await found(both(trait('equals'), trait('not_exists')))).toBe(0)
    expect(await found(did('Deleted Event'))).toBe(0)
    expect(await found(never('Deleted Event'))).toBe(1)
    expect(await found(trait('exists', 'deleted'))).toBe(0)
    expect(await found(trait('not_contains', 'deleted'))).toBe(1)
  })

  test('a value that looks like SQL, a pattern, or JSON matches only the same text, in traits and properties', async () => {
    const hostile = [
      "' or 1=1 --",
      '{x:String}',
      '$1',
      'a\\',
      '"}',
      '%',
      '_',
      '`',
      "\\'",
      '{"a":1}',
      "'; drop table profiles; --",
    ]
    await receive(
      { type: 'identify', userId: 'plain', traits: { plan: 'plain' } },
      ...hostile.map((plan, index) => ({ type: 'identify', userId: `user-${index}`, traits: { plan } })),
    )
    const trial = async (type: 'attribute' | 'event', part: object): Promise<string[]> => {
      const attribute = { id: 'dddd', name: 'plan', valueType: 'text', value: '', values: [], ...part }
      const query = queryOf({ type, selectedEvent: 'identify', selectedAttributes: [attribute] as never })
      const preview = await organization.collaborator.ok(methods.audiences.preview, { workspace }, { body: { query } })
      return preview.sample.map(({ title }) => title)
    }
    for (const [index, value] of hostile.entries())
      for (const type of ['attribute', 'event'] as const) {
        expect(await trial(type, { operator: 'equals', value })).toEqual([`user-${index}`])
        expect(await trial(type, { operator: 'equals_any', values: [value] })).toEqual([`user-${index}`])
        expect(await trial(type, { operator: 'contains_any', values: [value] })).not.toContain('plain')
        expect(await trial(type, { operator: 'starts_with', value })).toContain(`user-${index}`)
      }
  })

  test('a numeric text matches the equal number, and other texts with digits do not', async () => {
    const traits = { a: '12', b: 12, c: '12abc', d: '0x0c', e: '1e1', f: ' 12' }
    await receive(...Object.entries(traits).map(([userId, age]) => ({ type: 'identify', userId, traits: { age } })))
    const found = async (valueType: 'number' | 'text', value: string): Promise<string[]> => {
      const attribute = { id: 'dddd', name: 'age', valueType, operator: 'equals', value, values: [] }
      const { name } = await create(queryOf({ selectedAttributes: [attribute] as never }))
      await compute(name)
      return await members(name)
    }
    expect(await found('number', '12')).toEqual(['a', 'b'])
    expect(await found('number', '12.0')).toEqual(['a', 'b'])
    expect(await found('text', '12')).toEqual(['a'])
  })

  test('a query with a hundred conditions is counted', async () => {
    await receive({ userId: 'ada' })
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...(queriesOf(never(`Event ${index}`))[0] as SegmentQuery),
      id: String(index).padStart(4, '0'),
    }))
    const query = { ...did('Seen'), groups: { aaaa: { segments: [{ id: 'bbbb', queries: many }] } } }
    const { collaborator } = organization
    const preview = await collaborator.ok(methods.audiences.preview, { workspace }, { body: { query } })
    expect(preview.size).toBe(1)
  })

  test('a property or event whose name is SQL is treated only as a name', async () => {
    await receive({ userId: 'ada' })
    for (const event of ["') or 1=1 --", '{workspace:String}', '$1', 'x\\', '`'])
      expect(
        (await organization.collaborator.ok(methods.audiences.preview, { workspace }, { body: { query: did(event) } }))
          .size,
      ).toBe(0)
    const trait = queriesOf(trialAudience)[0]?.selectedAttributes[0]
    for (const name of ["a'", 'a`', 'a.', '.a', 'a"b', 'a)', '^a', 'a:Int64', 'a;'])
      expect(await refused(queryOf({ selectedAttributes: [{ ...trait, name }] as never }))).toContain('Use letters')
  })
})
