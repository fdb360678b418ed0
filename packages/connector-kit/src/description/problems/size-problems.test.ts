import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../errors.ts'
import { readAnswer } from '../answers/read-answer.ts'
import { readDescription } from '../define-described.ts'
import { describedAnswers, type Tree } from '../format/schema-requests.ts'
import { serverUrl } from '../requests/servers.ts'
import { renderTree, scopeOf, TreeProblem } from '../templates/render-tree.ts'
import { ids, now, ok, run, sampleText, type Values } from '../testing-descriptions.ts'

type Parts = { actions: { send: { fields: object } }; requests: Values; presets: object[] }
const parts = (): Parts => JSON.parse(sampleText()) as Parts
const many = (count: number, value: unknown): Values =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, value]))
const withSend = (change: object): Values => ({ actions: { send: { ...parts().actions.send, ...change } } })
const nested = (depth: number): unknown => (depth === 0 ? '' : { a: nested(depth - 1) })
const withItem = (item: unknown): Values => withSend({ item })
const get = { method: 'GET', server: 'api', path: '/x' }

describe('a hostile description is refused', () => {
  it.each<[string, string, RegExp]>([
    ['a long text', sampleText({ vectors: 'x'.repeat(256 * 1024) }), /more than 256 KB/],
    ['depth', sampleText(withItem(nested(60))), /too deep: at most 40 levels/],
    [
      'depth of 10,000 lists',
      sampleText({ vectors: 0 }).replace('"vectors":0', `"vectors":${'['.repeat(10_000)}${']'.repeat(10_000)}`),
      /too deep/,
    ],
    ['values', sampleText(withItem(Array.from({ length: 5000 }, () => 1))), /values, more than 4000/],
    ['templates', sampleText(withItem(Array.from({ length: 400 }, () => '{{ id }}'))), /400 templates, more than 300/],
    ['long templates', sampleText(withItem(['{{ id }}'.repeat(1250), '{{ id }}'])), /characters, more than 10000/],
    [
      'fields',
      sampleText(withSend({ fields: { ...parts().actions.send.fields, ...many(201, 'email') } })),
      /more than 200/,
    ],
    ['requests', sampleText({ requests: many(101, get) }), /more than 100/],
    [
      'mapped fields of presets',
      sampleText({
        ...withSend({ fields: { ...parts().actions.send.fields, ...many(100, 'email') } }),
        presets: Array.from({ length: 20 }, () => ({ event_type: 'track', action: 'send' })),
      }),
      /map more than 2000 fields/,
    ],
    ['a host that is none', sampleText({ servers: { api: 'https://1.2.3.4.5' } }), /host of a server is none/],
  ])('with too much of this: %s', (_, text, message) => {
    expect(() => readDescription(text)).toThrow(message)
  })

  it('names at most 100 problems', () => {
    const text = sampleText(withSend({ needs_one_of: Array.from({ length: 500 }, (_, at) => `n${at}`) }))
    expect(() => readDescription(text)).toThrow(/^(.*\n){100}.*$/)
  })
})

it('lookups that lead to each other are checked once each', () => {
  const lookups = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `n${at}`,
      { ...get, find: { request: `n${(at + 1) % 40}`, value: 'id', otherwise: `n${(at + 2) % 40}` } },
    ]),
  )
  expect(readDescription(sampleText({ requests: lookups, ...withSend({ request: 'n0' }) })).requests.n0).toBeDefined()
})

it('a member __proto__ of a description changes no object', async () => {
  const text = sampleText(withItem({ id: '{{ id }}', other: 1 })).replace(
    '"other":1',
    '"__proto__":{"polluted":"{{ id }}"}',
  )
  const { actions } = readDescription(text)
  await run({ actions }, ids(1), () => ok)
  expect(({} as Values).polluted).toBeUndefined()
  expect(() => readDescription(sampleText().replace('{', '{"__proto__":{"slug":"x"},'))).toThrow(/__proto__/)
})

describe('a hostile item', () => {
  const thousand = Array.from({ length: 1000 }, () => 1)
  const inLoops = (depth: number, item: Tree): Tree =>
    depth === 0 ? item : { $each: thousand, $item: inLoops(depth - 1, item) }

  it.each<[string, Tree]>([
    ['loops in loops', inLoops(4, 1)],
    ['a long text in loops', inLoops(2, 'x'.repeat(5000))],
    ['a long name in loops', inLoops(2, { ['x'.repeat(5000)]: 1 })],
    ['flat objects', inLoops(2, { $flat: { a: '{{ wide }}', b: '{{ wide }}' } })],
    ['merges of merges', inLoops(2, { $merge: ['{{ wide }}', { $merge: ['{{ wide }}', '{{ wide }}'] }] })],
    ['a large value in loops', inLoops(1, { $texts: '{{ wide }}' })],
  ])('%s ends with a problem of its event', (_, item) => {
    expect(() => renderTree(item, scopeOf({ wide: many(1000, 'text') }))).toThrow(TreeProblem)
  })
})

it('an object of an event that is 6,000 levels deep is not made flat', () => {
  let deep: unknown = 1
  for (let level = 0; level < 6000; level++) deep = { a: deep }
  expect(() => renderTree({ $flat: { $merge: [{ deep: '{{ deep }}' }] } }, scopeOf({ deep }))).toThrow(TreeProblem)
})

describe('a hostile answer', () => {
  const read = (described: object, body: string, values: readonly unknown[] = [{}]) =>
    readAnswer({
      answer: { status: 207, headers: {}, body, latencyMs: 0 },
      answers: describedAnswers.parse(described),
      items: values.map((value) => ({ value, place: '' })),
      title: 'Sample',
      secrets: Array.from({ length: 20 }, (_, at) => `s3cr3t-${at}`),
      now,
    })
  const listing = { status: [207], at: 'e', reason: ['why'], others: 'delivered' }

  it('that names the same key in 20,000 entries is read in one pass', () => {
    const values = Array.from({ length: 20_000 }, () => ({ id: 'a' }))
    const body = JSON.stringify({ e: Array.from({ length: 20_000 }, () => ({ id: 'a', why: 'no' })) })
    const reading = read({ items: [{ ...listing, by: { key: 'id', of_item: 'id' } }] }, body, values)
    expect(reading.kind === 'items' && reading.named.size).toBe(20_000)
  })

  it('with one long reason for 20,000 entries is searched for secrets once', () => {
    const body = JSON.stringify({ e: { [`s3cr3t-7 ${'x'.repeat(400_000)}`]: Array.from({ length: 20_000 }, () => 0) } })
    const reading = read({ items: [{ ...listing, by: { index: '' } }] }, body)
    expect(reading.kind === 'items' && reading.named.get(0)).toMatchObject({
      reason: expect.stringMatching(/^\[redacted\] x{289}$/),
    })
  })

  it('that names no key is not about items without one', () => {
    const body = JSON.stringify({ e: [{ id: 'undefined', why: 'no' }] })
    const reading = read({ items: [{ ...listing, by: { key: 'id', of_item: 'id' } }] }, body, [{}, { id: 'a' }])
    expect(reading.kind === 'items' && reading.named.size).toBe(0)
  })
})

it('a lookup with a deep answer is retried, because no template can read it', async () => {
  const requests = {
    batch: { ...get, method: 'POST', find: { request: 'search', value: 'id' }, body: { id: '{{ found }}' } },
    search: get,
  }
  const body = `{"id":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  await expect(run({ requests }, ids(1), () => ({ status: 200, body }))).resolves.toMatchObject({
    outcomes: [{ kind: 'retry', reason: expect.stringContaining('cannot be read') }],
  })
})

it('a label that makes no host holds the events', () => {
  expect(() => serverUrl({ setting: 'label', host: '{}.1.1.1' }, { label: '999' })).toThrow(ConfigurationError)
})
