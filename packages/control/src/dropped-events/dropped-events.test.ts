import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

const hourMs = 3_600_000

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const start = async () => {
  const { administrator, workspaceId } = organization
  const { source } = await makeResources(workspaceId, administrator)
  const sourceId = idIn(source.name)
  const thisHour = Math.floor(harness.now() / hourMs) * hourMs
  const drop = (hoursAgo: number, events: number, more: object = {}): Promise<void> =>
    harness.eventStore.insert(
      'dropped_events',
      JSON.stringify({
        workspace_id: workspaceId,
        source_id: sourceId,
        hour: (thisHour - hoursAgo * hourMs) / 1000,
        reason: 'duplicate',
        events,
        ...more,
      }),
      { token: newId() },
    )
  const params = { workspace: workspaceId, source: sourceId }
  return { drop, thisHour, params, list: () => administrator.ok(methods.droppedEvents.listBySource, params) }
}

test('discarded events of the last 24 hours are summed by reason, the most frequent first', async () => {
  const { drop, list, thisHour } = await start()
  await drop(1, 3)
  await drop(1, 4)
  await drop(5, 10)
  await drop(26, 1000)
  await drop(2, 40, { reason: 'sampled' })
  expect((await list()).dropped_events).toEqual([
    { reason: 'sampled', message: '', count: 40, last_hour: new Date(thisHour - 2 * hourMs).toISOString() },
    {
      reason: 'duplicate',
      message: expect.stringContaining('messageId'),
      count: 17,
      last_hour: new Date(thisHour - hourMs).toISOString(),
    },
  ])
})

test('discarded events of another source or workspace are not counted', async () => {
  const { drop, list } = await start()
  await drop(0, 5, { source_id: newId() })
  await drop(0, 5, { workspace_id: organization.otherWorkspaceId })
  expect((await list()).dropped_events).toEqual([])
})

test("discarded events of another workspace's source are not found", async () => {
  const { params } = await start()
  const { administrator, outsider, otherWorkspaceId } = organization
  const path = `/workspaces/${params.workspace}/sources/${params.source}/droppedEvents`
  expect(await outsider.call('GET', path)).toMatchObject({ status: 404 })
  expect(
    await outsider.call('GET', `/workspaces/${otherWorkspaceId}/sources/${params.source}/droppedEvents`),
  ).toMatchObject({ status: 404 })
  expect(
    await administrator.call('GET', `/workspaces/${params.workspace}/sources/${newId()}/droppedEvents`),
  ).toMatchObject({ status: 404 })
})

test('pages of discarded events show every reason once', async () => {
  const { drop, params } = await start()
  for (const [index, reason] of ['a', 'b', 'c'].entries()) await drop(0, 10 - index, { reason })
  const seen: string[] = []
  let page_token = ''
  do {
    const page = await organization.guest.ok(methods.droppedEvents.listBySource, params, {
      query: { page_size: 2, page_token },
    })
    seen.push(...page.dropped_events.map((each) => each.reason))
    page_token = page.next_page_token
  } while (page_token !== '')
  expect(seen).toEqual(['a', 'b', 'c'])
})
