import { expect, test } from 'vitest'
import { nextStep } from './next-step.ts'

const connected = { status: 'connected' } as Parameters<typeof nextStep>[0]['grant']
const expired = { status: 'expired' } as Parameters<typeof nextStep>[0]['grant']

test.each([
  ['needs settings', 'needs_setup', null, 1, 'settings'],
  ['needs a permission', 'ready', expired, 1, 'settings'],
  ['has no source', 'ready', null, 0, 'connections'],
  ['has a permission and no source', 'ready', connected, 0, 'connections'],
  ['has all of it', 'ready', connected, 2, 'mappings'],
] as const)('the page of a new destination that %s opens on that tab', (_, state, grant, sources, tab) => {
  expect(nextStep({ state, grant }, sources)).toBe(tab)
})
