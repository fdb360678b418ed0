import { changesTopic } from '@tributary/audiences'
import { conversionsTopic } from '@tributary/signals'
import { expect, test } from 'vitest'
import { isPassing } from './open-coordination.ts'

test('messages that only wake senders do not pass through the database without another process', () => {
  expect([changesTopic, conversionsTopic, 'other.topic'].map(isPassing)).toEqual([true, true, false])
})
