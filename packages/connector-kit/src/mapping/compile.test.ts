import { createHash } from 'node:crypto'
import { type EventMapping, eventMappings, type PipelineEvent } from '@tributary/contract'
import { ExactNumber } from '@tributary/kernel'
import { describe, expect, test } from 'vitest'
import type { ActionDefinition, ActionTarget, DestinationDefinition } from '../definition/definition.ts'
import { compileMappings } from './compile.ts'
import { personalDataProblem, personalHashes } from './hash-personal-data.ts'
import { presetMappings } from './presets.ts'

const target = (name: string, more: Partial<ActionTarget> = {}): ActionTarget => ({
  name,
  label: name,
  help: '',
  type: 'any',
  required: false,
  recommended: false,
  kind: 'custom',
  ...more,
})
const action = (name: string, more: Partial<ActionDefinition> = {}): ActionDefinition => ({
  name,
  title: name,
  description: '',
  targets: [],
  customTargets: true,
  wholeEvent: false,
  eventTypes: [],
  ...more,
})
const definitionOf = (
  actions: ActionDefinition[],
  presets: DestinationDefinition['presets'] = [],
): Pick<DestinationDefinition, 'slug' | 'title' | 'actions' | 'presets'> => ({
  slug: 'example',
  title: 'Example',
  actions,
  presets,
})

const event: PipelineEvent = {
  eventId: '0-1-0',
  messageId: 'm1',
  type: 'track',
  event: 'Order Completed',
  userId: 'u1',
  anonymousId: 'a1',
  properties: JSON.parse(
    '{"total":"12.50","count":3,"paid":"TRUE","tags":["a"],"none":null,"blank":" ","word":"twelve","a.b":"dotted","at":"2026-02-03 04:05:06","address":{"city":"Berlin"},"__proto__":{"x":1},"quote":"say \\"hi\\""}',
  ),
  context: { traits: { email: ' Ada@Example.COM ', phone: '+49 (0) 30 123', tags: ['A@b.co', ''] } },
  test: false,
  receivedAt: '2026-01-02T03:04:06.000Z',
  timestamp: '2026-01-02T03:04:05.678Z',
}

type Source = { FIELD: string } | { VARIABLE: string } | { CONSTANT: string | number | boolean } | { TEMPLATE: string }
const sourceOf = (source: Source) => {
  if ('FIELD' in source) return { type: 'FIELD', name: source.FIELD }
  if ('VARIABLE' in source) return { type: 'VARIABLE', name: source.VARIABLE }
  return 'CONSTANT' in source
    ? { type: 'CONSTANT', value: source.CONSTANT }
    : { type: 'TEMPLATE', value: source.TEMPLATE }
}
const idOf = (index: number): string => String(index).padStart(4, '0')
/** Returns mappings in the form in which a call sends them. */
const mappingOf = (fields: Record<string, Source | [Source, object]>, more: object = {}): EventMapping[] =>
  eventMappings.parse([
    {
      id: 'aaaa',
      destination: 'do',
      field_mappings: Object.entries(fields).map(([name, given], index) => {
        const [source, rest] = Array.isArray(given) ? given : [given, {}]
        return { id: idOf(index), source: sourceOf(source), target: { name }, ...rest }
      }),
      ...more,
    },
  ])

const place = { workspaceId: 'w1', destinationId: 'd1' }
const map = (targets: ActionTarget[], fields: Record<string, Source | [Source, object]>, of: PipelineEvent = event) =>
  compileMappings(definitionOf([action('do', { targets })]), mappingOf(fields), place)(of, 's1')
/** The result of one source for a target of a type: its value, or its problem. */
const one = (source: Source, more: Partial<ActionTarget> = {}): unknown => {
  const mapping = map([target('to', more)], { to: source })
  if (mapping.kind === 'unmapped') return mapping
  const [problem] = mapping.problems
  if (mapping.kind === 'failed') return { fails: problem?.message }
  if (problem === undefined) return mapping.payload?.['to']
  return problem.severity === 'note' ? { note: problem.message } : { problem: problem.message }
}

test.each<[string, Source, boolean, unknown]>([
  ['a constant names the list', { CONSTANT: '23847' }, true, { to: '23847', fixedLists: ['to'] }],
  ['the event names the list', { FIELD: 'properties.total' }, true, { to: '12.50', fixedLists: undefined }],
  ['the target names no list', { CONSTANT: '23847' }, false, { to: '23847', fixedLists: undefined }],
])('the mapping says whether a list is fixed: %s', (_, source, isList, wanted) => {
  const made = map([target('to', isList ? { peopleList: true } : {})], { to: source })
  if (made.kind !== 'mapped') throw new Error(made.kind)
  expect({ to: made.payload?.['to'], fixedLists: made.fixedLists }).toEqual(wanted)
})

describe('a source', () => {
  test.each<[string, Source, unknown]>([
    ['FIELD gives what stands at its path', { FIELD: 'properties.total' }, '12.50'],
    ['FIELD reads names with dots', { FIELD: 'properties.a\\.b' }, 'dotted'],
    ['FIELD reads places of lists', { FIELD: 'properties.tags.0' }, 'a'],
    ['FIELD reads own properties only', { FIELD: 'properties.toString' }, undefined],
    ['FIELD gives nothing where nothing is', { FIELD: 'properties.gone.deeper' }, undefined],
    ['FIELD reads places of lists in brackets', { FIELD: 'properties.tags[0]' }, 'a'],
    ['FIELD reads names in quotes', { FIELD: 'properties["a.b"]' }, 'dotted'],
    ['FIELD gives null for null', { FIELD: 'properties.none' }, null],
    ['CONSTANT gives its value', { CONSTANT: 7 }, 7],
    ['VARIABLE event_id', { VARIABLE: 'event_id' }, '0-1-0'],
    ['VARIABLE message_id', { VARIABLE: 'message_id' }, 'm1'],
    ['VARIABLE event_name', { VARIABLE: 'event_name' }, 'Order Completed'],
    ['VARIABLE event_type', { VARIABLE: 'event_type' }, 'track'],
    ['VARIABLE user_key', { VARIABLE: 'user_key' }, 'u1'],
    ['VARIABLE timestamp', { VARIABLE: 'timestamp' }, '2026-01-02T03:04:05.678Z'],
    ['VARIABLE timestamp_seconds', { VARIABLE: 'timestamp_seconds' }, 1767323045],
    ['VARIABLE timestamp_milliseconds', { VARIABLE: 'timestamp_milliseconds' }, 1767323045678],
    ['VARIABLE received_at', { VARIABLE: 'received_at' }, '2026-01-02T03:04:06.000Z'],
    ['VARIABLE workspace_id', { VARIABLE: 'workspace_id' }, 'w1'],
    ['VARIABLE source_id', { VARIABLE: 'source_id' }, 's1'],
    ['VARIABLE destination_id', { VARIABLE: 'destination_id' }, 'd1'],
    ['VARIABLE that there is none of fails', { VARIABLE: 'nope' }, { fails: '"to": there is no variable "nope"' }],
    ['TEMPLATE writes plain text', { TEMPLATE: 'x {{ properties.quote }}' }, 'x say "hi"'],
    ['TEMPLATE reads variables', { TEMPLATE: '{{ user_key | upcase }}/{{ destination_id }}' }, 'U1/d1'],
    ['TEMPLATE writes lists as JSON', { TEMPLATE: '{{ properties.tags }}' }, '["a"]'],
    ['TEMPLATE that writes nothing gives nothing', { TEMPLATE: ' {{ properties.gone }} ' }, undefined],
    [
      'TEMPLATE that takes too much fails the event',
      { TEMPLATE: '{% for a in (1..900) %}{% for b in (1..900) %}{{ a }}{% endfor %}{% endfor %}' },
      { fails: expect.stringMatching(/^"to": its template fails: .*(too much|too many|too large|limit exceeded)/) },
    ],
  ])('%s', (_, source, wanted) => {
    expect(one(source)).toEqual(wanted)
  })

  test('FIELD copies numbers with all digits and objects in order, into targets of any type that accepts them', () => {
    const odd = '{"b":1.0,"10":[9223372036854775807,1e400,-0,null],"2":"é"}'
    const json = JSON.stringify(event).replace('"count":3', `"count":9223372036854775807,"odd":${odd},"one":1.0`)
    const given = JSON.parse(json) as PipelineEvent
    const sent = (source: Source, type: string) => {
      const mapping = mappingOf({ to: [source, { target: { name: 'to', type } }] })
      const mapped = compileMappings(definitionOf([action('do')]), mapping, place)(given, 's1', json)
      return mapped.kind === 'mapped' ? JSON.stringify(mapped.payload) : mapped
    }
    for (const [name, type, wanted] of [
      ['properties.odd', 'any', odd],
      ['properties.odd', 'object', odd],
      ['properties.odd', 'array', `[${odd}]`],
      ['properties.odd', 'string', JSON.stringify(odd)],
      ['properties.odd.10', 'array', '[9223372036854775807,1e400,-0,null]'],
      ['properties.odd["10"][1]', 'number', '1e400'],
      ['properties.count', 'number', '9223372036854775807'],
      ['properties.count', 'any', '9223372036854775807'],
      ['properties.count', 'string', '"9223372036854775807"'],
      ['properties.one', 'boolean', 'true'],
      ['properties.one', 'datetime', '"1970-01-01T00:00:01.000Z"'],
    ] as const)
      expect([name, type, sent({ FIELD: name }, type)]).toEqual([name, type, `{"to":${wanted}}`])
    for (const [template, wanted] of [
      ['{{ properties.one | plus: 1 }}', '2'],
      ['{{ properties.count }}', '9223372036854775807'],
      ['{{ properties.count | plus: 1 }}', '9223372036854775808'],
      [' {{ properties.one | times: 19.99 }}\n', '19.99'],
    ] as const)
      expect([template, sent({ TEMPLATE: template }, 'number')]).toEqual([template, `{"to":${wanted}}`])
  })

  test('a template returns a number if its mapping has type number, also for a target of any type or a custom field', () => {
    const total: Source = { TEMPLATE: '{{ 19.99 | times: 100 }}' }
    const definition = definitionOf([action('do', { targets: [target('to', { type: 'any' })] })])
    const sent = (name: string, type: string): unknown => {
      const mapping = compileMappings(
        definition,
        mappingOf({ [name]: [total, { target: { name, type } }] }),
        place,
      )(event, 's1')
      return mapping.kind === 'mapped' ? mapping.payload : mapping
    }
    expect(sent('to', 'number')).toEqual({ to: 1999 })
    expect(sent('own', 'number')).toEqual({ own: 1999 })
    expect(sent('own.deep', 'number')).toEqual({ own: { deep: 1999 } })
    expect(sent('to', 'any')).toEqual({ to: '1999' })
  })

  test('null is sent as null if the target accepts any value; otherwise null is omitted and the preview reports it', () => {
    const none = { FIELD: 'properties.none' }
    expect(one(none, { type: 'number' })).toEqual({ note: '"to" is omitted: properties.none is null' })
    expect(one(none, { pii: 'email' })).toEqual({ note: '"to" is omitted: properties.none is null' })
    expect(one(none, { required: true })).toEqual({ fails: '"to" is required, but properties.none is empty' })
    expect(one({ FIELD: 'properties.gone' }, { type: 'number' })).toBeUndefined()
  })

  test('user_key is the anonymous ID if there is no user ID', () => {
    const { userId: _, ...anonymous } = event
    expect(map([], { to: { VARIABLE: 'user_key' } }, anonymous)).toMatchObject({ payload: { to: 'a1' } })
  })

  test('the templates of one event share one budget', () => {
    const loop = '{% for a in (1..3000) %}{{ a }}{% endfor %}'
    const fields = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`t${n}`, { TEMPLATE: loop }]))
    expect(map([], fields)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('reads too much data') })
    expect(map([], { t0: { TEMPLATE: loop } })).toMatchObject({ kind: 'mapped' })
  })
})

describe('a target of a mapping', () => {
  test.each<[string, Partial<ActionTarget>, boolean]>([
    ['a text', { type: 'string' }, false],
    ['a number', { type: 'number' }, false],
    ['a list', { type: 'array' }, false],
    ['a hashed value', { type: 'any', pii: 'email' }, false],
    ['an object', { type: 'object' }, true],
    ['any value', { type: 'any' }, true],
  ])('a field inside %s is sent only if the target can have fields of its own', (_, more, isSent) => {
    const mapped = map([target('em', more)], { 'em.x': { FIELD: 'context.traits.email' } })
    expect(mapped).toMatchObject(
      isSent
        ? { payload: { em: { x: ' Ada@Example.COM ' } }, problems: [] }
        : { payload: {}, problems: [{ message: '"em.x" is inside "em" (em), which has no fields of its own' }] },
    )
    expect(JSON.stringify(mapped).includes('Ada@')).toBe(isSent)
  })

  test.each<[ActionTarget['type'], Source, unknown]>([
    ['string', { FIELD: 'properties.count' }, '3'],
    ['string', { FIELD: 'properties.address' }, '{"city":"Berlin"}'],
    ['number', { FIELD: 'properties.total' }, 12.5],
    ['number', { CONSTANT: ' 1e3 ' }, 1000],
    ['number', { TEMPLATE: '{{ properties.count | plus: 1 }}' }, 4],
    ['number', { FIELD: 'properties.blank' }, undefined],
    ['number', { FIELD: 'properties.word' }, { problem: '"to": properties.word is text that is not a number' }],
    ['number', { CONSTANT: true }, { problem: '"to": the constant is true or false that is not a number' }],
    ['boolean', { FIELD: 'properties.paid' }, true],
    ['boolean', { CONSTANT: 0 }, false],
    ['boolean', { CONSTANT: 'no' }, { problem: '"to": the constant is text that is not true or false' }],
    ['object', { FIELD: 'properties.address' }, { city: 'Berlin' }],
    ['object', { TEMPLATE: '{"a":{{ properties.count }}}' }, { a: 3 }],
    ['object', { FIELD: 'properties.tags' }, { problem: '"to": properties.tags is a list that is not an object' }],
    ['object', { TEMPLATE: '{"a":' }, { problem: '"to": its template is text that is not an object' }],
    ['array', { FIELD: 'properties.tags' }, ['a']],
    ['array', { TEMPLATE: '{{ properties.tags }}' }, ['a']],
    ['array', { FIELD: 'properties.count' }, [3]],
    ['datetime', { FIELD: 'properties.at' }, '2026-02-03T04:05:06.000Z'],
    ['datetime', { CONSTANT: '2026-02-03T04:05:06+02:00' }, '2026-02-03T02:05:06.000Z'],
    ['datetime', { CONSTANT: '1815-12-10' }, '1815-12-10T00:00:00.000Z'],
    ['datetime', { VARIABLE: 'timestamp_seconds' }, '2026-01-02T03:04:05.000Z'],
    ['datetime', { VARIABLE: 'timestamp_milliseconds' }, '2026-01-02T03:04:05.678Z'],
    ['datetime', { CONSTANT: '2026-02-31' }, { problem: '"to": the constant is text that is not a time' }],
    ['datetime', { CONSTANT: 'tomorrow' }, { problem: '"to": the constant is text that is not a time' }],
    ['datetime', { CONSTANT: 1e300 }, { problem: '"to": the constant is a number that is not a time' }],
    ['any', { FIELD: 'properties.tags' }, ['a']],
  ])('a target of type %s converts %j to %j', (type, source, wanted) => {
    expect(one(source, { type })).toEqual(wanted)
  })

  test.each<[string, Source, Partial<ActionTarget>, string]>([
    ['nothing', { FIELD: 'properties.gone' }, {}, '"Total" (to) is required, but properties.gone is empty'],
    ['an empty text', { CONSTANT: '' }, {}, '"Total" (to) is required, but the constant is empty'],
    [
      'the wrong type',
      { FIELD: 'properties.word' },
      { type: 'number' },
      '"Total" (to): properties.word is text that is not a number',
    ],
    [
      'nothing to hash',
      { FIELD: 'properties.blank' },
      { pii: 'email' },
      '"Total" (to) is required, but properties.blank is empty',
    ],
  ])('a required target fails the event on %s', (_, source, more, reason) => {
    const mapping = map([target('to', { label: 'Total', required: true, ...more })], {
      to: source,
      also: { CONSTANT: 1 },
    })
    expect(mapping).toEqual({
      kind: 'failed',
      reason,
      problems: [{ field: '0000', message: reason, severity: 'error' }],
    })
  })

  test('a required target fails the event if it is not mapped or its mapping is disabled', () => {
    const targets = [target('to', { label: 'Total', required: true })]
    const wanted = {
      kind: 'failed',
      problems: [{ field: 'to', message: '"Total" (to) is required and not mapped', severity: 'error' }],
    }
    expect(map(targets, {})).toMatchObject(wanted)
    expect(map(targets, { to: [{ CONSTANT: 1 }, { enabled: false }] })).toMatchObject(wanted)
  })

  test('a target whose mapping is disabled is omitted', () => {
    expect(map([], { a: { CONSTANT: 1 }, b: [{ CONSTANT: 2 }, { enabled: false }] })).toMatchObject({
      payload: { a: 1 },
    })
    expect(one({ CONSTANT: 1 })).toBe(1)
  })

  test('a target that the user made required also fails the event without a value', () => {
    const given = { target: { name: 'own', is_required: true, type: 'number' } }
    expect(map([], { own: [{ FIELD: 'properties.gone' }, given] })).toMatchObject({ kind: 'failed' })
    expect(map([], { own: [{ FIELD: 'properties.total' }, given] })).toMatchObject({ payload: { own: 12.5 } })
  })

  test('a target with a path is nested in objects, and objects of the event are copied before a change', () => {
    const mapping = map([], {
      'address.zip': { CONSTANT: '10115' },
      'user.data.id': { FIELD: 'userId' },
      address: { FIELD: 'properties.address' },
      'user.data.a\\.b': { CONSTANT: 1 },
    })
    expect(mapping).toMatchObject({
      payload: { address: { city: 'Berlin', zip: '10115' }, user: { data: { id: 'u1', 'a.b': 1 } } },
    })
    expect(event.properties?.['address']).toEqual({ city: 'Berlin' })
  })

  test('a target inside a value that is not an object is a problem of that field', () => {
    expect(map([], { a: { CONSTANT: 1 }, 'a.b': { CONSTANT: 2 } })).toMatchObject({
      kind: 'mapped',
      payload: { a: 1 },
      problems: [{ field: '0001', message: '"a.b" is inside a field that is not an object', severity: 'error' }],
    })
  })

  test.each(['__proto__', 'a.__proto__.x', 'constructor', 'a.constructor.prototype', 'a..b'])(
    'a target cannot have the name %s',
    (name) => {
      expect(map([], { [name]: { CONSTANT: 1 }, other: { CONSTANT: 1 } })).toMatchObject({ kind: 'failed' })
      expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
    },
  )

  test('a target whose value is an object with the key __proto__ keeps the key', () => {
    const mapping = map([], { p: { FIELD: 'properties' }, 'p.more': { CONSTANT: 1 } })
    if (mapping.kind !== 'mapped') throw new Error(mapping.kind)
    expect(JSON.stringify(mapping.payload?.['p'])).toContain('"__proto__":{"x":1}')
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })
})

describe('personal data', () => {
  const sha = (text: string) => createHash('sha256').update(text).digest('hex')
  const hash = sha('ada@example.com')
  test.each<[ActionTarget['pii'], ActionTarget['type'], Source, unknown]>([
    ['email', 'string', { FIELD: 'context.traits.email' }, hash],
    ['phone', 'string', { FIELD: 'context.traits.phone' }, sha('4930123')],
    ['phone', 'string', { CONSTANT: '0049 30 123' }, sha('4930123')],
    ['phone', 'string', { CONSTANT: 4930123456789 }, sha('4930123456789')],
    ['phone', 'string', { CONSTANT: '+44 (0)20 7946 0958 ext. 9' }, sha('442079460958')],
    ['email', 'string', { CONSTANT: '"Ada" <ada@example.com>' }, hash],
    ['email', 'string', { CONSTANT: 'mailto:ada@example.com' }, hash],
    ['name', 'string', { CONSTANT: ' Zoë ' }, sha('zoë')],
    ['text', 'string', { CONSTANT: 'DE' }, sha('de')],
    ['email', 'string', { CONSTANT: hash }, hash],
    ['email', 'string', { CONSTANT: ` ${hash.toUpperCase()} ` }, hash],
    ['email', 'string', { CONSTANT: '' }, undefined],
    ['email', 'string', { CONSTANT: '   ' }, undefined],
    ['email', 'array', { FIELD: 'context.traits.tags' }, [sha('a@b.co')]],
    ['email', 'any', { CONSTANT: true }, undefined],
  ])('rule %s in a target of type %s hashes %j as %j', (pii, type, source, wanted) => {
    expect(one(source, { type, ...(pii === undefined ? {} : { pii }) })).toEqual(wanted)
  })

  test('a target may have its own normalization; a hash is not hashed again, and an empty result is not hashed', () => {
    const target = { type: 'string', pii: 'phone', comparable: (text: string) => text.replaceAll(' ', '') } as const
    expect(one({ CONSTANT: '+49 30 123' }, target)).toEqual(sha('+4930123'))
    expect(one({ CONSTANT: hash.toUpperCase() }, target)).toEqual(hash)
    expect(one({ CONSTANT: ' ' }, { ...target, comparable: () => '' })).toBeUndefined()
  })

  test.each<[ActionTarget['pii'], unknown, string]>([
    ['phone', '020 7946 0958', 'is a phone number without a country code'],
    ['phone', 2079460958, 'is a phone number without a country code'],
    ['phone', '+442079460958 / +442079460959', 'has more than one phone number'],
    ['phone', 'none', 'is not a phone number'],
    ['email', 'ada@example', 'is not an email address'],
    ['email', 'ada@example.com, bob@example.com', 'is not an email address'],
    ['email', sha(''), 'is the hash of an empty text'],
    ['phone', sha('').toUpperCase(), 'is the hash of an empty text'],
  ])('rule %s does not send %j, and the reason does not show the value', (pii, value, words) => {
    const given = { CONSTANT: value } as Source
    const more = pii === undefined ? {} : { pii }
    expect(one(given, { type: 'string', ...more })).toEqual({ problem: `"to" is not sent: the constant ${words}` })
    expect(map([target('to', { required: true, type: 'string', ...more })], { to: given })).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(words),
    })
  })

  test('several values are sent up to the maximum of the target, each one once, also from a list as JSON text', () => {
    const b = sha('b@example.com')
    const list = ['ada@example.com', 'ADA@example.com', { a: 1 }, 'b@example.com', 'c@example.com']
    const given = { ...event, properties: { list: list as never } }
    const sent = (more: Partial<ActionTarget>) => {
      const fields = { to: { FIELD: 'properties.list' } }
      const mapped = map([target('to', { type: 'string', pii: 'email', ...more })], fields, given)
      return mapped.kind === 'mapped' ? mapped.payload?.['to'] : mapped
    }
    expect(sent({})).toBe(hash)
    expect(sent({ maxValues: 2 })).toEqual([hash, b])
    expect(one({ CONSTANT: '["Ada@example.com","b@example.com"]' }, { pii: 'email', maxValues: 5 })).toEqual([hash, b])
    expect(one({ FIELD: 'properties.address' }, { pii: 'text' })).toEqual({
      problem: '"to" is not sent: properties.address is an object that is not text',
    })
  })

  test("a target's normalization has the country of the same mapping, and its own form of hashes is sent unchanged", () => {
    const phone = target('ph', {
      pii: 'phone',
      countryTarget: 'country',
      comparable: (text, country) => `${country ?? 'none'}:${text}`,
      vendorHash: (text) => (text.endsWith('.x') ? text : undefined),
    })
    const sent = (country: Source[] | Source | undefined, text = '1') => {
      const fields = { ph: { CONSTANT: text }, ...(country === undefined ? {} : { country }) }
      const mapped = map([phone, target('country')], fields as never)
      return mapped.kind === 'mapped' ? mapped.payload?.['ph'] : mapped
    }
    expect(sent({ CONSTANT: 'DE' })).toBe(sha('DE:1'))
    expect(sent({ FIELD: 'properties.gone' })).toBe(sha('none:1'))
    expect(sent({ CONSTANT: 'D'.repeat(500) })).toBe(sha('none:1'))
    expect(sent(undefined)).toBe(sha('none:1'))
    expect(sent(undefined, `${hash}.x`)).toBe(`${hash}.x`)
  })

  test('a text that the platform does not take is not sent, with a reason', () => {
    const usable = (text: string) => (text.startsWith('ok') ? text.trim() : '')
    expect(one({ CONSTANT: 'ok ' }, { type: 'string', usable })).toBe('ok')
    expect(one({ CONSTANT: ' ' }, { type: 'string', usable })).toBeUndefined()
    expect(one({ CONSTANT: 'no' }, { type: 'string', usable })).toEqual({
      problem: '"to" is not sent: the constant has no value that the platform takes',
    })
  })

  test('from a list, only values that can be matched are sent, and empty values are never hashed', () => {
    const values = ['', 'none', sha(''), 'Ada@Example.com']
    expect(personalHashes({ pii: 'email' }, values)).toEqual([hash])
    expect(personalHashes({ pii: 'email' }, values.slice(0, 3))).toEqual([])
  })

  test.each<[NonNullable<ActionTarget['pii']>, string, string]>([
    ['text', '12345678901234567890', '12345678901234567890'],
    ['text', '-9007199254740993', '-9007199254740993'],
    ['phone', '442079460958.0', '442079460958'],
    ['phone', '44.2079460958e10', ''],
  ])(
    'rule %s hashes the number %s, which exceeds a double, with all digits, or rejects it with a reason',
    (pii, written, hashed) => {
      const number = new ExactNumber(written)
      const made = hashed === '' ? [] : [sha(hashed)]
      expect(personalHashes({ pii }, number)).toEqual(made)
      expect(personalHashes({ pii }, [number])).toEqual(made)
      expect(personalDataProblem({ pii }, [number]) === undefined).toBe(made.length > 0)
    },
  )
})

describe('the first enabled mapping that matches applies', () => {
  const actions = [
    action('do', { wholeEvent: true }),
    action('buy', { wholeEvent: true }),
    action('know', { eventTypes: ['identify', 'track'], wholeEvent: true }),
    action('build'),
  ]
  const decide = (given: object[], of: PipelineEvent = event) =>
    compileMappings(
      definitionOf(actions),
      eventMappings.parse(given.map((each, n) => ({ id: idOf(n), field_mappings: [], ...each }))),
      place,
    )(of, 's1')
  const total = (value: string) => [{ id: 'f001', field: 'properties.total', operator: 'equals', value }]

  test.each<[string, object[], string | undefined]>([
    ['in their order', [{ destination: 'buy' }, { destination: 'do' }], 'buy'],
    ['not one that is switched off', [{ destination: 'buy', enabled: false }, { destination: 'do' }], 'do'],
    [
      'by name',
      [
        { destination: 'do', event_name: 'Other' },
        { destination: 'buy', event_name: 'Order Completed' },
      ],
      'buy',
    ],
    [
      'by type',
      [
        { destination: 'do', event_type: 'page' },
        { destination: 'buy', event_type: 'track' },
      ],
      'buy',
    ],
    [
      'by filters',
      [
        { destination: 'do', filters: total('1') },
        { destination: 'buy', filters: total('12.50') },
      ],
      'buy',
    ],
    [
      'by any of its filters',
      [{ destination: 'do', filters: [...total('1'), { ...total('12.50')[0], id: 'f002' }], filter_match: 'any' }],
      'do',
    ],
    ['none fits', [{ destination: 'do', event_name: 'Other' }], undefined],
    ['there are none', [], undefined],
  ])('the first matching mapping applies: %s', (_, given, wanted) => {
    const mapping = decide(given)
    expect(mapping.kind === 'mapped' ? mapping.action : mapping.kind).toBe(wanted ?? 'unmapped')
  })

  test('a mapping without event types applies to those of its action', () => {
    const page: PipelineEvent = { ...event, type: 'page' }
    expect(decide([{ destination: 'know' }])).toMatchObject({ kind: 'mapped' })
    expect(decide([{ destination: 'know' }], page)).toEqual({ kind: 'unmapped' })
    expect(decide([{ destination: 'know', event_type: 'page' }], page)).toMatchObject({ kind: 'mapped' })
  })

  test('a mapping with an unknown action fails the event', () => {
    expect(decide([{ destination: 'gone' }])).toMatchObject({
      kind: 'failed',
      reason: 'Example has no action "gone"',
    })
  })

  test('a mapping without fields sends the event unchanged, if its action allows that', () => {
    expect(decide([{ destination: 'do' }])).toEqual({ kind: 'mapped', action: 'do', problems: [] })
    expect(decide([{ destination: 'build' }])).toEqual({ kind: 'mapped', action: 'build', payload: {}, problems: [] })
  })

  test.each<[string, object[], string | undefined]>([
    ['one without conditions', [{ destination: 'do' }], 'do'],
    [
      'one behind a mapping that is switched off',
      [{ destination: 'buy', enabled: false }, { destination: 'do' }],
      'do',
    ],
    ['not one for a name', [{ destination: 'do', event_name: 'x' }], undefined],
    ['not one for a type', [{ destination: 'do', event_type: 'page' }], undefined],
    ['not one whose action is for a type', [{ destination: 'know' }], undefined],
    ['not one with filters', [{ destination: 'do', filters: total('1') }], undefined],
    ['not one behind another', [{ destination: 'do', event_name: 'x' }, { destination: 'do' }], undefined],
    [
      'not one with fields',
      [{ destination: 'do', field_mappings: mappingOf({ a: { CONSTANT: 1 } })[0]?.field_mappings }],
      undefined,
    ],
    ['not one whose action builds what it sends', [{ destination: 'build' }], undefined],
    ['none', [], undefined],
  ])('events need not be parsed for: %s', (_, given, wanted) => {
    const mappings = eventMappings.parse(given.map((each, n) => ({ id: idOf(n), field_mappings: [], ...each })))
    expect(compileMappings(definitionOf(actions), mappings, place).whole).toBe(wanted)
  })
})

describe('presets', () => {
  const definition = definitionOf(
    [
      action('do', { targets: [target('em', { label: 'Email', type: 'string', pii: 'email', kind: 'identity' })] }),
      action('send', { wholeEvent: true }),
    ],
    [
      {
        action: 'do',
        eventType: 'identify',
        fields: {
          em: { type: 'FIELD', name: 'traits.email' },
          name: { type: 'VARIABLE', name: 'event_name' },
          own: { type: 'CONSTANT', value: 1 },
        },
      },
      { action: 'send', fields: {} },
      { action: 'send', fields: {} },
    ],
  )

  test('presets are valid mappings, with stable IDs of 4 characters', () => {
    const presets = presetMappings(definition)
    expect(eventMappings.parse(presets)).toEqual(presets)
    expect(presetMappings(definition)).toEqual(presets)
    const ids = presets.map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
    expect(presets[0]).toMatchObject({
      event_type: 'identify',
      destination: 'do',
      field_mappings: [
        {
          id: expect.stringMatching(/^[0-9A-Za-z]{4}$/),
          source: { type: 'FIELD', name: 'traits.email', is_event_name_key: false },
          target: { name: 'em', display_name: 'Email', type: 'string', kind: 'identity' },
        },
        { source: { type: 'VARIABLE', display_name: 'Event name', is_event_name_key: true } },
        { source: { type: 'CONSTANT', value: 1 }, target: { name: 'own', kind: 'custom' } },
      ],
    })
  })

  test('presets apply to a destination without its own mappings', () => {
    const mapper = compileMappings(definition, undefined, place)
    expect(mapper(event, 's1')).toEqual({ kind: 'mapped', action: 'send', problems: [] })
    const identify: PipelineEvent = { ...event, type: 'identify', event: '', traits: { email: hashless } }
    expect(mapper(identify, 's1')).toMatchObject({
      action: 'do',
      payload: { own: 1, em: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect(compileMappings(definition, [], place)(event, 's1')).toEqual({ kind: 'unmapped' })
  })
})
const hashless = 'ada@example.com'
