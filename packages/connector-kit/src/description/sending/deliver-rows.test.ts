import { describe, expect, it, onTestFinished } from 'vitest'
import type { EventOutcome, OutgoingRow } from '../../definition/definition.ts'
import {
  type PeerAnswer,
  type PeerRequest,
  runConnectorRows,
  runDescribeRows,
  startPeer,
} from '../../testing/testing.ts'
import { type TestRecord, testRowObject } from '../../testing/testing-rows.ts'
import { defineDescribed, readDescription } from '../define-described.ts'
import { guide, ok, sample, sampleText } from '../testing-descriptions.ts'

const text = (label: string, more: object = {}) => ({ label, help: 'H.', type: 'string', kind: 'trait', ...more })
const path = '/{{ space }}/{{ id }}'
const action = (title: string, request: string, more: object = {}) => ({
  title,
  description: 'D.',
  request,
  fields: {
    id: text('ID', { required: true }),
    space: text('Space'),
    plan: text('Plan'),
    age: text('Age', { type: 'number' }),
  },
  item: { plan: '{{ plan }}', age: '{{ age }}' },
  ...more,
})

const object = (more: object) => ({
  name: 'records',
  title: 'Records',
  description: 'D.',
  sync_modes: ['UPSERT_ONLY'],
  identifiers: [{ target: 'id' }],
  ...more,
})

const named = { field: 'space', title: 'Space', description: 'Its name.' }

/** A vendor with a request for each operation on a record. */
const whole = {
  requests: {
    put: { method: 'PUT', server: 'api', path },
    create: {
      method: 'POST',
      server: 'api',
      path,
      answers: { rules: [{ status: [409], outcome: 'skipped', message: 'It is there' }] },
    },
    patch: { method: 'PATCH', server: 'api', path, find: { request: 'look', value: 'id' } },
    look: { method: 'GET', server: 'api', path },
    remove: { method: 'DELETE', server: 'api', path, answers: { rules: [{ status: [404], outcome: 'skipped' }] } },
  },
  actions: {
    send: action('Put', 'put'),
    create: action('Create', 'create'),
    change: action('Change', 'patch'),
    remove: action('Remove', 'remove', { item: { id: '{{ id }}' } }),
  },
  objects: [
    object({
      actions: ['send', 'create', 'change', 'remove'],
      rows: { upsert: 'send', insert: 'create', update: 'change', delete: 'remove', identifiers: ['id'], named },
    }),
  ],
}

const settingsOf = (url: string) => ({ server: url, key: 'k3y-0123456789' })

/** A definition with a peer, and the rows written to it. */
const start = async (more: object, answer: (request: PeerRequest) => PeerAnswer = () => ok) => {
  const definition = defineDescribed(sample(more as Record<string, unknown>), guide)
  const peer = await startPeer(answer)
  onTestFinished(() => peer.close())
  const write = async (rows: readonly OutgoingRow[]): Promise<readonly EventOutcome[]> => {
    const { outcomes } = await runConnectorRows(definition, settingsOf(peer.url), rows)
    return outcomes as readonly EventOutcome[]
  }
  return { definition, peer, write }
}

describe('an object with an action for each operation', () => {
  const spaces = new Map<string, Map<string, TestRecord>>()
  const strict = new Set<string>()

  const answer = ({ method, url, body }: PeerRequest): PeerAnswer => {
    const [, name = '', id = ''] = url.split('/')
    const records = spaces.get(name) ?? new Map<string, TestRecord>()
    spaces.set(name, records)
    const known = records.get(id)
    if (method === 'GET')
      return known === undefined ? { status: 404, body: '{}' } : { status: 200, body: `{"id":"${id}"}` }
    if (method === 'DELETE') return records.delete(id) ? ok : { status: 404, body: '{}' }
    const { plan = null } = JSON.parse(body) as Partial<TestRecord>
    if (strict.has(name) && plan === 'bad') return { status: 422, body: '{"error":"a bad plan"}' }
    if (method === 'POST' && known !== undefined) return { status: 409, body: '{}' }
    records.set(id, { id, plan })
    return ok
  }

  testRowObject({
    address: (name) => defineDescribed(sample(whole), guide).rowObjects?.[0]?.address({ name, identifier: 'id' }) ?? '',
    write: async (rows) => (await start(whole, answer)).write(rows),
    read: async (name) => [...(spaces.get(name)?.values() ?? [])].toSorted((a, b) => a.id.localeCompare(b.id)),
    refuseBad: (name) => void strict.add(name),
  })

  it('has the modes of its operations, and describes its fields', async () => {
    const { definition } = await start(whole)
    expect(definition.kinds).toEqual(['Event Streams', 'Reverse ETL'])
    expect(definition.rowObjects).toMatchObject([
      { name: 'records', title: 'Space', syncModes: ['FULL_SYNC', 'UPSERT_ONLY', 'UPDATE_ONLY', 'INSERT_ONLY'] },
    ])
    const detail = await runDescribeRows(definition, settingsOf('http://localhost:1'), { object: 'records', name: 'a' })
    expect(detail.fields.map(({ name, unique, required }) => [name, unique, required])).toEqual([
      ['id', true, true],
      ['plan', false, false],
      ['age', false, false],
    ])
  })
})

describe('people of lists', () => {
  const request = (method: string) => ({
    method,
    server: 'api',
    path: '/lists/{{ list }}',
    batch: { at: 'items', max_items: 10, unique: '' },
  })
  const person = (title: string, used: string) => ({
    title,
    description: 'D.',
    request: used,
    fields: { email: { as: 'email', pii: 'email' }, list: text('List', { required: true }) },
    item: '{{ email }}',
  })
  const lists = {
    requests: { add: request('POST'), drop: request('DELETE') },
    actions: { send: person('Add', 'add'), drop: person('Remove', 'drop') },
    objects: [
      object({
        identifiers: [{ target: 'email' }],
        actions: ['send', 'drop'],
        rows: {
          upsert: 'send',
          delete: 'drop',
          identifiers: ['email'],
          named: { field: 'list', title: 'List', description: 'Its ID.' },
        },
      }),
    ],
  }
  const row = (operation: OutgoingRow['operation'], key: string, json = '{}'): OutgoingRow => ({
    recordId: `r-${operation}-${key}`,
    operation,
    object: 'rows/records/email/a%2Fb',
    key,
    json,
  })
  /** SHA-256 of a@x.io and b@x.io, from `sha256sum`. */
  const hashes = [
    'aa8a6b1226018606fb52fd4fb5e6f407d7a610c996250306acf156a247c08e26',
    'da9a33894db95b4ef8d14624dff99d9843211cb5bc458ea25fa45ecf5c0f73a8',
  ]

  it('are added and removed together, hashed, each person in order', async () => {
    const { peer, write } = await start(lists)
    const rows = [
      row('upsert', 'a@x.io'),
      row('delete', 'b@x.io'),
      row('upsert', ' B@x.io ', '{"email":"b@x.io"}'),
      row('upsert', 'b@x.io'),
    ]
    expect(await write(rows)).toEqual(rows.map(() => ({ kind: 'delivered' })))
    expect(
      peer.requests.map(({ method, url, body }) => [method, url, (JSON.parse(body) as { items: unknown }).items]),
    ).toEqual([
      ['POST', '/lists/a%2Fb', [hashes[0]]],
      ['DELETE', '/lists/a%2Fb', [hashes[1]]],
      ['POST', '/lists/a%2Fb', [hashes[1]]],
      ['POST', '/lists/a%2Fb', [hashes[1]]],
    ])
  })

  it('are items of a list inside a list of the body, which says by what they are known', async () => {
    const body = { users: [{ schema: ['{% if email %}EMAIL{% else %}PHONE{% endif %}'] }] }
    const inner = { ...request('POST'), body, batch: { at: 'users.0.data', max_items: 10, unique: '0' } }
    const add = person('Add', 'add')
    const send = { ...add, fields: { ...add.fields, phone: 'phone' }, item: [['{{ email | default: phone }}']] }
    const { peer, write } = await start({
      ...lists,
      requests: { add: inner, drop: inner },
      actions: { send, drop: send },
    })
    const rows = [row('upsert', 'a@x.io'), row('upsert', '', '{"email":null,"phone":"1"}'), row('upsert', 'b@x.io')]
    expect(await write(rows)).toEqual(rows.map(() => ({ kind: 'delivered' })))
    expect(peer.requests.map(({ body: sent }) => JSON.parse(sent) as unknown)).toEqual([
      { users: [{ schema: ['EMAIL'], data: hashes.map((hash) => [hash]) }] },
      { users: [{ schema: ['PHONE'], data: [['1']] }] },
    ])
  })
})

describe('a row is rejected with the reason', () => {
  const flat = {
    ...whole,
    objects: [
      object({ actions: ['send', 'create', 'change', 'remove'], rows: { upsert: 'send', identifiers: ['id'] } }),
    ],
  }
  const address = 'rows/records/id'
  it.each<[string, Partial<OutgoingRow>, string]>([
    ['an operation that the object does not have', { operation: 'delete' }, 'Records take no delete of a row'],
    ['another identifier', { object: 'rows/records/plan' }, 'Records are identified by id, not by plan'],
    ['a field that there is not', { json: '{"nam":1}' }, 'Records have no field "nam"'],
    ['a value of another type', { json: '{"age":"old"}' }, '"Age" (age) is text that is not a number'],
    ['a required value that is null', { json: '{"id":null}' }, '"ID" (id) is required'],
    ['another object', { object: 'rows/others/id' }, 'Sample takes no such rows'],
    ['no object', { object: 'users' }, 'Sample takes no such rows'],
    ['a broken address', { object: 'rows/records/%' }, 'Records are identified by id, not by '],
  ])('%s', async (_, more, reason) => {
    const { peer, write } = await start(flat)
    const row: OutgoingRow = { recordId: 'r', operation: 'upsert', object: address, key: 'a', json: '{}', ...more }
    expect(await write([row])).toEqual([{ kind: 'rejected', reason }])
    expect(peer.requests).toHaveLength(0)
  })

  it('and the others are written, with their columns as custom fields', async () => {
    const open = {
      ...flat,
      actions: {
        ...flat.actions,
        send: action('Put', 'put', { custom_fields: true, item: { $merge: ['{{ custom }}', { plan: '{{ plan }}' }] } }),
      },
    }
    const withSpace = {
      ...open,
      requests: { ...open.requests, put: { method: 'PUT', server: 'api', path: '/{{ id }}' } },
    }
    const { peer, write } = await start(withSpace)
    const row = (key: string, json: string): OutgoingRow => ({
      recordId: key,
      operation: 'upsert',
      object: address,
      key,
      json,
    })
    const outcomes = await write([
      row('a', '{"x":1,"long":12345678901234567890,"plan":null}'),
      row('b', '{"age":"old"}'),
      row('c', '{"y":null}'),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'rejected', 'delivered'])
    expect(peer.requests.map(({ url, body }) => [url, body])).toEqual([
      ['/a', '{"x":1,"long":12345678901234567890,"plan":null}'],
      ['/c', '{"y":null}'],
    ])
  })
})

it.each([
  ['an action that there is not', { upsert: 'other', identifiers: ['id'] }, /names a action other/],
  [
    'an action that the object does not list',
    { upsert: 'remove', identifiers: ['id'] },
    /does not list its action remove/,
  ],
  ['no operation', { identifiers: ['id'] }, /has rows without an operation/],
  ['an identifier that its action does not have', { upsert: 'send', identifiers: ['key'] }, /names a field key/],
])('rows are refused with %s', (_, rows, message) => {
  const objects = [object({ actions: ['send'], rows })]
  expect(() => readDescription(sampleText({ ...whole, objects }))).toThrow(message)
})
