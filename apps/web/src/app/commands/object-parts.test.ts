import type { FoundObject } from '@tributary/contract'
import { expect, test } from 'vitest'
import { matchingParts, objectWords } from './object-parts.ts'

const object = (kind: FoundObject['kind'], title: string): FoundObject => ({
  name: `workspaces/w1/${kind}s/${title.toLowerCase().replaceAll(' ', '-')}`,
  kind,
  title,
  app: { display_name: 'Webhook', extra: { app_icon: '' } },
})
const objects = [object('source', 'Web shop'), object('destination', 'Archive'), object('destination', 'Failure log')]
const found = (text: string) => matchingParts(text, objects).map(({ object: { title }, part }) => [title, part.to])

test('the name of an object and the start of the name of one of its tabs, in any order, lead to that tab', () => {
  expect(found('archive fail')).toEqual([['Archive', '/workspaces/w1/destinations/archive#failures']])
  expect(found('viol shop')).toEqual([['Web shop', '/workspaces/w1/sources/web-shop#violations']])
  expect(found('shop live')).toEqual([['Web shop', '/workspaces/w1/sources/web-shop']])
})

test('only a source has a write key as a part, and choosing it copies the key', () => {
  expect(matchingParts('shop key', objects)).toMatchObject([{ part: { name: 'Copy write key', act: 'copyKey' } }])
  expect(found('archive key')).toEqual([])
})

test('the name of an object without that of a tab, or the reverse, finds no part of an object', () => {
  expect(found('archive')).toEqual([])
  expect(found('failures')).toEqual([])
  expect(found('')).toEqual([])
})

test('the server searches for the text without the words that name a tab or action', () => {
  expect(objectWords('archive failures')).toBe('archive')
  expect(objectWords('eu web shop copy key')).toBe('eu web shop')
  expect(objectWords('archive')).toBe('')
  expect(objectWords('settings')).toBe('')
})
