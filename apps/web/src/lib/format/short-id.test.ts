import { expect, test } from 'vitest'
import { shortId } from './short-id.ts'

test('EVT-49, MAP-05, AMB-60: a new ID of a row is 4 letters and digits, and not one of the existing IDs', () => {
  const taken = new Set<string>()
  for (let made = 0; made < 500; made++) {
    const id = shortId(taken)
    expect(id).toMatch(/^[0-9A-Za-z]{4}$/)
    expect(taken.has(id)).toBe(false)
    taken.add(id)
  }
})
