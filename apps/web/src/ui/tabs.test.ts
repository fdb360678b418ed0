import { expect, test } from 'vitest'
import { tabOfHash } from './tabs.tsx'

const tabs = [{ id: 'live' }, { id: 'setup', hash: 'setup' }]

test.each([
  ['', 'live'],
  ['#setup', 'setup'],
  ['#unknown', 'live'],
])('the hash %j selects the tab %s', (hash, tab) => {
  expect(tabOfHash(tabs, hash)).toBe(tab)
})
