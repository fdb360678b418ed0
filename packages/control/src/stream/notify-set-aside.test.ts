import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, type Harness, startControl } from '../testing/control-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())

const noticesOf = async (who: Caller) => (await who.ok(methods.notifications.list, { user: who.userId })).notifications

test('only platform admins are notified of requests that could not be processed, once a day', async () => {
  const admin = await harness.person({}, { platformAdmin: true })
  const somebody = await harness.person()
  await harness.notifySetAside(1)
  await harness.notifySetAside(3)
  expect(await noticesOf(admin)).toMatchObject([
    {
      kind: 'requests_set_aside',
      title: 'A request could not be processed',
      body: expect.stringContaining('npm run set-aside'),
      link: '',
    },
  ])
  expect(await noticesOf(somebody)).toEqual([])
  harness.advance(24 * 3_600_000)
  await harness.notifySetAside(3)
  const rows = await harness.db
    .selectFrom('notifications')
    .select('title')
    .where('user_id', '=', admin.userId)
    .execute()
  const titles = rows.map(({ title }) => title).toSorted()
  expect(titles).toEqual(['3 requests could not be processed', 'A request could not be processed'])
})
