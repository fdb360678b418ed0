import { expect, test } from 'vitest'
import { hasKeyInAddress } from './key-in-address.ts'

const key = `api_${'aB3-_x9Z'.repeat(4)}`
const encoded = (text: string): string =>
  [...text].map((each) => `%${each.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')

test.each([
  ['as it is', `/api/workspaces?key=${key}`],
  ['as the only thing of the query', `/api/workspaces?${key}`],
  ['in the path', `/api/workspaces/${key}/sources`],
  ['with its first letter encoded', `/api/workspaces?key=%61${key.slice(1)}`],
  ['with its underscore encoded', `/api/workspaces?key=api%5F${key.slice(4)}`],
  ['with every character encoded', `/api/workspaces?key=${encoded(key)}`],
  ['with capitals in the encoding', `/api/workspaces?key=${encoded(key).toUpperCase()}`],
  ['encoded twice', `/api/workspaces?key=${encoded(key).replaceAll('%', '%25')}`],
  ['encoded three times', `/api/workspaces?key=${encoded(key).replaceAll('%', '%2525')}`],
  ['encoded, in the path', `/api/workspaces/${encoded(key)}`],
  ['behind a broken escape', `/api/workspaces?a=%zz&key=%61${key.slice(1)}`],
  ['in the name of a parameter', `/api/workspaces?%61${key.slice(1)}=1`],
])('an API key in a URL is found %s', (_, address) => {
  expect(hasKeyInAddress(address)).toBe(true)
})

test.each([
  ['nothing', '/api/workspaces'],
  ['a key that is too short', `/api/workspaces?key=${key.slice(0, -1)}`],
  ['a text that is longer than a key', `/api/workspaces?key=${key}x`],
  ['the end of another word', `/api/workspaces?key=x${key}`],
  ['many beginnings of a key', `/api/workspaces?${'api_'.repeat(4000)}`],
  ['many separators', `/api/workspaces?${'&'.repeat(15_000)}`],
  ['many percent signs', `/api/workspaces?${'%25'.repeat(5000)}`],
])('no API key is found in %s', (_, address) => {
  expect(hasKeyInAddress(address)).toBe(false)
})
