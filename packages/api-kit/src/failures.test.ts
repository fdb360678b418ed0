import { EventStoreBusy } from '@tributary/storage'
import { expect, test } from 'vitest'
import { asApiError } from './failures.ts'

test('a workspace with too many running queries gets 429 with a retry time', () => {
  expect(asApiError(new EventStoreBusy('full'))).toMatchObject({
    code: 429,
    reason: 'WORKSPACE_BUSY',
    message: 'This workspace has too many queries running. Try again in a moment',
    metadata: { retry_after: '2' },
  })
})
