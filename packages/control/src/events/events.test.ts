import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
/** Accepted events that are not stored yet, as workspace and ID, and a function that runs when one is looked up. */
const pending = new Set<string>()
let onAsked: () => Promise<void> = async () => {}
beforeAll(async () => {
  harness = await startControl({
    async isPendingEvent(workspaceId, eventId) {
      await onAsked()
      return pending.has(`${workspaceId} ${eventId}`)
    },
  })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const storeTime = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 23)
const iso = (ms: number): string => new Date(ms).toISOString()
const store = async (table: 'events' | 'deliveries' | 'replayed_events', rows: object[]) =>
  harness.eventStore.insert(table, rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })

const event = (workspaceId: string, sourceId: string, eventId: string, receive: number, more: object = {}) => ({
  workspace_id: workspaceId,
  source_id: sourceId,
  event_id: eventId,
  message_id: `m-${eventId}`,
  type: 'track',
  event: `Event ${eventId}`,
  user_id: 'u-1',
  status: 'accepted',
  receive_time: storeTime(receive),
  timestamp: storeTime(receive - 5),
  original: JSON.stringify({ event: `Event ${eventId}`, big: 1 }),
  ...more,
})

describe('the events of a source', () => {
  test("a source's events are listed once each, newest first, over pages, equal times, and all time ranges", async () => {
    const { administrator, workspaceId } = organization
    const { source } = await makeResources(workspaceId, administrator)
    const id = idIn(source.name)
    const now = harness.now()
    const times = [
      now - 1000,
      now - 1000,
      now - 1000,
      now - 2000,
      now - 7_200_000,
      now - 7_200_000,
      now - 40 * 86_400_000,
      now + 90_000,
    ]
    await store(
      'events',
      times.map((time, index) => event(workspaceId, id, `1-${index}-0`, time)),
    )
    // Events of another source and of another workspace, which must not be listed.
    await store('events', [
      event(workspaceId, newId(), '2-0-0', now),
      event(organization.otherWorkspaceId, id, '3-0-0', now),
    ])
    for (const size of [1, 2, 3, 50]) {
      const seen: string[] = []
      let page_token = ''
      do {
        const page = await administrator.ok(
          methods.events.listBySource,
          { workspace: workspaceId, source: id },
          { query: { page_size: size, page_token } },
        )
        seen.push(...page.events.map((each) => each.event_id))
        page_token = page.next_page_token
      } while (page_token !== '')
      expect(seen).toEqual(['1-7-0', '1-2-0', '1-1-0', '1-0-0', '1-3-0', '1-5-0', '1-4-0', '1-6-0'])
    }
  })

  test('events can be sorted by their own time, across pages and periods; an event with a fast clock counts from receipt', async () => {
    const { administrator, workspaceId } = organization
    const { source } = await makeResources(workspaceId, administrator)
    const id = idIn(source.name)
    const now = harness.now()
    const day = 86_400_000
    const happened = [now - 400 * day, now - 1000, now - 2 * day, now + day, now - 2 * day, now - 90_000]
    await store(
      'events',
      happened.map((time, index) =>
        event(workspaceId, id, `9${index}-0-0`, now - 60_000 + index * 1000, { timestamp: storeTime(time) }),
      ),
    )
    const list = async (query: object, size = 50): Promise<string> => {
      const seen: string[] = []
      let page_token = ''
      do {
        const page = await administrator.ok(
          methods.events.list,
          { workspace: workspaceId },
          { query: { ...query, source: source.name, page_size: size, page_token } },
        )
        seen.push(...page.events.map(({ event_id }) => event_id.slice(1, 2)))
        page_token = page.next_page_token
      } while (page_token !== '')
      return seen.join('')
    }
    // An event with a time after its receipt counts as of its receipt.
    for (const size of [1, 2, 3, 50]) expect(await list({ time_by: 'event_time' }, size)).toBe('315420')
    expect(await list({})).toBe('543210')
    expect(await list({ time_by: 'receive_time' })).toBe('543210')
    const period = { start_time: iso(now - 3 * day), end_time: iso(now - day) }
    expect(await list({ ...period, time_by: 'event_time' })).toBe('42')
    expect(await list(period)).toBe('')
    expect(await list({ end_time: iso(now - 300 * day), time_by: 'event_time' })).toBe('0')
  })

  test('a listed event has the fields that a list shows', async () => {
    const { administrator, workspaceId } = organization
    const { source } = await makeResources(workspaceId, administrator)
    const id = idIn(source.name)
    const at = harness.now() - 500
    await store('events', [
      event(workspaceId, id, '4-0-0', at, { test: true, type: 'identify', event: '', anonymous_id: 'a' }),
    ])
    const page = await administrator.ok(methods.events.listBySource, { workspace: workspaceId, source: id })
    expect(page.events).toEqual([
      {
        name: `workspaces/${workspaceId}/events/4-0-0`,
        event_id: '4-0-0',
        message_id: 'm-4-0-0',
        type: 'identify',
        title: 'identify',
        source: source.name,
        test: true,
        status: 'accepted',
        reason: '',
        user_id: 'u-1',
        anonymous_id: 'a',
        compatibility: '',
        schema_version: 0,
        receive_time: new Date(at).toISOString(),
        timestamp: new Date(at - 5).toISOString(),
      },
    ])
  })

  test('events are filtered by whole values, which are never part of a statement', async () => {
    const { administrator, workspaceId } = organization
    const { source } = await makeResources(workspaceId, administrator)
    const params = { workspace: workspaceId, source: idIn(source.name) }
    const at = harness.now() - 500
    const odd = "it's {x:String} \\ or 1=1 --"
    await store('events', [
      event(workspaceId, params.source, '5-0-0', at, { event: odd }),
      event(workspaceId, params.source, '5-1-0', at, { type: 'page', event: '', user_id: 'u-2' }),
      event(workspaceId, params.source, '5-2-0', at, { status: 'rejected', reason: 'no type', type: '' }),
    ])
    const ids = async (query: object) =>
      (await administrator.ok(methods.events.listBySource, params, { query })).events
        .map((each) => each.event_id)
        .toSorted()
    expect(await ids({ event: odd })).toEqual(['5-0-0'])
    expect(await ids({ event: "' or 1=1 --" })).toEqual([])
    expect(await ids({ type: 'page' })).toEqual(['5-1-0'])
    expect(await ids({ status: 'rejected' })).toEqual(['5-2-0'])
    expect(await ids({ user_id: 'u-2' })).toEqual(['5-1-0'])
    expect(await ids({ message_id: 'm-5-2-0' })).toEqual(['5-2-0'])
    expect(await ids({ user_id: 'u-1', status: 'accepted' })).toEqual(['5-0-0'])
  })
})

describe('one event', () => {
  test('one event is returned with its exact original and every delivery attempt', async () => {
    const { administrator, workspaceId } = organization
    const { source, destination } = await makeResources(workspaceId, administrator)
    const at = harness.now() - 500
    const original = '{"event":"A","n":12345678901234567890,"a.b":null}'
    await store('events', [
      event(workspaceId, idIn(source.name), '6-0-0', at, {
        original,
        sent_at: storeTime(at - 1),
        original_timestamp: storeTime(at - 2),
        ip: '203.0.113.7',
      }),
    ])
    const attempt = (n: number, more: object) => ({
      workspace_id: workspaceId,
      source_id: idIn(source.name),
      destination_id: idIn(destination.name),
      event_id: '6-0-0',
      message_id: 'm-6-0-0',
      event_type: 'track',
      event: 'A',
      time: storeTime(at + n),
      attempt: n,
      http_status: 200,
      latency_ms: 12,
      ...more,
    })
    await store('deliveries', [
      attempt(1, { status: 'retry', http_status: 500, reason: 'HTTP 500', request: 'POST', response: 'no' }),
      attempt(2, { status: 'delivered' }),
      attempt(4, { status: 'filtered', http_status: 0, reason: 'No mapping matches' }),
      attempt(3, { status: 'delivered', workspace_id: organization.otherWorkspaceId }),
    ])
    const found = await administrator.ok(methods.events.get, { workspace: workspaceId, event: '6-0-0' })
    expect(found).toMatchObject({
      original,
      payload: { event: 'Event 6-0-0', userId: 'u-1', extra: { n: 12345678901234567000, 'a.b': null } },
      ip: '203.0.113.7',
      sent_at: new Date(at - 1).toISOString(),
      original_timestamp: new Date(at - 2).toISOString(),
      deliveries: [
        { attempt: 4, status: 'filtered', reason: 'No mapping matches' },
        { attempt: 2, status: 'delivered', destination: destination.name },
        { attempt: 1, status: 'retry', http_status: 500, request: 'POST', response: 'no' },
      ],
    })
    const params = { workspace: workspaceId, destination: idIn(destination.name) }
    const first = await administrator.ok(methods.deliveries.list, params, { query: { page_size: 1 } })
    const rest = await administrator.ok(methods.deliveries.list, params, {
      query: { page_token: first.next_page_token },
    })
    expect(found).toMatchObject({ deliveries: [...first.deliveries, ...rest.deliveries] })
    const failed = await administrator.ok(methods.deliveries.list, params, { query: { status: 'retry' } })
    expect(failed.deliveries.map((each) => each.attempt)).toEqual([1])
    const left = await administrator.ok(methods.deliveries.list, params, { query: { status: 'filtered' } })
    expect(left.deliveries.map((each) => [each.attempt, each.reason])).toEqual([[4, 'No mapping matches']])
  })

  test('one event of a failed batch is returned with its own part of each sample; guests see no values in samples', async () => {
    const { administrator, guest, workspaceId: workspace } = organization
    const { source, destination } = await makeResources(workspace, administrator)
    const place = { workspace, destination: idIn(destination.name) }
    const at = harness.now() - 500
    const body = JSON.stringify([
      { messageId: 'm-6-1-0', userId: 'user-of-this' },
      { messageId: 'm-6-2-0', userId: 'user-of-another' },
    ])
    const sample = {
      request: `POST https://h.example/\n\n${body}`,
      response: 'HTTP 500\n\n{"failed":"user-of-this"}',
    }
    await store('events', [event(workspace, idIn(source.name), '6-1-0', at, { user_id: '' })])
    await store('deliveries', [
      {
        workspace_id: workspace,
        source_id: idIn(source.name),
        destination_id: place.destination,
        event_id: '6-1-0',
        message_id: 'm-6-1-0',
        time: storeTime(at),
        attempt: 1,
        status: 'retry',
        ...sample,
      },
    ])
    await harness.db
      .insertInto('parked_deliveries')
      .values({
        id: newId(),
        workspace_id: workspace,
        source_id: idIn(source.name),
        destination_id: place.destination,
        log_partition: 0,
        log_offset: 77,
        event_indexes: [0, 1],
        event_ids: [],
        event_count: 2,
        state: 'waiting',
        attempts: 1,
        first_time: '2026-01-01T00:00:00.000Z',
        next_time: '2026-01-02T00:00:00.000Z',
        last_status: 500,
        last_reason: 'HTTP 500',
        ...sample,
      })
      .execute()
    const shownTo = async (caller: typeof guest) => {
      const { failure_groups } = await caller.ok(methods.failureGroups.list, place)
      const failure_group = (failure_groups[0]?.name ?? '').split('/').at(-1) ?? ''
      return {
        event: await caller.ok(methods.events.get, { workspace, event: '6-1-0' }),
        log: await caller.ok(methods.deliveries.list, place),
        held: await caller.ok(methods.deliveries.listParked, place),
        groups: failure_groups,
        group: await caller.ok(methods.failureGroups.get, { ...place, failure_group }),
      }
    }
    const whole = await shownTo(administrator)
    for (const own of [whole.event, whole.log]) {
      expect(JSON.stringify(own)).toContain('user-of-this')
      expect(JSON.stringify(own)).not.toContain('user-of-another')
    }
    for (const batch of [whole.held, whole.groups, whole.group])
      expect(JSON.stringify(batch)).toContain('user-of-another')
    for (const [where, masked] of Object.entries(await shownTo(guest))) {
      expect(JSON.stringify(masked), where).not.toContain('user-of')
      expect(JSON.stringify(masked), where).toContain('POST https://h.example/•••')
      expect(JSON.stringify(masked), where).toContain('HTTP 500')
    }
  })

  test('one event is returned with its violations of the validating schema, and the time when it was sent again', async () => {
    const { administrator, workspaceId, otherWorkspaceId } = organization
    const { source } = await makeResources(workspaceId, administrator)
    const at = harness.now() - 5000
    const odd = 'a~1b/__proto__'
    await store('events', [
      event(workspaceId, idIn(source.name), '9-0-0', at, {
        status: 'blocked',
        compatibility: 'needsAttention',
        schema_version: 7,
        problems: [
          { property: 'total', kind: 'type' },
          { property: odd, kind: 'missing' },
          { property: 'coupon', kind: 'unknown' },
          { property: 'later', kind: 'a kind of a later version' },
        ],
      }),
      event(workspaceId, idIn(source.name), '9-1-0', at, { compatibility: 'incompatible', schema_version: 7 }),
      event(workspaceId, idIn(source.name), '9-2-0', at),
    ])
    const get = (id: string) => administrator.ok(methods.events.get, { workspace: workspaceId, event: id })
    const validated = {
      status: 'blocked',
      compatibility: 'needsAttention',
      schema_version: 7,
      problems: [
        { property: 'total', kind: 'type' },
        { property: odd, kind: 'missing' },
        { property: 'coupon', kind: 'unknown' },
      ],
    }
    expect(await get('9-0-0')).toMatchObject({ ...validated, replay_time: null })
    expect(await get('9-1-0')).toMatchObject({ compatibility: 'incompatible', problems: [], replay_time: null })
    expect(await get('9-2-0')).toMatchObject({ compatibility: '', schema_version: 0, problems: [] })

    const replayed = { workspace_id: workspaceId, source_id: idIn(source.name), event_id: '9-0-0' }
    await store('replayed_events', [{ ...replayed, workspace_id: otherWorkspaceId, time: storeTime(at + 1) }])
    expect(await get('9-0-0')).toMatchObject({ replay_time: null })
    await store('replayed_events', [{ ...replayed, time: storeTime(at + 1000) }])
    expect(await get('9-0-0')).toMatchObject({ ...validated, replay_time: new Date(at + 1000).toISOString() })
    expect(await get('9-1-0')).toMatchObject({ replay_time: null })
  })

  test('one event is returned as destinations receive it: with batch fields, exact numbers, and names in order', async () => {
    const { administrator, workspaceId } = organization
    const properties = '{"b":1.0,"10":9223372036854775807,"2":[1e400,-0,null,"\\ud800é"]}'
    const context = '{"library":{"name":"of the batch","1":2.50}}'
    const integrations = '{"All":true,"9":1.0}'
    const original = `{"type":"track","event":"Event exact-0","properties":${properties},"context":{"1":2.50}}`
    const more = { original, context, integrations }
    await store('events', [
      event(workspaceId, newId(), 'exact-0', harness.now(), more),
      event(workspaceId, newId(), 'exact-1', harness.now(), { ...more, status: 'rejected', reason: 'x: y' }),
    ])
    const read = async (id: string) => {
      const url = `/api/workspaces/${workspaceId}/events/${id}`
      const headers = { authorization: `Bearer ${administrator.token}` }
      const { body } = await harness.app.inject({ url, headers })
      return { body, text: (JSON.parse(body) as { payload_text: string }).payload_text }
    }
    const accepted = await read('exact-0')
    expect(accepted.text).toContain(
      `"properties":${properties},"context":${context},"integrations":${integrations},"test":false,`,
    )
    expect(accepted.body).toContain(`"payload":${accepted.text},`)
    expect(accepted.text).toMatch(/^\{"eventId":"exact-0","messageId":"m-exact-0","type":"track",/)
    // A rejected event was never in the form for destinations.
    expect((await read('exact-1')).body).toContain(`"payload":${original},`)
    expect((await read('exact-1')).text).toBe(original)
  })

  test('an event has no payload if its original is not a JSON object or is nested too deeply', async () => {
    const { administrator, workspaceId } = organization
    await store('events', [
      event(workspaceId, newId(), '7-0-0', harness.now(), { original: '{"broken"', status: 'rejected' }),
    ])
    expect(await administrator.ok(methods.events.get, { workspace: workspaceId, event: '7-0-0' })).toMatchObject({
      payload: null,
      original: '{"broken"',
    })
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    await store('events', [event(workspaceId, newId(), '7-1-0', harness.now(), { original: deep, status: 'rejected' })])
    expect(await administrator.ok(methods.events.get, { workspace: workspaceId, event: '7-1-0' })).toMatchObject({
      payload: null,
      original: deep,
    })
  })

  test('events are read with their payload by IDs, of this source only; unknown IDs are skipped', async () => {
    const { administrator, workspaceId } = organization
    const { source } = await makeResources(workspaceId, administrator)
    const id = idIn(source.name)
    await store('events', [
      event(workspaceId, id, '12-0-0', harness.now(), {
        original: '{"properties":{"total":1.0}}',
        context: '{"of":"batch"}',
      }),
      event(workspaceId, id, '12-1-0', harness.now(), { original: 'none' }),
      event(workspaceId, newId(), '12-2-0', harness.now()),
    ])
    const read = (ids: string) => administrator.call('GET', `/${source.name}/events:batchGet?event_ids=${ids}`)
    const { body } = await read('12-0-0,12-1-0,12-2-0,12-3-0')
    const found = (body as { events: { event_id: string; payload: unknown }[] }).events
    expect(found.map(({ event_id, payload }) => [event_id, payload]).sort()).toMatchObject([
      ['12-0-0', { properties: { total: 1 }, context: { of: 'batch' } }],
      ['12-1-0', null],
    ])
    expect((await read('')).status).toBe(400)
    expect((await read(Array(51).fill('12-0-0').join())).status).toBe(400)
  })

  test('API-06: an accepted event that is not stored yet is shown as pending, and complete after it is stored', async () => {
    const { administrator, workspaceId, otherWorkspaceId } = organization
    const read = (workspace: string) => administrator.call('GET', `/workspaces/${workspace}/events/10-0-0`)
    expect((await read(workspaceId)).status).toBe(404)
    pending.add(`${workspaceId} 10-0-0`)
    expect(await read(workspaceId)).toMatchObject({
      status: 200,
      body: { state: 'pending', name: `workspaces/${workspaceId}/events/10-0-0`, event_id: '10-0-0' },
    })
    expect((await read(otherWorkspaceId)).status).toBe(404)
    await store('events', [event(workspaceId, newId(), '10-0-0', harness.now())])
    expect(await read(workspaceId)).toMatchObject({ status: 200, body: { state: 'stored', event_id: '10-0-0' } })
  })

  test('an event that is stored between the two look-ups is found', async () => {
    const { administrator, workspaceId } = organization
    onAsked = () => store('events', [event(workspaceId, newId(), '11-0-0', harness.now())])
    expect(await administrator.call('GET', `/workspaces/${workspaceId}/events/11-0-0`)).toMatchObject({
      status: 200,
      body: { state: 'stored' },
    })
    onAsked = async () => {}
  })

  test('an event of another workspace is not found', async () => {
    const { administrator, workspaceId, otherWorkspaceId } = organization
    await store('events', [event(otherWorkspaceId, newId(), '8-0-0', harness.now())])
    expect(await administrator.call('GET', `/workspaces/${workspaceId}/events/8-0-0`)).toMatchObject({ status: 404 })
    const all = await administrator.ok(methods.events.list, { workspace: workspaceId }, { query: { page_size: 1000 } })
    expect(all.events.map((each) => each.event_id)).not.toContain('8-0-0')
    expect(all.events.length).toBeGreaterThan(3)
  })
})
