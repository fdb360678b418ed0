import type { AudienceExplanation } from '@tributary/contract'
import { expect, test } from 'vitest'
import { reasonOf } from './explanation-words.ts'

const explanation: AudienceExplanation = {
  as_of: '2026-01-01T00:00:00.000Z',
  profile: {
    name: 'workspaces/w/profiles/p',
    title: 'ada',
    email: '',
    identifiers: [],
    identifier_count: 1,
    create_time: '2026-01-01T00:00:00.000Z',
  },
  enter_time: null,
  met: false,
  suppressed: false,
  anonymous: false,
  conditions: [
    { id: 'aaaa', met: true },
    { id: 'bbbb', met: false },
    { id: 'cccc', met: true },
  ],
}

test.each<[string, Partial<AudienceExplanation>, string]>([
  ['how many conditions are true', {}, '2 of 3 conditions are true.'],
  ['one that is', { conditions: [{ id: 'aaaa', met: true }], met: true, enter_time: '' }, '1 of 1 condition is true.'],
  ['that the only one is not', { conditions: [{ id: 'aaaa', met: false }] }, '0 of 1 conditions are true.'],
  ['that it is suppressed', { suppressed: true, conditions: [] }, 'Suppressed users are in no audience.'],
  [
    'that it has no user ID',
    { anonymous: true },
    '2 of 3 conditions are true. The audience leaves out profiles without a user ID.',
  ],
  [
    'that it changed since',
    { met: true },
    '2 of 3 conditions are true. The profile has changed since the audience was computed.',
  ],
])('the explanation says %s', (_, change, text) => {
  expect(reasonOf({ ...explanation, ...change })).toBe(text)
})
