import {
  defaultPersonDataPaths,
  type MappingSource,
  type PersonDataPaths,
  type PipelineEvent,
  personDataKinds,
  personPathMistake,
} from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { profileNeedsOf, withProfileLast } from './event-profile.ts'
import { compileSource, eventBudget, takeInHand } from './sources.ts'

const base = { display_name: '', is_event_name_key: false, kind: 'custom' } as const
const variable = (name: string): MappingSource => ({ type: 'VARIABLE', name, ...base })
const template = (value: string): MappingSource => ({ type: 'TEMPLATE', value, ...base })

const event = (more: Partial<PipelineEvent>): PipelineEvent => ({
  eventId: '0-1-0',
  messageId: 'm-1',
  type: 'track',
  event: 'Signed Up',
  context: {},
  test: false,
  receivedAt: '2026-01-01T00:00:00.000Z',
  timestamp: '2026-01-01T00:00:00.000Z',
  ...more,
})

const read = (source: MappingSource, given: PipelineEvent, paths: Partial<PersonDataPaths> = {}, profile = '{}') => {
  const place = { workspaceId: 'w', destinationId: 'd', personData: { ...defaultPersonDataPaths, ...paths } }
  const inHand = takeInHand(given, 's', undefined, place, { ...eventBudget }, { json: profile, lacks: '' })
  const value = compileSource(source)(inHand)
  return 'value' in value ? value.value : value
}

describe('a variable of the data of a person', () => {
  it.each<[string, Partial<PersonDataPaths>, Partial<PipelineEvent>, unknown]>([
    ['the first path with a value', { email: ['traits.a', 'traits.b'] }, { traits: { a: '', b: 'b@x.de' } }, 'b@x.de'],
    ['names with dots and spaces', { email: ['traits["e.mail of"]'] }, { traits: { 'e.mail of': 'a@x.de' } }, 'a@x.de'],
    ['an item of a list', { email: ['traits.emails[0]'] }, { traits: { emails: ['a@x.de'] } }, 'a@x.de'],
    ['no name of the prototype', { email: ['traits.__proto__.x', 'traits.constructor'] }, { traits: {} }, undefined],
    ['nothing without paths', { email: [] }, { traits: { email: 'a@x.de' } }, undefined],
    [
      'the newest traits of an identify call',
      {},
      { type: 'identify', traits: { email: 'new@x.de' }, context: { traits: { email: 'old@x.de' } } },
      'new@x.de',
    ],
    [
      'an order of identify calls that lists one place only',
      { email: ['context.traits.email', 'traits.mail'] },
      { type: 'identify', traits: { mail: 'a@x.de' }, context: { traits: { email: 'b@x.de' } } },
      'b@x.de',
    ],
  ])('reads %s', (_, paths, given, value) => {
    expect(read(variable('user_email'), event(given), paths)).toBe(value)
  })

  it('reads the profile only at paths of the profile, and needs only these', () => {
    const paths = { ...defaultPersonDataPaths, email: ['traits.mail', 'profile.traits.contact.mail'] }
    const profile = '{"traits":{"contact":{"mail":"known@x.de"}}}'
    expect(read(variable('user_email'), event({}), paths, profile)).toBe('known@x.de')
    expect(read(variable('user_email'), event({ traits: { mail: 'own@x.de' } }), paths, profile)).toBe('own@x.de')
    expect(profileNeedsOf(variable('user_email'), paths)).toEqual(['traits.contact'])
    expect(profileNeedsOf(template('{{ user_email | upcase }}'), paths)).toEqual(['traits.contact'])
    expect(personDataKinds.flatMap(({ kind }) => profileNeedsOf(variable(`user_${kind}`)))).toEqual([])
  })

  it('is a variable of templates', () => {
    const given = event({ traits: { email: 'a@x.de' } })
    expect(read(template('{{ user_email | upcase }} of {{ event_name }}'), given)).toBe('A@X.DE of Signed Up')
  })

  it('is the first of several sources for signals, before traits and identifiers of the profile', () => {
    expect(withProfileLast(variable('user_phone'))).toMatchObject({
      type: 'FIRST',
      sources: [
        { type: 'VARIABLE', name: 'user_phone' },
        { type: 'PROFILE', name: 'traits.phone' },
        { type: 'PROFILE', name: 'traits.phone_number' },
        { type: 'PROFILE', name: 'traits.phoneNumber' },
        { type: 'PROFILE', name: 'identifiers.phone' },
      ],
    })
    expect(withProfileLast(variable('user_key'))).toEqual(variable('user_key'))
  })
})

it.each([
  ['traits.email', undefined],
  ['profile.traits.email', undefined],
  ['context.traits["e.mail"]', undefined],
  ['email', 'Begin with context., properties., traits., or profile.'],
  ['traits', 'Begin with context., properties., traits., or profile.'],
  ['__proto__.email', 'Begin with context., properties., traits., or profile.'],
  ['traits..email', "A path can't have empty names"],
  ['profile.email', 'Begin with traits., identifiers. or audiences.'],
])('the path %s of a person has the mistake %s', (path, mistake) => {
  expect(personPathMistake(path)).toBe(mistake)
})
