import { defaultIdentityRules } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { contactsOf, identifiersOf } from './identifiers.ts'
import { defaultRules, rulesOf } from './rules.ts'

const texts = (naming: Parameters<typeof identifiersOf>[0], rules = defaultRules): string[] =>
  identifiersOf(naming, rules).identifiers.map(({ type, value }) => `${type}:${value}`)

test.each([
  '',
  ' ',
  '\t\n',
  'null',
  'NULL',
  ' undefined ',
  '-1',
  '0',
  '0000',
  '00000000-0000-0000-0000-000000000000',
  'Anonymous',
  'guest',
  '[object Object]',
  'NaN',
])('the value %j does not identify a user', (value) => {
  expect(identifiersOf({ userId: value }, defaultRules)).toEqual({ identifiers: [], refused: 'blocked' })
  expect(texts({ userId: value, anonymousId: 'a' })).toEqual(['anonymous_id:a'])
})

test.each([
  ['x'.repeat(513), 'too_long'],
  ['я'.repeat(257), 'too_long'],
  ['a\0b', 'not_text'],
  ['a\ud800', 'not_text'],
  ['a\ufffd', 'not_text'],
])('a value that no database stores, or that is too long, is rejected as identifier', (value, reason) => {
  expect(identifiersOf({ anonymousId: value }, defaultRules)).toEqual({ identifiers: [], refused: reason })
})

test.each(['nullable', '10', '-10', 'я'.repeat(256), ' u', "'; drop table profiles"])(
  'the value %j identifies a user',
  (value) => {
    expect(texts({ userId: value })).toEqual([`user_id:${value}`])
  },
)

describe('external ids', () => {
  const external = (...externalIds: unknown[]) => texts({ userId: 'u', anonymousId: 'a', context: { externalIds } })

  test('external IDs come before the anonymous ID, sorted by kind, and after it if there is no user ID', () => {
    const [shop, crm] = [
      { id: '1', type: 'shop', collection: 'users', encoding: 'none' },
      { id: '2', type: 'crm' },
    ]
    expect(external(shop, crm)).toEqual(['user_id:u', 'crm:2', 'shop:1', 'anonymous_id:a'])
    const context = { externalIds: [shop, crm] }
    expect(texts({ anonymousId: 'a', context })).toEqual(['anonymous_id:a', 'crm:2', 'shop:1'])
    expect(texts({ userId: 'null', context })).toEqual([])
  })

  test.each([
    { id: '1', type: 'shop', collection: 'accounts' },
    { id: '1', type: 'shop', encoding: 'sha256' },
    { id: 'x', type: 'user_id' },
    { id: 'x', type: 'anonymous_id' },
    { id: 'x', type: 'Shop With Spaces' },
    { id: 1, type: 'shop' },
    { id: 'null', type: 'shop' },
    { type: 'shop' },
    'shop',
    null,
  ])('the external ID %j is ignored', (each) => {
    expect(external(each)).toEqual(['user_id:u', 'anonymous_id:a'])
  })

  test('external IDs beyond ten of one event are ignored', () => {
    expect(external(...Array.from({ length: 50 }, (_, n) => ({ id: `c-${n}`, type: 'shop' })))).toHaveLength(12)
  })
})

describe('values that the workspace blocks', () => {
  const rules = rulesOf({ ...defaultIdentityRules, blocked_values: [' Kiosk ', 'test'] }, '')

  test('a blocked value that is the deciding identifier leaves the event without a profile, whatever else it has', () => {
    expect(identifiersOf({ userId: 'TEST', anonymousId: 'a' }, rules)).toEqual({ identifiers: [], refused: 'blocked' })
    expect(identifiersOf({ anonymousId: 'kiosk' }, rules)).toEqual({ identifiers: [], refused: 'blocked' })
  })

  test('blocked values are ignored beside other identifiers, and similar values are not blocked', () => {
    const context = { externalIds: [{ id: 'test', type: 'shop' }] }
    expect(texts({ userId: 'u', anonymousId: 'kiosk', context }, rules)).toEqual(['user_id:u'])
    expect(texts({ userId: 'tests', anonymousId: 'kiosk-1' }, rules)).toEqual(['user_id:tests', 'anonymous_id:kiosk-1'])
  })
})

describe('email addresses and phone numbers', () => {
  const linking = rulesOf({ ...defaultIdentityRules, link_email: true, link_phone: true }, '')
  const contacts = (email: unknown, phone: unknown, rules = linking): string[] => {
    const traits = [
      { name: 'email', value: JSON.stringify(email) },
      { name: 'phone', value: JSON.stringify(phone) },
    ]
    return contactsOf(traits, rules).map(({ type, value }) => `${type}:${value}`)
  }

  test.each([
    ['Ada@Example.com ', '+44 20 7946-0958', ['email:ada@example.com', 'phone:+442079460958']],
    ['ada@example', '020 7946 0958', []],
    ['a b@example.com', '0044 (20) 79460958', ['phone:+442079460958']],
    [7, null, []],
    [null, 442079460958, ['phone:+442079460958']],
    [null, 2079460958, []],
    [null, { number: 442079460958 }, []],
    [null, [442079460958], []],
    ['', '', []],
  ])('the email address and phone number %j and %j become the identifiers %j', (email, phone, expected) => {
    expect(contacts(email, phone)).toEqual(expected)
  })

  test('email addresses and phone numbers are not identifiers if the workspace does not link by them', () => {
    expect(contacts('a@example.com', '+442079460958', defaultRules)).toEqual([])
    const email = rulesOf({ ...defaultIdentityRules, link_email: true }, '')
    expect(contacts('a@example.com', '+442079460958', email)).toEqual(['email:a@example.com'])
  })

  test('email addresses and phone numbers come after the user ID and before all other identifiers', () => {
    const context = { externalIds: [{ id: '1', type: 'crm' }] }
    const given = contactsOf([{ name: 'email', value: '"a@example.com"' }], linking)
    expect(texts({ userId: 'u', anonymousId: 'a', context, contacts: given }, linking)).toEqual([
      'user_id:u',
      'email:a@example.com',
      'crm:1',
      'anonymous_id:a',
    ])
  })
})
