import type { DeliveryMeta } from '@tributary/contract'
import { NewerFormat } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { acceptedRecord } from './accepted-events.ts'

const record = (more: Partial<DeliveryMeta> & { v?: number }, body: string) =>
  acceptedRecord({
    partition: 0,
    incarnation: '',
    offset: 1,
    time: 1,
    key: 'w',
    meta: JSON.stringify({ w: 'w', s: 's', d: ['d'], n: 1, ...more }),
    body: Buffer.from(body),
  })

test('consumers get events that the pipeline accepted, but not repetitions of a replay or rows of a producer', () => {
  const event = '[{"eventId":"0-0000000001-0000","event":"Bought"}]\n'
  expect(record({ q: 2 }, event)).toMatchObject({ through: 2, events: [{ eventId: '0-0000000001-0000' }] })
  expect(record({ p: 'replay' }, event)).toBeUndefined()
  expect(record({ b: { k: 'sync', n: 'n' } }, '[{"recordId":"1","payload":{}}]\n')).toBeUndefined()
})

test('a record of a newer version is neither read nor skipped', () => {
  expect(() => record({ v: 2, q: 2 }, '[]\n')).toThrow(NewerFormat)
})
