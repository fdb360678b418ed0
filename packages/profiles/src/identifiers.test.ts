import { describe, expect, test } from 'vitest'
import { identifiersOf } from './identifiers.ts'

const texts = (naming: Parameters<typeof identifiersOf>[0]): string[] =>
  identifiersOf(naming).identifiers.map(({ type, value }) => `${type}:${value}`)

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
])('the value %j stands for nobody', (value) => {
  expect(identifiersOf({ userId: value })).toEqual({ identifiers: [], refused: 'blocked' })
  expect(texts({ userId: value, anonymousId: 'a' })).toEqual(['anonymous_id:a'])
})

test.each([
  ['x'.repeat(513), 'too_long'],
  ['я'.repeat(257), 'too_long'],
  ['a\0b', 'not_text'],
  ['a\ud800', 'not_text'],
  ['a\ufffd', 'not_text'],
])('a value that no database keeps or that is too long is no identifier', (value, reason) => {
  expect(identifiersOf({ anonymousId: value })).toEqual({ identifiers: [], refused: reason })
})

test.each(['nullable', '10', '-10', 'я'.repeat(256), ' u', "'; drop table profiles"])(
  'the value %j is somebody',
  (value) => {
    expect(texts({ userId: value })).toEqual([`user_id:${value}`])
  },
)

describe('external ids', () => {
  const external = (...externalIds: unknown[]) => texts({ userId: 'u', anonymousId: 'a', context: { externalIds } })

  test('come before the anonymous id, by their kinds, and behind it where there is no user id', () => {
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
  ])('%j is none', (each) => {
    expect(external(each)).toEqual(['user_id:u', 'anonymous_id:a'])
  })

  test('beyond ten of one event are not looked at', () => {
    expect(external(...Array.from({ length: 50 }, (_, n) => ({ id: `c-${n}`, type: 'shop' })))).toHaveLength(12)
  })
})
