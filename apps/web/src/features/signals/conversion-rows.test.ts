import { expect, test } from 'vitest'
import { atPlatform } from './conversion-rows.ts'

const at = (destination: string, status: 'delivered' | 'failed') => ({
  destination,
  title: destination,
  platform: 'meta' as const,
  status,
  reason: '',
  identifiers: [],
})
const rows = [
  { id: 'one', platforms: [at('a', 'delivered'), at('b', 'failed')] },
  { id: 'two', platforms: [at('a', 'failed')] },
]

test('a status counts at the platform that is asked for, not at another one', () => {
  const table: readonly [string, string, string[]][] = [
    ['', '', ['one', 'two']],
    ['', 'failed', ['one', 'two']],
    ['a', '', ['one', 'two']],
    ['b', '', ['one']],
    ['a', 'failed', ['two']],
    ['b', 'delivered', []],
  ]
  for (const [destination, status, ids] of table)
    expect(atPlatform(rows, { destination, status }).map(({ id }) => id)).toEqual(ids)
})
