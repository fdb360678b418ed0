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
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

/** Columns of an event; `body` is the received text, unless `original` has it; `columns` are the JSON columns. */
type Row = Record<string, unknown> & { id: string; body?: object; original?: string; columns?: string }

/** A source with these events, and the ids of those that a query finds. */
const start = async (rows: readonly Row[]) => {
  const { administrator, workspaceId } = organization
  const { source } = await makeResources(workspaceId, administrator)
  const prefix = newId()
  const lines = rows.map(({ id, body = {}, original = JSON.stringify(body), columns, ...more }) => {
    const line = JSON.stringify({
      workspace_id: workspaceId,
      source_id: idIn(source.name),
      event_id: `${prefix}-${id}`,
      message_id: `m-${id}`,
      type: 'track',
      event: 'E',
      status: 'accepted',
      receive_time: harness.now() - 1000,
      timestamp: 0,
      original,
      ...more,
    })
    if (more['status'] === 'rejected') return line
    const { properties, traits, context } = JSON.parse(original)
    const stored = columns ?? JSON.stringify({ properties, traits: traits ?? context?.traits })
    return stored === '{}' ? line : `${line.slice(0, -1)},${stored.slice(1)}`
  })
  await harness.eventStore.insert('events', lines.join('\n'), { token: newId() })
  const ids = (page: { events: { event_id: string }[] }): string[] =>
    page.events.map((each) => each.event_id.slice(prefix.length + 1)).toSorted()
  const workspace = { workspace: workspaceId }
  return {
    source,
    /** The results of both lists, which must be equal. */
    async find(query: object): Promise<string[]> {
      const params = { ...workspace, source: idIn(source.name) }
      const found = ids(await administrator.ok(methods.events.listBySource, params, { query }))
      const all = { ...query, source: source.name }
      expect(ids(await administrator.ok(methods.events.list, workspace, { query: all }))).toEqual(found)
      return found
    },
  }
}

test('events are found by validation result, and by whether they are tests', async () => {
  const { find } = await start([
    { id: 'a', compatibility: 'compatible', test: true },
    { id: 'b', compatibility: 'incompatible', status: 'blocked' },
    { id: 'c', compatibility: 'needsAttention' },
    { id: 'd', status: 'rejected' },
  ])
  expect(await find({ compatibility: 'compatible' })).toEqual(['a'])
  expect(await find({ compatibility: 'incompatible', status: 'blocked' })).toEqual(['b'])
  expect(await find({ compatibility: 'needsAttention', status: 'blocked' })).toEqual([])
  expect(await find({ test: 'true' })).toEqual(['a'])
  expect(await find({ test: 'false' })).toEqual(['b', 'c', 'd'])
})

test('events are found by any part of their name, in any letter case', async () => {
  const { find } = await start([
    { id: 'a', event: 'Order Completed' },
    { id: 'b', event: 'Bestellung Größe ändern' },
    { id: 'c', event: '100% of_it' },
    { id: 'd', event: '', type: 'identify' },
  ])
  expect(await find({ search: 'der comp' })).toEqual(['a'])
  expect(await find({ search: 'ORDER' })).toEqual(['a'])
  expect(await find({ search: 'GRÖSSE' })).toEqual([])
  expect(await find({ search: 'ÄNDERN' })).toEqual(['b'])
  expect(await find({ search: '%' })).toEqual(['c'])
  expect(await find({ search: 'f_i' })).toEqual(['c'])
  expect(await find({ search: 'Identi' })).toEqual(['d'])
  expect(await find({ search: "' or 1=1 --" })).toEqual([])
})

test("a person's events are found by user ID or anonymous ID", async () => {
  const { find } = await start([
    { id: 'a', user_id: 'u-1', anonymous_id: 'x' },
    { id: 'b', user_id: 'u-2', anonymous_id: 'u-1' },
    { id: 'c', user_id: 'u-10' },
  ])
  expect(await find({ user_id: 'u-1' })).toEqual(['a', 'b'])
  expect(await find({ user_id: 'u-2' })).toEqual(['b'])
  expect(await find({ user_id: 'u' })).toEqual([])
})

test('events without a profile are found: accepted events of which no ID belongs to a user', async () => {
  const { find } = await start([
    { id: 'a', user_id: 'u-1' },
    { id: 'b' },
    { id: 'c', user_id: 'null', anonymous_id: '0' },
    { id: 'd', user_id: 'null', anonymous_id: 'x' },
    { id: 'e', status: 'rejected' },
  ])
  expect(await find({ profile: 'none' })).toEqual(['b', 'c'])
})

test('events are found by their receipt time: from the start to before the end', async () => {
  const at = (text: string): number => Date.parse(text)
  const { find } = await start([
    { id: 'a', receive_time: at('2026-01-01T00:00:00.000Z') },
    { id: 'b', receive_time: at('2026-01-01T11:59:59.999Z') },
    { id: 'c', receive_time: at('2026-01-01T12:00:00.000Z') },
    { id: 'd', receive_time: at('2026-03-04T05:00:00.000Z') },
  ])
  const noon = '2026-01-01T12:00:00Z'
  expect(await find({ start_time: noon })).toEqual(['c', 'd'])
  expect(await find({ end_time: noon })).toEqual(['a', 'b'])
  expect(await find({ end_time: noon, page_size: 1 })).toEqual(['b'])
  expect(await find({ start_time: '2026-01-01T00:00:00.001Z', end_time: noon })).toEqual(['b'])
  expect(await find({ start_time: '0001-01-01T00:00:00Z', end_time: '9999-12-31T23:59:59Z' })).toHaveLength(4)
})

test('pages of a filtered list show each event once', async () => {
  const rows = Array.from({ length: 7 }, (_, index) => ({
    id: `${index}`,
    receive_time: harness.now() - index * 20 * 3_600_000,
    body: { properties: { plan: index % 2 === 0 ? 'pro' : 'free' } },
  }))
  const { source } = await start(rows)
  const { collaborator, workspaceId } = organization
  const seen: string[] = []
  let page_token = ''
  do {
    const page = await collaborator.ok(
      methods.events.list,
      { workspace: workspaceId },
      { query: { source: source.name, property: 'plan', property_value: 'pro', page_size: 2, page_token } },
    )
    seen.push(...page.events.map((each) => each.event_id.slice(37)))
    page_token = page.next_page_token
  } while (page_token !== '')
  expect(seen).toEqual(['0', '2', '4', '6'])
})

describe('an event filter by a property and its value', () => {
  const by = (property: string, property_value: string) => ({ property, property_value })

  test("a property's value is matched as text, whatever its type", async () => {
    const { find } = await start([
      { id: 'text', body: { properties: { v: '49.9' } } },
      { id: 'number', body: { properties: { v: 49.9 } } },
      { id: 'written', original: '{"properties":{"v":4.990E1}}' },
      { id: 'truth', body: { properties: { v: true } } },
      { id: 'word', body: { properties: { v: 'true' } } },
      { id: 'one', body: { properties: { v: 1 } } },
      { id: 'null', body: { properties: { v: null } } },
      { id: 'empty', body: { properties: { v: '' } } },
      { id: 'object', body: { properties: { v: { v: 'inner' } } } },
      { id: 'list', body: { properties: { v: ['inner'] } } },
      { id: 'other', body: { properties: { w: '49.9' } } },
    ])
    expect(await find(by('v', '49.9'))).toEqual(['number', 'text', 'written'])
    expect(await find(by('v', '49.90'))).toEqual(['number', 'written'])
    expect(await find(by('v', 'true'))).toEqual(['truth', 'word'])
    expect(await find(by('v', '1'))).toEqual(['one'])
    expect(await find(by('v', 'null'))).toEqual([])
    expect(await find(by('v', ''))).toEqual(['empty'])
    expect(await find(by('v', 'inner'))).toEqual([])
    expect(await find(by('V', 'true'))).toEqual([])
  })

  test("a property's value does not match numbers that differ only by rounding", async () => {
    const numbers = ['9007199254740993', '9007199254740992', '0.12345678901234567']
    const { find } = await start(
      numbers.map((id) => ({
        id,
        original: `{"properties":{"id":${id}}}`,
        columns: `{"properties":{"id":${id}}}`,
      })),
    )
    for (const number of ['9007199254740993', '0.12345678901234567'])
      expect(await find(by('id', number))).toEqual([number])
  })

  test('a property is matched in an event that also has a number that the engine cannot read', async () => {
    const { find } = await start([
      {
        id: 'a',
        original: '{"properties":{"plan":"pro","n":12345678901234567890123}}',
        columns: '{"properties":{"plan":"pro","n":1.2345678901234568e22}}',
      },
    ])
    expect(await find(by('plan', 'pro'))).toEqual(['a'])
    expect(await find(by('plan', 'free'))).toEqual([])
  })

  test('a filter by property also matches traits, including those in the context of an identify call', async () => {
    const { find } = await start([
      { id: 'a', type: 'identify', body: { traits: { plan: 'pro' } } },
      { id: 'b', type: 'group', body: { traits: { plan: 'pro' } } },
      {
        id: 'c',
        type: 'identify',
        original: '{"type":"identify","context":{"traits":{"plan":"pro"}}}',
      },
      { id: 'd', type: 'track', original: '{"type":"track","context":{"traits":{"plan":"pro"}}}' },
      { id: 'e', type: 'page', body: { properties: { plan: 'pro' } } },
    ])
    expect(await find(by('plan', 'pro'))).toEqual(['a', 'b', 'c', 'e'])
    expect(await find({ ...by('plan', 'pro'), type: 'identify' })).toEqual(['a', 'c'])
  })

  /** An object with one property, also of the name `__proto__`. */
  const named = (name: string, value: string): unknown =>
    JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)
  const names = [
    'a.b',
    'a.b.c',
    'items[0]',
    '[]',
    '^a',
    'a.:Int64',
    'total:String',
    '`tick`',
    '"double"',
    "it's",
    'back\\slash',
    '__proto__',
    'constructor',
    '$ref',
    '{property:String}',
    "' or 1=1 --",
    'größe 尺寸 🙂',
    '-1',
    '1',
    'a b',
    '%',
    '',
  ]
  test('a filter matches a property with any characters in its name, and no nested property', async () => {
    const text = 'yes, it\'s {me} \\ "so" ü'
    const { find } = await start([
      ...names.map((name) => ({ id: `${name}: yes`, original: JSON.stringify({ properties: named(name, text) }) })),
      ...names.map((name) => ({ id: `${name}: no`, original: JSON.stringify({ properties: named(name, 'no') }) })),
      { id: 'nested', body: { properties: { a: { b: 'nested', 'b.c': 'nested' }, items: ['nested'], x: 'nested' } } },
    ])
    for (const name of names) {
      expect(await find(by(name, text))).toEqual([`${name}: yes`])
      expect(await find(by(name, 'nested'))).toEqual([])
    }
    expect(await find(by("' or 1=1 --", "' or 1=1 --"))).toEqual([])
  })

  test('a filter by property matches rejected events if they are requested', async () => {
    const { find } = await start([
      { id: 'a', status: 'rejected', original: '{"properties":{"plan":"pro"}}' },
      { id: 'b', status: 'rejected', original: '{"properties":{"plan":"pro"' },
    ])
    expect(await find({ ...by('plan', 'pro'), status: 'rejected' })).toContain('a')
    expect(await find(by('plan', 'pro'))).toEqual([])
    expect(await find(by('a.b', 'pro'))).toEqual([])
  })
})

test('combined filters return only the events that match each of them', async () => {
  const { find } = await start([
    { id: 'a', event: 'Order', user_id: 'u', body: { properties: { plan: 'pro' } } },
    { id: 'b', event: 'Order', user_id: 'v', body: { properties: { plan: 'pro' } } },
    { id: 'c', event: 'Other', user_id: 'u', body: { properties: { plan: 'pro' } } },
    { id: 'd', event: 'Order', user_id: 'u', body: { properties: { plan: 'free' } } },
  ])
  expect(await find({ search: 'ord', user_id: 'u', property: 'plan', property_value: 'pro' })).toEqual(['a'])
})

test.each([
  ['property=plan', 'property_value'],
  ['property_value=pro', 'property'],
  ['start_time=2026-01-01T00:00:00Z&end_time=2026-01-01T00:00:00Z', 'end_time'],
  ['start_time=yesterday', 'start_time'],
  ['end_time=2026-02-30T00:00:00Z', 'end_time'],
  ['compatibility=perfect', 'compatibility'],
  ['status=sent', 'status'],
  ['test=1', 'test'],
  ['type=order', 'type'],
  [`search=${'x'.repeat(201)}`, 'search'],
])('the query %s is refused with 400, and the response names the field', async (query, field) => {
  const { source } = await start([])
  const { guest, workspaceId } = organization
  for (const path of [`/${source.name}/events`, `/workspaces/${workspaceId}/events`]) {
    const reply = await guest.call('GET', `${path}?${query}`)
    expect([reply.status, Object.keys(reply.body['metadata'] ?? {})]).toEqual([400, [field]])
  }
})

test("an invalid source name is refused, and another workspace's source is not found", async () => {
  const { source } = await start([{ id: 'a' }])
  const { guest, outsider, workspaceId, otherWorkspaceId } = organization
  const of = (workspace: string, name: string): string => `/workspaces/${workspace}/events?source=${name}`
  expect(await guest.call('GET', of(workspaceId, idIn(source.name)))).toMatchObject({ status: 400 })
  expect(await outsider.call('GET', of(otherWorkspaceId, source.name))).toMatchObject({ status: 404 })
  expect(await outsider.call('GET', of(workspaceId, source.name))).toMatchObject({ status: 404 })
})
