import { describe, expect, it } from 'vitest'
import { redirectedSecrets, validateSettings } from '../definition/settings.ts'
import { defineDescribed, readDescription } from './define-described.ts'
import type { Tree } from './format/schema-requests.ts'
import { readGuide } from './guide.ts'
import { renderTree, scopeOf } from './templates/render-tree.ts'
import { sample, sampleText } from './testing-descriptions.ts'

const guide = '## One\n\nA text.\n'

describe('readDescription', () => {
  it('accepts the sample', () => {
    expect(readDescription(sampleText()).slug).toBe('sample')
  })

  const withItem = (item: unknown) => {
    const { send, ...others } = (JSON.parse(sampleText()) as { actions: { send: object } }).actions
    return { actions: { ...others, send: { ...send, item } } }
  }

  it.each<[string, object, RegExp]>([
    ['a member that the format does not have', { script: 'x' }, /script/],
    ['a server without TLS', { servers: { api: 'http://sample.example' } }, /A server is https/],
    ['a server with a path', { servers: { api: 'https://sample.example/{{ id }}' } }, /A server is https/],
    ['a server that a field decides', { servers: { api: { setting: 'id' } } }, /names a setting id that there is not/],
    [
      'a host of a text that can be anything',
      { servers: { api: { setting: 'account', host: '{}.sample.example' } } },
      /needs a text with host_label/,
    ],
    ['a host with an open end', { servers: { api: { setting: 'account', host: 'sample.{}' } } }, /servers\.api/],
    ['a secret in a template', withItem({ id: '{{ settings.key }}' }), /reads a secret/],
    ['a field that there is not', withItem({ id: '{{ other }}' }), /reads other, which there is not/],
    ['a template that fails', withItem({ id: '{{ id | nothing }}' }), /has a template that fails/],
    [
      'events of several records whose records are retried',
      {
        ...withItem({ $if: '{{ list }}', $then: { $each: '{{ list }}', $item: { id: '{{ item.id }}' } } }),
        answers: {
          items: [{ status: [207], at: 'e', by: 'position', retry: { path: 'code', is: [503] }, others: 'delivered' }],
        },
      },
      /has several items, and its answers retry single ones/,
    ],
    [
      'events whose records are a field, and are retried',
      {
        ...withItem('{{ list }}'),
        answers: {
          items: [{ status: [207], at: 'e', by: 'position', retry: { path: 'code', is: [503] }, others: 'delivered' }],
        },
      },
      /has several items, and its answers retry single ones/,
    ],
    ['an unknown request', { test: { request: 'other', message: 'M' } }, /names a request other/],
    [
      'a path with dots',
      { requests: { batch: { method: 'GET', server: 'api', path: '/a/../b' } } },
      /a path with dots/,
    ],
    [
      'a path with a query',
      { requests: { batch: { method: 'GET', server: 'api', path: '/a?b={{ id }}' } } },
      /has \?, #, or a space in its path/,
    ],
    ['a wrong form', { format: 2 }, /format/],
  ])('refuses %s', (_, more, message) => {
    expect(() => readDescription(sampleText(more as Record<string, unknown>))).toThrow(message)
  })
})

describe('the settings', () => {
  const described = sample({
    settings: {
      account: { type: 'text', label: 'L', help: 'H.', required: true, host_label: true },
      region: {
        type: 'choice',
        label: 'L',
        help: 'H.',
        default: 'a',
        choices: [
          { value: 'a', label: 'A' },
          { value: 'b', label: 'B' },
        ],
      },
      key: { type: 'secret', label: 'L', help: 'H.', required: true },
    },
    servers: {
      api: { setting: 'account', host: '{}.sample.example' },
      other: { setting: 'region', choices: { a: 'https://a.example', b: 'https://b.example' } },
    },
  })
  const definition = defineDescribed(described, guide)

  it.each(['evil.example/', 'a.b', 'a@b', '', '-a', 'a/../b', 'a:1'])('refuse %j as an account', (account) => {
    expect(validateSettings(definition, { account, key: 'k' }).ok).toBe(false)
  })

  it('require a secret again when its server changes', () => {
    const before = { account: 'shop', region: 'a', key: 'k' }
    for (const change of [{ account: 'other' }, { region: 'b' }])
      expect(redirectedSecrets(definition, before, { ...before, ...change }).map(({ name }) => name)).toEqual(['key'])
  })
})

const withFields = (fields: object) => {
  const { send } = (JSON.parse(sampleText()) as { actions: { send: object } }).actions
  return sampleText({ actions: { send: { ...send, fields, item: { a: 1 } } } })
}

it.each(['custom', 'settings', 'item', 'found'])('a field cannot hide the variable %s', (name) => {
  expect(() => readDescription(withFields({ [name]: 'email' }))).toThrow(`The field ${name} of the action send has`)
})

describe('the own form of a text', () => {
  const normalizations = { e164: (text: string, country = '') => `${country}:${text}` }
  const phone = { as: 'phone', pii: 'phone', normalize: 'e164', country_field: 'land', country_setting: 'account' }
  it('is made before hashing, with the country of the person, and else for sending', () => {
    const text = withFields({ phone, name: { as: 'name', normalize: 'e164' }, land: 'country' })
    const { actions } = defineDescribed(readDescription(text, normalizations), guide, normalizations)
    const [first, second] = actions[0]?.targets ?? []
    expect(first).toMatchObject({ pii: 'phone', countryTarget: 'land', countrySetting: 'account' })
    expect([first?.comparable?.('5', 'DE'), second?.usable?.('5')]).toEqual(['DE:5', ':5'])
    expect([first?.usable, second?.comparable]).toEqual([undefined, undefined])
  })

  it.each([
    ['a name that there is not', { normalize: 'other' }, /names a normalization other/],
    ['a field that there is not', { country_field: 'city' }, /names a field city/],
    ['a setting that there is not', { country_setting: 'land' }, /names a setting land/],
    ['a secret as a country', { country_setting: 'key' }, /has a secret as its country/],
    ['a country without hashing', { pii: undefined }, /has a country, and no pii/],
  ])('is refused with %s', (_, more, message) => {
    const text = withFields({ phone: { ...phone, ...more }, land: 'country' })
    expect(() => readDescription(text, normalizations)).toThrow(message)
  })
})

it.each<[string, unknown, unknown]>([
  ['a value keeps its type', { a: '{{ number }}', b: '{{ object }}' }, { a: 5, b: { x: [1] } }],
  ['a text is a text', { a: 'no {{ number }}' }, { a: 'no 5' }],
  ['a null is a null, and an empty text is no value', { a: '{{ none }}', b: '{{ blank_text }}' }, { a: null }],
  ['a word of Liquid is no variable', { a: '{{ true }}', b: '{{ nil }}' }, { a: true }],
  [
    'no value is left out',
    { a: '{{ missing }}', b: { c: '{{ missing }}' }, d: ['{{ missing }}'], e: {}, f: null },
    { e: {}, f: null },
  ],
  ['a merge is sent if it is empty', { a: { $merge: ['{{ missing }}'] } }, { a: {} }],
  ['later members win', { $merge: ['{{ object }}', { x: 1, y: '{{ number }}' }] }, { x: 1, y: 5 }],
  [
    'a merge leaves members out by name',
    { $merge: ['{{ object }}', { x: 1, y: '{{ number }}', z: 2 }], $without: ['x', 'z', 'other'] },
    { y: 5 },
  ],
  [
    'each item has a value',
    { $each: '{{ list }}', $item: { id: '{{ item.id }}', n: '{{ number }}' } },
    [
      { id: 1, n: 5 },
      { id: 2, n: 5 },
    ],
  ],
  [
    'a condition chooses',
    [
      { $if: '{{ number }}', $then: 'yes', $else: 'no' },
      { $if: '{{ missing }}', $then: 'yes' },
    ],
    ['yes'],
  ],
  [
    'a member has the name of a value',
    {
      $merge: [
        { $name: '{{ name }}__c', $value: '{{ number }}' },
        { $name: '{{ missing }}', $value: 1 },
        { $name: 'b', $value: '{{ missing }}' },
        { $name: '{{ object }}', $value: 1 },
      ],
    },
    { Id__c: 5 },
  ],
  [
    'each member has an item',
    {
      a: {
        $pairs: { $merge: ['{{ object }}', { n: '{{ number }}', z: null }] },
        $item: { k: '{{ item.key }}', v: '{{ item.value }}' },
      },
      b: { $pairs: '{{ list }}', $item: 1 },
    },
    { a: [{ k: 'x', v: [1] }, { k: 'n', v: 5 }, { k: 'z' }], b: [] },
  ],
  [
    'a merge takes objects of a list',
    {
      $merge: [{ x: 0 }, { $pairs: '{{ object }}', $item: { $name: 'a[{{ item.key }}]', $value: '{{ item.value }}' } }],
    },
    { x: 0, 'a[x]': [1] },
  ],
  ['a merge takes no list of an event', { $merge: [{ x: 0 }, '{{ list }}'] }, { x: 0 }],
  [
    'members become texts',
    {
      a: { $texts: { $merge: [{ n: '{{ number }}', t: true, s: 'x', e: 0.5, z: null }, '{{ object }}'] } },
      b: { $texts: '{{ number }}' },
      c: { $texts: '{{ missing }}' },
    },
    { a: { n: '5', t: 'true', s: 'x', e: '0.5' } },
  ],
  [
    'an object is flat',
    {
      a: {
        $flat: { $merge: ['{{ object }}', { n: { list: '{{ list }}', none: '{{ none }}', number: '{{ number }}' } }] },
      },
      b: { $flat: '{{ number }}' },
    },
    { a: { 'x[0]': 1, 'n.list[0].id': 1, 'n.list[1].id': 2, 'n.none': null, 'n.number': 5 } },
  ],
  ['a member without a name is left out', { a: { $name: '{{ missing }}', $value: 1 } }, undefined],
  [
    // The time and its letters are those of the specification, and Python computed the hash.
    'a ULID is that of an ID and a time',
    [
      { $ulid: 'message-1', $at: '2016-07-30T22:36:16.385Z' },
      { $ulid: '{{ missing }}', $at: '2016-07-30T22:36:16.385Z' },
      { $ulid: 'message-1', $at: '1969-12-31T23:59:59Z' },
      { $ulid: 'message-1' },
    ],
    ['01ARYZ6S41KQNRG2T3QQVF8SD0'],
  ],
  ['a constant is not a template', { a: '$set', b: true }, { a: '$set', b: true }],
])('a tree is rendered: %s', (_, tree, expected) => {
  const variables = {
    none: null,
    blank_text: '',
    true: 'x',
    name: 'Id',
    number: 5,
    object: { x: [1] },
    list: [{ id: 1 }, { id: 2 }],
  }
  expect(renderTree(tree as never, scopeOf(variables))).toEqual(expected)
})

it('a member with a name of prototypes is a member like others', () => {
  const tree: Tree = { $merge: [{ $name: '{{ name }}', $value: { polluted: true } }, { a: 1 }] }
  const rendered = renderTree(tree, scopeOf({ name: '__proto__' }))
  expect(JSON.stringify(rendered)).toBe('{"__proto__":{"polluted":true},"a":1}')
  expect([(rendered as { polluted?: true }).polluted, ({} as { polluted?: true }).polluted]).toEqual([
    undefined,
    undefined,
  ])
})

it('a tree keeps within the work of one event', () => {
  const big = 'x'.repeat(100_000)
  const many = { $each: '{{ list }}', $item: { a: '{{ big }}' } }
  const items = Array.from({ length: 900 }, () => 1)
  expect(() => renderTree(many, scopeOf({ list: items, big }))).toThrow(/the values of the event are too large/)
  const list = Array.from({ length: 1001 }, () => 1)
  expect(() => renderTree({ $each: '{{ list }}', $item: 1 }, scopeOf({ list }))).toThrow(/more than 1000/)
  const object = Object.fromEntries(list.map((_, at) => [at, 1]))
  expect(() => renderTree({ $pairs: '{{ object }}', $item: 1 }, scopeOf({ object }))).toThrow(/more than 1000/)
  const loop = '{% for a in (1..1000) %}{% for b in (1..1000) %}x{% endfor %}{% endfor %}'
  expect(() => renderTree({ a: loop }, scopeOf({}))).toThrow(/A template fails/)
})

it('a guide has a step for each heading', () => {
  expect(readGuide('## One\n\nA **text**.\n\n## Two\n\n```sh\nls\n```\n\nMore.\n')).toEqual([
    { title: 'One', text: 'A **text**.' },
    { title: 'Two', text: 'More.', code: 'ls', language: 'sh' },
  ])
  expect(() => readGuide('Text\n## One\n')).toThrow(/begins with a heading/)
})
