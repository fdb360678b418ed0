import { ExactNumber } from '@tributary/kernel'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EventOutcome } from '../../definition/definition.ts'
import { ConfigurationError, RetryableError } from '../../errors.ts'
import { outgoingEvent, runConnector, startPeer } from '../../testing/testing.ts'
import { defineDescribed } from '../define-described.ts'
import { byIndex, guide, ids, kinds, now, ok, run, sample } from '../testing-descriptions.ts'
import { makeUnits } from './make-units.ts'

const formItem = { id: '{{ id }}', name: '{{ name }}', l: '{{ list }}' }
/** The sample whose action makes this item. */
const itemOf = (item: unknown) => {
  const { send } = sample().actions
  const fields = Object.fromEntries(
    ['id', 'name', 'list'].map((name) => [name, { label: 'F', help: 'H.', type: 'any', kind: 'property' }]),
  )
  return { actions: { send: { ...send, fields, item } } }
}

describe('a batch', () => {
  it('is divided by the limits of items and bytes, and keeps the order', async () => {
    const { sent, outcomes } = await run({}, [...ids(12), { id: 12, name: 'x'.repeat(1705) }, { id: 13 }], () => ok)
    expect(sent.map((items) => items.map(({ id }) => id))).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [10, 11],
      [12, 13],
    ])
    expect(kinds(outcomes)).toEqual(Array.from({ length: 14 }, () => 'delivered'))
  })

  it('an event of which its description makes too many values is rejected alone', async () => {
    const numbers = Array.from({ length: 1000 }, (_, at) => at)
    const wide = { $each: '{{ list }}', $item: Object.fromEntries(numbers.map((at) => [`m${at}`, at])) }
    const payloads = [
      { id: 1, list: numbers },
      { id: 2, list: [1] },
    ]
    const { outcomes } = await run(itemOf({ id: '{{ id }}', all: wide }), payloads, () => ok)
    expect(outcomes[0]).toEqual({
      kind: 'rejected',
      reason: 'A template fails: the values of the event are too large',
    })
  })

  it('an event without one of the needed fields, or with half of a pair, is rejected alone', async () => {
    const { actions } = itemOf(formItem)
    const send = { ...actions.send, needs_one_of: ['list', ['id', 'name']] }
    const payloads = [{ id: 1 }, { id: 2, name: 'x' }, { list: [1] }]
    const { outcomes } = await run({ actions: { send } }, payloads, () => ok)
    expect(kinds(outcomes)).toEqual(['rejected', 'delivered', 'delivered'])
  })

  it('a batch in a form keeps the limit of bytes, with the name of its list for each item', async () => {
    const batch = {
      method: 'POST',
      server: 'api',
      path: '/batch',
      encoding: 'form',
      batch: { at: 'items', max_items: 100 },
      max_bytes: 1000,
    }
    const sizes: number[] = []
    const peer = await startPeer(({ body }) => {
      sizes.push(Buffer.byteLength(body))
      return ok
    })
    onTestFinished(() => peer.close())
    const definition = defineDescribed(sample({ requests: { batch } }), guide)
    const events = ids(60).map((payload, at) => outgoingEvent({ messageId: `m-${at}` }, { action: 'send', payload }))
    await runConnector(definition, { server: peer.url, key: 'k3y-0123456789' }, events, { now })
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000)
  })

  it('sends items with one key in one request each, in order', async () => {
    const batch = { method: 'POST', server: 'api', path: '/batch', batch: { at: 'items', max_items: 10, unique: 'id' } }
    const { sent } = await run(
      { requests: { batch } },
      [{ id: 1, name: 'a' }, { id: 2 }, { id: 1, name: 'b' }, { id: 3 }],
      () => ok,
    )
    expect(sent).toEqual([
      [{ id: 1, name: 'a' }, { id: 2 }],
      [{ id: 1, name: 'b' }, { id: 3 }],
    ])
  })

  it('a later change of a record waits while an earlier one is sent again', async () => {
    const batch = { method: 'POST', server: 'api', path: '/batch', batch: { at: 'items', max_items: 10, unique: 'id' } }
    const described = { requests: { batch }, ...byIndex('delivered', { retry: { path: 'code', is: [503] } }) }
    const payloads = [{ id: 1, name: 'a' }, { id: 2 }, { id: 1, name: 'b' }, { id: 3 }]
    const { outcomes, sent } = await run(described, payloads, (_, at) =>
      at === 0 ? { status: 207, body: '{"errors":[{"at":0,"code":503,"why":"busy"}]}' } : ok,
    )
    expect(outcomes).toEqual([
      { kind: 'retry', reason: 'busy' },
      { kind: 'delivered' },
      { kind: 'retry', reason: 'Waits for an earlier change of the same record' },
      { kind: 'delivered' },
    ])
    expect(sent.at(-1)).toEqual([{ id: 3 }])
  })

  it('a refused request is sent in halves until the refused event is alone', async () => {
    const { outcomes } = await run({}, ids(8), (items) => (items.some(({ id }) => id === 5) ? { status: 422 } : ok))
    expect(kinds(outcomes).map((kind, at) => [at, kind])).toEqual(
      Array.from({ length: 8 }, (_, at) => [at, at === 5 ? 'rejected' : 'delivered']),
    )
  })
})

describe('a reason that all events of a request share', () => {
  const large = {
    requests: { batch: { method: 'POST', server: 'api', path: '/batch', batch: { at: 'items', max_items: 100 } } },
  }

  it('costs a bounded number of requests, and the events that were not sent alone wait', async () => {
    let requests = 0
    const { outcomes } = await run(large, ids(100), () => {
      requests++
      return { status: 400, body: '{"why":"Unknown property"}' }
    })
    expect(requests).toBeLessThan(50)
    expect(kinds(outcomes).slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'rejected'))
    const waiting = outcomes.slice(20)
    expect(new Set(kinds(waiting))).toEqual(new Set(['retry']))
    expect(waiting[0]).toHaveProperty('reason', expect.stringContaining('20 in a row were refused: HTTP 400'))
  })

  it('does not stop events behind refused ones that others separate', async () => {
    const refused = (id: number): boolean => id % 10 !== 9
    const { outcomes } = await run(large, ids(60), (items) =>
      items.some(({ id }) => refused(Number(id))) ? { status: 400 } : ok,
    )
    expect(kinds(outcomes)).toEqual(Array.from({ length: 60 }, (_, id) => (refused(id) ? 'rejected' : 'delivered')))
  })
})

it('people are added to lists and removed from them, with a request for each list, in order', async () => {
  const request = (method: string) => ({
    method,
    server: 'api',
    path: '/lists/{{ name }}/people',
    batch: { at: 'items', max_items: 10, unique: 'id' },
  })
  const action = (title: string, used: string) => ({
    title,
    description: 'D.',
    request: used,
    fields: {
      id: { label: 'F', help: 'H.', type: 'any', kind: 'property' },
      name: { label: 'F', help: 'H.', type: 'string', kind: 'property' },
    },
    item: { id: '{{ id }}' },
  })
  const more = {
    requests: { add: request('POST'), remove: request('DELETE') },
    actions: { send: action('Add', 'add'), remove: action('Remove', 'remove') },
  }
  const definition = defineDescribed(sample(more), guide)
  const peer = await startPeer(() => ok)
  onTestFinished(() => peer.close())
  const change = (action: string, id: number, name: string) =>
    outgoingEvent({ messageId: `m-${id}` }, { action, payload: { id, name } })
  const batch = [
    change('send', 1, 'a'),
    change('send', 2, 'b'),
    change('remove', 3, 'a'),
    change('send', 4, 'a'),
    change('remove', 5, 'a'),
    change('remove', 2, 'b'),
    change('send', 3, 'a'),
    change('send', 6, 'a'),
  ]
  const { outcomes } = await runConnector(definition, { server: peer.url, key: 'k3y-0123456789' }, batch, { now })
  expect(kinds(outcomes as readonly EventOutcome[])).toEqual(batch.map(() => 'delivered'))
  expect(peer.requests.map(({ method, url, body }) => [method, url, JSON.parse(body) as unknown])).toEqual([
    ['POST', '/lists/a/people', { items: [{ id: 1 }, { id: 4 }] }],
    ['POST', '/lists/b/people', { items: [{ id: 2 }] }],
    ['DELETE', '/lists/a/people', { items: [{ id: 3 }, { id: 5 }] }],
    ['DELETE', '/lists/b/people', { items: [{ id: 2 }] }],
    // The person 3 was removed before.
    ['POST', '/lists/a/people', { items: [{ id: 3 }, { id: 6 }] }],
  ])
})

it('other work of the thread runs while a large batch is prepared', async () => {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const batch = ids(5000).map((payload) => ({ action: 'send', payload }))
  const { units } = await makeUnits(sample(), batch, { server: 'https://sample.example', key: 'k' })
  isOver = true
  expect(units.map(({ index }) => index)).toEqual(ids(5000).map(({ id }) => id))
  expect(turns).toBeGreaterThan(1)
})

describe('several requests of a batch', () => {
  const one = {
    requests: { batch: { method: 'POST', server: 'api', path: '/{{ id }}', headers: { 'X-Name': '{{ name }}' } } },
  }

  it('each event has its own request and outcome', async () => {
    const { outcomes, requests } = await run(
      one,
      [{ id: 'a/b' }, { id: new ExactNumber('12345678901234567890') }, { id: '..' }, { id: '' }, { id: { a: 1 } }],
      (_, at) => (at === 0 ? { status: 422, body: '{"error":"no"}' } : ok),
    )
    expect(requests.map(({ url }) => url)).toEqual(['/a%2Fb', '/12345678901234567890'])
    expect(kinds(outcomes)).toEqual(['rejected', 'delivered', 'rejected', 'rejected', 'rejected'])
    expect(outcomes[0]).toEqual({ kind: 'rejected', reason: 'HTTP 422: no' })
  })

  it('after a rate limit, the rest waits, and what was accepted stays delivered', async () => {
    const { outcomes, sent } = await run(one, ids(5), (_, at) =>
      at === 2 ? { status: 429, headers: { 'retry-after': '9' } } : ok,
    )
    expect(kinds(outcomes)).toEqual(['delivered', 'delivered', 'retry', 'retry', 'retry'])
    expect(outcomes[4]).toMatchObject({ retryAfterMs: 9000 })
    expect(sent).toHaveLength(3)
  })

  it('one event that makes the vendor fail does not hold the others up', async () => {
    const { outcomes } = await run(one, ids(5), (_, at) => (at === 1 ? { status: 500 } : ok))
    expect(kinds(outcomes)).toEqual(['delivered', 'retry', 'delivered', 'delivered', 'delivered'])
  })

  it.each([
    ['first', 0],
    ['in the middle', 1],
    ['last', 2],
  ])('if the request with wrong credentials is %s, only its events are held', async (_, wrong) => {
    const { outcomes } = await run(one, ids(3), (_items, at) => (at === wrong ? { status: 403 } : ok))
    const reason = 'Sample refuses the credentials (HTTP 403)'
    const held = { kind: 'retry', reason, misconfigured: true, ofEvent: true }
    expect(outcomes).toEqual([0, 1, 2].map((at) => (at === wrong ? held : { kind: 'delivered' })))
  })

  it('an event whose ID has half of a character is rejected alone', async () => {
    const { outcomes } = await run(one, [{ id: 1 }, { id: 'b\ud800' }, { id: 3 }], () => ok)
    expect(kinds(outcomes)).toEqual(['delivered', 'rejected', 'delivered'])
  })

  it('a wrong set-up holds the later events for the same address', async () => {
    const single = { requests: { batch: { method: 'POST', server: 'api', path: '/one' } } }
    const { outcomes, sent } = await run(single, ids(3), (_, at) => (at === 1 ? { status: 403 } : ok))
    expect(kinds(outcomes)).toEqual(['delivered', 'retry', 'retry'])
    expect(sent).toHaveLength(2)
  })

  it.each([3, 5])('%i wrong addresses hold only their own events', async (wrong) => {
    const { outcomes } = await run(one, ids(9), (_items, at) => (at < wrong ? { status: 403 } : ok))
    expect(kinds(outcomes)).toEqual(Array.from({ length: 9 }, (_, at) => (at < wrong ? 'retry' : 'delivered')))
  })

  it('wrong credentials of all requests hold the whole batch, after twenty requests', async () => {
    let requests = 0
    const sent = run(one, ids(30), () => {
      requests++
      return { status: 403 }
    })
    await expect(sent).rejects.toThrow('Sample refuses the credentials')
    expect(requests).toBe(20)
  })

  it('a header with a line end rejects its event', async () => {
    const { outcomes } = await run(one, [{ id: 1, name: 'a\r\nx-evil: 1' }], () => ok)
    expect(outcomes).toEqual([{ kind: 'rejected', reason: 'The header X-Name has characters that are not allowed' }])
  })
})

describe('a lookup', () => {
  const upsert = {
    requests: {
      batch: {
        method: 'PATCH',
        server: 'api',
        path: '/records/{{ found }}',
        find: { request: 'search', value: 'data.0.id', otherwise: 'create' },
      },
      search: { method: 'GET', server: 'api', path: '/records', query: { key: '{{ id }}' } },
      create: { method: 'POST', server: 'api', path: '/records' },
    },
  }

  it.each([
    ['is changed if it is there', '{"data":[{"id":"r1"}]}', 200, 'PATCH /records/r1'],
    ['is created if the list is empty', '{"data":[]}', 200, 'POST /records'],
    ['is created if there is none', '{}', 404, 'POST /records'],
  ])('a record %s', async (_, body, status, expected) => {
    const { outcomes, requests } = await run(upsert, [{ id: 'k' }], (_items, at) => (at === 0 ? { status, body } : ok))
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /records?key=k', expected])
    expect(kinds(outcomes)).toEqual(['delivered'])
  })

  it.each([
    [
      'is changed if the second lookup finds it',
      [{ status: 404 }, { status: 200, body: '{"id":"r2"}' }],
      'PUT /by-name/r2',
    ],
    ['is created if no lookup finds it', [{ status: 404 }, { status: 404 }], 'POST /records'],
  ])('a record %s', async (_, answers, expected) => {
    const requests = {
      ...upsert.requests,
      batch: { ...upsert.requests.batch, find: { request: 'search', value: 'id', otherwise: 'second' } },
      by_name: { method: 'GET', server: 'api', path: '/by-name', query: { name: '{{ name }}' } },
      second: {
        method: 'PUT',
        server: 'api',
        path: '/by-name/{{ found }}',
        find: { request: 'by_name', value: 'id', otherwise: 'create' },
      },
    }
    const ran = await run({ requests }, [{ id: 'k', name: 'n' }], (_items, at) => answers[at] ?? ok)
    expect(ran.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /records?key=k',
      'GET /by-name?name=n',
      expected,
    ])
    expect(kinds(ran.outcomes)).toEqual(['delivered'])
  })

  it('a request that names itself is sent with what was found, or without it', async () => {
    const requests = {
      ...upsert.requests,
      batch: {
        method: 'POST',
        server: 'api',
        path: '/notes',
        find: { request: 'search', value: 'id', otherwise: 'batch' },
      },
    }
    const ran = await run({ requests }, [{ id: 'k' }], (_items, at) => (at === 0 ? { status: 404 } : ok))
    expect(ran.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /records?key=k', 'POST /notes'])
  })

  it('lookups that lead to each other end', async () => {
    const names = ['batch', 'n1', 'n2', 'n3', 'n4']
    const lookups = names.map((name, at) => [
      name,
      {
        method: 'POST',
        server: 'api',
        path: '/x',
        find: { request: 'search', value: 'id', otherwise: names[(at + 1) % names.length] },
      },
    ])
    const requests = { ...upsert.requests, ...(Object.fromEntries(lookups) as object) }
    const ran = await run({ requests }, [{ id: 'k' }], () => ({ status: 404 }))
    expect(ran.requests).toHaveLength(3)
    expect(ran.outcomes).toEqual([{ kind: 'rejected', reason: 'More than 3 lookups lead to each other' }])
  })

  it.each([
    ['a fault', { status: 503 }],
    ['an empty answer', { status: 200 }],
    ['no JSON', { status: 200, body: 'busy' }],
    ['an answer that is too long', { status: 200, body: `{"data":[],"x":"${'x'.repeat(1_100_000)}"}` }],
  ])('a lookup that fails creates nothing: %s', async (_, answer) => {
    const { outcomes, requests } = await run(upsert, [{ id: 'k' }], () => answer)
    expect(requests).toHaveLength(1)
    expect(kinds(outcomes)).toEqual(['retry'])
  })

  it('a record at the end of a long answer is found', async () => {
    const body = `{"x":"${'x'.repeat(500_000)}","data":[{"id":"r1"}]}`
    const { requests } = await run(upsert, [{ id: 'k' }], (_items, at) => (at === 0 ? { status: 200, body } : ok))
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'PATCH'])
  })

  it('a rule for 404 is obeyed, and nothing is created', async () => {
    const answers = { rules: [{ status: [404], when: { path: 'code', is: ['no_list'] }, outcome: 'rejected' }] }
    const more = { requests: { ...upsert.requests, search: { ...upsert.requests.search, answers } } }
    const refused = await run(more, [{ id: 'k' }], () => ({ status: 404, body: '{"code":"no_list"}' }))
    expect(kinds(refused.outcomes)).toEqual(['rejected'])
    expect(refused.requests).toHaveLength(1)
    const none = await run(more, [{ id: 'k' }], (_items, at) => (at === 0 ? { status: 404, body: '{}' } : ok))
    expect(none.requests.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })
})

it('records of one event stay together, and if some are accepted the event is not sent again', async () => {
  const more = {
    actions: {
      send: {
        title: 'Send',
        description: 'Sends.',
        request: 'batch',
        fields: { list: { label: 'F', help: 'H.', type: 'array', kind: 'property' } },
        item: { $each: '{{ list }}', $item: { id: '{{ item.id }}' } },
      },
    },
    presets: [{ event_type: 'track', action: 'send', fields: { list: 'properties.products' } }],
  }
  const list = (from: number, count: number) => Array.from({ length: count }, (_, at) => ({ id: from + at }))
  const payloads = [{ list: list(0, 6) }, { list: list(10, 6) }, { list: list(20, 11) }, { list: [] }]
  const { outcomes, sent } = await run(more, payloads, (_, at) =>
    at === 0 ? { status: 207, body: '{"errors":[{"at":2,"why":"no"}]}' } : ok,
  )
  expect(sent.map((items) => items.length)).toEqual([6, 6])
  expect(outcomes).toEqual([
    { kind: 'delivered', note: '1 of 6 records were refused: no' },
    { kind: 'delivered' },
    { kind: 'rejected', reason: 'The event has 11 records, more than the 10 of a request' },
    { kind: 'rejected', reason: 'Nothing of the event is mapped' },
  ])
})

it('an error that names no record of the only event rejects it, because its accepted records are not sent again', async () => {
  const more = {
    actions: {
      send: {
        title: 'Send',
        description: 'Sends.',
        request: 'batch',
        fields: { list: { label: 'F', help: 'H.', type: 'array', kind: 'property' } },
        item: { $each: '{{ list }}', $item: { id: '{{ item.id }}' } },
      },
    },
    presets: [{ event_type: 'track', action: 'send', fields: { list: 'properties.products' } }],
  }
  const deliver = async (errors: string) =>
    (await run(more, [{ list: ids(3) }], () => ({ status: 207, body: `{"errors":[${errors}]}` }))).outcomes
  const said = 'Sample does not say which records it refuses, and has accepted the others: required'
  expect(await deliver('{"why":"required"}')).toEqual([{ kind: 'rejected', reason: said }])
  expect(await deliver('{"at":0,"why":"no"},{"why":"required"}')).toEqual([
    { kind: 'delivered', note: `1 of 3 records were refused: no; ${said}` },
  ])
})

it.each<[string, unknown, string | undefined]>([
  ["/contacts(key='{{ id | replace: \"'\", \"''\" }}',n={{ name }})", "o'n/e", "/contacts(key='o''n%2Fe',n=x%3F)"],
  ['/a:b=@{{ id }}', '../..', '/a:b=@..%2F..'],
  ['/id={{ id }}', ' ', undefined],
  ['/.{{ id }}', '.', undefined],
  ['/{{ id }}', '.', undefined],
  ['/{% if id %}{{ id }}{% endif %}', 'a b', '/a%20b'],
])('the path %s has only its values encoded: %j', async (path, id, expected) => {
  const { requests, outcomes } = await run(
    { requests: { batch: { method: 'POST', server: 'api', path } } },
    [{ id, name: 'x?' }],
    () => ok,
  )
  expect(requests.map(({ url }) => url)).toEqual(expected === undefined ? [] : [expected])
  expect(kinds(outcomes)).toEqual([expected === undefined ? 'rejected' : 'delivered'])
})

it('a form has the members of the body, and counts its bytes as they are sent', async () => {
  const request = { method: 'POST', server: 'api', path: '/form', encoding: 'form', max_bytes: 60 }
  const auth = { default: [{ in: 'body', name: 'k', setting: 'key' }] }
  const payloads = [
    { id: 1, name: 'a b&c=ü', list: ['x', 2, true, null] },
    { id: 2, list: [{ a: ['é'] }] },
    { id: 3, name: 'ü'.repeat(10) },
  ]
  const definition = defineDescribed(sample({ auth, requests: { batch: request }, ...itemOf(formItem) }), guide)
  const peer = await startPeer(() => ok)
  onTestFinished(() => peer.close())
  const sent = payloads.map((payload, at) => outgoingEvent({ messageId: `m-${at}` }, { action: 'send', payload }))
  const { outcomes } = await runConnector(definition, { server: peer.url, key: 'k3y+1' }, sent, { now })
  const body = '{"a":["é"]}'
  expect(peer.requests.map(({ body: text, headers }) => [headers['content-type'], text])).toEqual(
    ['k=k3y%2B1&id=1&name=a+b%26c%3D%C3%BC&l=x&l=2&l=true&l=', `k=k3y%2B1&id=2&l=${encodeURIComponent(body)}`].map(
      (text) => ['application/x-www-form-urlencoded', text],
    ),
  )
  expect(kinds(outcomes as readonly EventOutcome[])).toEqual(['delivered', 'delivered', 'rejected'])
})

it('the first request fails all events together', async () => {
  await expect(run({}, ids(2), () => ({ status: 401 }))).rejects.toThrow(ConfigurationError)
  await expect(run({}, ids(2), () => 'reset')).rejects.toThrow(RetryableError)
})
