import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readOwn } from './read-own.ts'
import { runVectors } from './run-vectors.ts'
import { secretsSentElsewhere } from './secret-origins.ts'
import { ownDescription } from './testing-own.ts'

const textOf = (change: object = {}): string => JSON.stringify({ ...ownDescription(), ...change })
const read = (change: object = {}) => readOwn({ description: textOf(change), guide: '' }, 'own-1-1')
const described = (change: object = {}) => {
  const reading = read(change)
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  return reading
}

test('a description without guide and vectors is a destination, and its slug is that of the version', async () => {
  const { definition } = described()
  expect(definition).toMatchObject({ slug: 'own-1-1', title: 'My service' })
  expect(await runVectors(textOf(), definition)).toEqual([])
})

test('a batch of an own destination has at most 500 events', () => {
  const limits = { ...ownDescription().limits, max_events: 10_000 }
  expect(described({ limits }).definition.batching({}).maxEvents).toBe(500)
})

test.each([
  ['no JSON', '{"title": ', '', /is no JSON/],
  ['a list', '[]', '', /expected object/],
  ['a missing member', textOf({ title: undefined }), 'title', /expected string/],
  ['an unknown member', textOf({ colour: 'red' }), '', /colour/],
  ['an unknown request', textOf({ test: { request: 'none', message: 'Works.' } }), 'test', /request none/],
  ['a bad server', textOf({ servers: { api: 'http://a.example' } }), 'servers.api', /Invalid|https/],
  ['depth', '{"a":'.repeat(50_000), '', /JSON|deep/],
])('a description with %s has a problem with its place', (_, description, path, message) => {
  const reading = readOwn({ description, guide: '' }, 'own-1-1')
  expect(reading.ok ? [] : reading.problems).toContainEqual({ path, message: expect.stringMatching(message) })
})

test('a guide that is none is a problem of the guide', () => {
  const reading = readOwn({ description: textOf(), guide: 'No heading' }, 'own-1-1')
  expect(reading.ok ? [] : reading.problems).toEqual([
    { path: 'guide', message: 'A guide begins with a heading: ## Title' },
  ])
})

test('vectors show the exact requests and the outcomes of answers, and a failure shows both sides', async () => {
  const vectors = {
    settings: { url: 'https://a.example/base', api_key: 'key-1' },
    requests: [
      {
        name: 'as documented',
        events: [{ event: 'Signed Up', userId: 'u1' }],
        requests: [
          {
            method: 'POST',
            url: 'https://a.example/base/events',
            headers: { 'x-api-key': 'key-1' },
            body: { name: 'Signed Up', user: 'u1' },
          },
        ],
      },
      {
        name: 'another path',
        events: [{ event: 'Signed Up', userId: 'u1' }],
        requests: [{ method: 'POST', url: 'https://a.example/base/other', body: { name: 'Signed Up', user: 'u1' } }],
      },
    ],
    answers: [{ name: 'refused', events: ['A'], answers: [400], outcomes: ['rejected: HTTP 400'] }],
  }
  const results = await runVectors(textOf({ vectors }), described().definition)
  expect(results.map(({ path, ok, message }) => ({ path, ok, message }))).toEqual([
    { path: 'vectors.requests.0', ok: true, message: '' },
    { path: 'vectors.requests.1', ok: false, message: 'The requests differ' },
    { path: 'vectors.answers.0', ok: true, message: '' },
  ])
  expect(results[1]?.expected).toContain('/base/other')
  expect(results[1]?.actual).toContain('/base/events')
})

test('vectors that take too long do not all run', async () => {
  const vector = { events: ['A'], answers: [200], outcomes: ['delivered'] }
  const vectors = { settings: { url: 'https://a.example', api_key: 'k' }, answers: [vector, vector, vector] }
  let time = 0
  const results = await runVectors(textOf({ vectors }), described().definition, () => (time += 3000))
  expect(results.map(({ ok }) => ok)).toEqual([true, false])
  expect(results[1]?.message).toMatch(/longer than 5 seconds/)
})

test('vectors of rows show the requests of a sync, and say why a row is none', async () => {
  const { objects, requests, actions } = ownDescription()
  const contacts = {
    requests: { ...requests, remove: { method: 'DELETE', server: 'api', path: '/contacts/{{ user }}' } },
    actions: { ...actions, remove: { ...actions.track, request: 'remove', item: undefined } },
    objects: [
      {
        ...objects[0],
        actions: ['track', 'remove'],
        rows: { upsert: 'track', delete: 'remove', identifiers: ['user'] },
      },
    ],
  }
  const given = { object: 'events', identifier: 'user', requests: [] }
  const removed = { method: 'DELETE', url: 'https://a.example/contacts/ada' }
  const vectors = {
    settings: { url: 'https://a.example', api_key: 'key-1' },
    rows: [
      {
        ...given,
        rows: [{ user: 'ada', name: 'Ada' }],
        requests: [{ method: 'POST', url: 'https://a.example/events', body: { name: 'Ada', user: 'ada' } }],
      },
      { ...given, operation: 'delete', rows: [{ user: 'ada' }], requests: [removed] },
      { ...given, operation: 'delete', rows: [{ user: 'ada' }], requests: [removed], answers: [400] },
      {
        ...given,
        operation: 'insert',
        rows: [{ user: 'ada' }],
        outcomes: ['rejected: Events take no insert of a row'],
      },
      { ...given, object: 'none', rows: [{ user: 'ada' }] },
      { ...given, rows: [{ name: 'Ada' }] },
    ],
  }
  const results = await runVectors(textOf({ ...contacts, vectors }), described(contacts).definition)
  expect(results.map(({ path, message }) => `${path} ${message}`)).toEqual([
    'vectors.rows.0 ',
    'vectors.rows.1 ',
    'vectors.rows.2 The outcomes differ',
    'vectors.rows.3 ',
    'vectors.rows.4 There is no object none with rows',
    'vectors.rows.5 A row needs a value of user',
  ])
})

test.each(['amplitude', 'loops'])('the vectors of a destination of the product run, too: %s', async (slug) => {
  const folder = new URL(`../../../../connectors/destinations/${slug}/`, import.meta.url)
  const description = readFileSync(new URL('description.json', folder), 'utf8')
  const reading = readOwn({ description, guide: readFileSync(new URL('guide.md', folder), 'utf8') }, 'own-1-1')
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  const results = await runVectors(description, reading.definition)
  expect(results.length).toBeGreaterThan(3)
  expect(results.filter(({ ok }) => !ok)).toEqual([])
})

const { settings: ownSettings, requests } = ownDescription()
const values = { url: 'https://a.example', api_key: 'key-1' }

test.each([
  ['the same origin with another path', { requests: { ...requests, send: { ...requests.send, path: '/other' } } }, []],
  ['a fixed host', { servers: { api: 'https://evil.example' } }, ['api_key']],
  ['a fixed host with the same origin', { servers: { api: 'https://a.example' } }, []],
  [
    'a setting without a value',
    {
      settings: { ...ownSettings, other: { ...ownSettings.url, label: 'Other' } },
      servers: { api: { setting: 'other' } },
    },
    ['api_key'],
  ],
  [
    'a second request to another host',
    {
      servers: { api: { setting: 'url' }, second: 'https://b.example' },
      requests: { ...requests, more: { ...requests.send, server: 'second' } },
    },
    ['api_key'],
  ],
  [
    'a token URL on another host',
    {
      servers: { api: { setting: 'url' }, second: 'https://b.example' },
      auth: {
        default: [
          { in: 'client_credentials', server: 'second', path: '/t', client_id: 'api_key', client_secret: 'api_key' },
        ],
      },
    },
    ['api_key'],
  ],
  [
    'another host that gets no secret',
    {
      servers: { api: { setting: 'url' }, second: 'https://b.example' },
      auth: { ...ownDescription().auth, open: [] },
      requests: { ...requests, more: { ...requests.send, server: 'second', auth: 'open' } },
    },
    [],
  ],
])('a version with %s sends these secrets elsewhere', (_, change, elsewhere) => {
  const before = { described: described().described, settings: values }
  const after = { described: described(change).described, settings: values }
  expect(secretsSentElsewhere(before, after)).toEqual(elsewhere)
})

test('the description in the documentation has no problems, and its vectors pass', async () => {
  const page = readFileSync(new URL('../../../../docs/own-destinations.md', import.meta.url), 'utf8')
  const [, description = ''] = /```json\n([^`]*)```/.exec(page) ?? []
  const reading = readOwn({ description, guide: '' }, 'own-1-1')
  expect(reading.ok ? [] : reading.problems).toEqual([])
  if (!reading.ok) return
  const results = await runVectors(description, reading.definition)
  expect(results.map(({ ok, actual }) => (ok ? 'passes' : actual))).toEqual(['passes', 'passes'])
})
