import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, type Harness, startControl } from '../testing/control-harness.ts'

const gb = 1024 ** 3

let harness: Harness
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())

const noticesOf = async (who: Caller) => (await who.ok(methods.notifications.list, { user: who.userId })).notifications

test('platform admins are notified once a day that the stream is nearly full, and once if a consumer lost its position', async () => {
  const admin = await harness.person({}, { platformAdmin: true })
  const somebody = await harness.person()
  const near = { bytes: 41 * gb, maxBytes: 50 * gb, consumer: 'delivery', records: 1_234_567, lost: false }
  for (let times = 0; times < 3; times++) await harness.notifyStreamPressure(near)
  await harness.notifyStreamPressure({ ...near, consumer: 'profiles', lost: true })
  expect(await noticesOf(admin)).toMatchObject([
    {
      kind: 'stream_full',
      title: 'The profiles consumer fell too far behind',
      body: expect.stringContaining('reached its limit of 50.0 GB (TRIBUTARY_STREAM_MAX_MB)'),
      link: '',
    },
    {
      kind: 'stream_full',
      title: 'The event stream is nearly full',
      body: expect.stringMatching(/takes 41\.0 GB of 50\.0 GB .* delivery is 1,234,567 records behind\./),
    },
  ])
  expect(await noticesOf(somebody)).toEqual([])
  harness.advance(24 * 3_600_000)
  await harness.notifyStreamPressure(near)
  const rows = await harness.db.selectFrom('notifications').select('id').where('user_id', '=', admin.userId).execute()
  expect(rows).toHaveLength(3)
})
