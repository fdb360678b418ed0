import { describe, expect, it } from 'vitest'
import { defineDescribed, readDescription } from '../define-described.ts'
import { sampleText } from '../testing-descriptions.ts'
import { standardFields } from './standard-fields.ts'
import { vectors } from './vectors.ts'

type Preset = { action?: string; event_type?: string; event_names?: object; as?: string; fields?: object }

/** The sample whose action has these fields, and one preset. */
const sampleWith = (fields: object, preset: Preset = {}) => {
  const { send } = (JSON.parse(sampleText()) as { actions: { send: object } }).actions
  const actions = { send: { ...send, fields, item: { a: 1 } } }
  return sampleText({ actions, presets: [{ event_type: 'track', action: 'send', ...preset }] })
}

const definitionOf = (fields: object, preset?: Preset) =>
  defineDescribed(readDescription(sampleWith(fields, preset)), '## One\n\nA text.\n')

const sourcesOf = (fields: object, preset?: Preset) => definitionOf(fields, preset).presets[0]?.fields

describe('a field', () => {
  it('is a standard field by its name, and `as` with what differs', () => {
    const { actions } = definitionOf({
      email: 'email',
      contact: { as: 'user_id', label: 'Contact ID', required: true },
    })
    expect(actions[0]?.targets).toMatchObject([
      { name: 'email', label: 'Email', type: 'string', kind: 'identity', required: false, recommended: true },
      { name: 'contact', label: 'Contact ID', help: 'Your ID of the person.', kind: 'identity', required: true },
    ])
  })

  it.each([
    ['a name that there is not', { email: 'emial' }, /There is no standard field "emial"/],
    ['a name of every object', { email: 'constructor' }, /There is no standard field "constructor"/],
    ['`as` with a name that there is not', { email: { as: 'emial' } }, /There is no standard field "emial"/],
    ['a member that the format does not have', { email: { as: 'email', lable: 'E' } }, /lable/],
    ['a usual source without a variable', { email: { as: 'email', from: '$user_mail' } }, /There is no such variable/],
  ])('is refused with %s', (_, fields, message) => {
    expect(() => readDescription(sampleWith(fields))).toThrow(message)
  })
})

describe('a preset', () => {
  const fields = {
    email: 'email',
    plan: { label: 'Plan', help: 'H.', type: 'string', kind: 'trait' },
    value: 'revenue',
    id: { as: 'user_id', from: 'context.id' },
  }
  const usual = {
    email: { type: 'VARIABLE', name: 'user_email' },
    value: {
      type: 'FIRST',
      sources: [
        { type: 'FIELD', name: 'properties.revenue' },
        { type: 'FIELD', name: 'properties.total' },
      ],
    },
    id: { type: 'FIELD', name: 'context.id' },
  }

  it('has the usual source of each field that has one', () => {
    expect(sourcesOf(fields)).toEqual(usual)
  })

  it('adds and changes fields, and leaves out those that are null', () => {
    const own = { plan: 'traits.plan', id: { type: 'CONSTANT', value: 'x' }, value: null, more: ['$user_key', 'a.b'] }
    expect(sourcesOf(fields, { fields: own })).toEqual({
      email: usual.email,
      plan: { type: 'FIELD', name: 'traits.plan' },
      id: { type: 'CONSTANT', value: 'x' },
      more: {
        type: 'FIRST',
        sources: [
          { type: 'VARIABLE', name: 'user_key' },
          { type: 'FIELD', name: 'a.b' },
        ],
      },
    })
  })

  it('with several event names stands for one preset each, with the constant of the name', () => {
    const names = { 'Order Completed': 'purchase', 'Product Added': 5 }
    const shared = { event_type: 'track', event_names: names }
    const { presets } = definitionOf({ email: 'email', kind: fields.plan }, { ...shared, as: 'kind' })
    expect(presets).toEqual(
      Object.entries(names).map(([eventName, value]) => ({
        action: 'send',
        eventType: 'track',
        eventName,
        fields: { email: usual.email, kind: { type: 'CONSTANT', value } },
      })),
    )
    const usualName = definitionOf({ event_name: 'event_name' }, shared).presets
    expect(usualName[0]?.fields).toEqual({ event_name: { type: 'CONSTANT', value: 'purchase' } })
  })

  it.each([
    ['a field that there is not', { event_names: { A: 'a' }, as: 'kind' }, /names a field kind/],
    ['one name and several', { event_name: 'A', event_names: { A: 'a' }, as: 'email' }, /one event_name, or/],
    ['a field without names', { as: 'email' }, /one event_name, or/],
  ])('is refused with %s', (_, preset, message) => {
    expect(() => definitionOf({ email: 'email' }, preset)).toThrow(message)
  })

  it('has sources for all standard fields', () => {
    const all = Object.fromEntries(Object.keys(standardFields).map((name) => [name, name]))
    expect(Object.keys(sourcesOf(all) ?? {})).toEqual(Object.keys(standardFields))
  })
})

it('vectors have short forms of pages, events, answers, and outcomes', () => {
  const page = 'https://sample.example/'
  const short = (text: string) => {
    const [answer] =
      vectors.parse({
        settings: {},
        accepts: { source: page, answer: 204 },
        sample: 'a',
        requests: [{ name: 'n', source: page, events: ['b'], requests: [{ method: 'GET', url: page }] }],
        answers: [{ name: 'n', source: page, events: ['b'], answers: [503], outcomes: [text] }],
      }).answers ?? []
    return answer
  }
  expect(short('delivered')).toEqual({
    name: 'n',
    source: [page],
    events: [{ event: 'b' }],
    answers: [{ status: 503, headers: {} }],
    outcomes: [{ kind: 'delivered' }],
  })
  expect(
    ['rejected: HTTP 400: no', 'retry: a', 'misconfigured: b', 'delivered: 1 of 2'].map(
      (text) => short(text)?.outcomes[0],
    ),
  ).toEqual([
    { kind: 'rejected', reason: 'HTTP 400: no' },
    { kind: 'retry', reason: 'a' },
    { kind: 'retry', reason: 'b', misconfigured: true },
    { kind: 'delivered', note: '1 of 2' },
  ])
  expect(() => short('refused: x')).toThrow(/kind/)
})
