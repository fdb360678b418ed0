import { methods } from '@tributary/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRefusalSink } from '../index.ts'
import {
  type Caller,
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

const minute = 60_000
const hour = 60 * minute

let harness: Harness
let organization: Organization
let source: string
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  organization = await startOrganization(harness)
  source = (await makeResources(organization.workspaceId, organization.administrator)).source.name
})

/** Records this many refusals of the source's requests with 429, the last of them so long ago. */
const refuse = (agoMs: number, reason = 'WORKSPACE_BACKLOG', count = 7): Promise<void> =>
  createRefusalSink({ db: harness.db }).write([
    {
      workspaceId: organization.workspaceId,
      sourceId: idIn(source),
      keyHint: '',
      reason,
      code: 429,
      count,
      lastTime: harness.now() - agoMs,
      message: 'Later',
      sample: '',
    },
  ])

const noticesOf = async (who: Caller) => (await who.ok(methods.notifications.list, { user: who.userId })).notifications

test('administrators and collaborators are notified once per episode of requests refused with 429, with advice', async () => {
  const { administrator, collaborator, guest, outsider } = organization
  await refuse(minute)
  await harness.notifyBackloggedWorkspaces()
  for (let more = 0; more < 100; more++) await refuse(0)
  await Promise.all([harness.notifyBackloggedWorkspaces(), harness.notifyBackloggedWorkspaces()])
  for (const who of [administrator, collaborator])
    expect(await noticesOf(who)).toMatchObject([
      {
        kind: 'backlog_full',
        title: 'Events are being refused',
        body: expect.stringMatching(/^Requests to Shop get status 429: .* Slow down or stop imports/),
        link: `/${source}#refused`,
      },
    ])
  for (const who of [guest, outsider]) expect(await noticesOf(who)).toEqual([])
  const live = harness.published.filter(({ channel }) => channel === `#server-to-user-${collaborator.userId}`)
  expect(live).toHaveLength(1)
})

test('an episode that lasts for hours causes one notification, and the next episode another', async () => {
  await refuse(2 * hour)
  await refuse(hour)
  await refuse(0)
  await harness.notifyBackloggedWorkspaces()
  harness.advance(hour)
  await refuse(0)
  await harness.notifyBackloggedWorkspaces()
  expect(await noticesOf(organization.administrator)).toHaveLength(1)
  harness.advance(3 * hour)
  await refuse(0)
  await harness.notifyBackloggedWorkspaces()
  expect(await noticesOf(organization.administrator)).toHaveLength(2)
})

test.each([
  ['a backlog that is over', 3 * minute, 'WORKSPACE_BACKLOG'],
  ['requests that are refused for another reason', 0, 'INVALID_JSON'],
])('%s causes no notification of refused requests', async (_, agoMs, reason) => {
  await refuse(agoMs, reason)
  await harness.notifyBackloggedWorkspaces()
  expect(await noticesOf(organization.administrator)).toEqual([])
})

test("the list of a source's refused requests shows which reasons still occur", async () => {
  await refuse(minute)
  await refuse(3 * minute, 'INVALID_JSON')
  const [workspace, id] = [organization.workspaceId, idIn(source)]
  const listed = await organization.guest.ok(methods.refusedRequests.listBySource, { workspace, source: id })
  expect(listed.refused_requests.map(({ reason, ongoing }) => [reason, ongoing])).toEqual([
    ['WORKSPACE_BACKLOG', true],
    ['INVALID_JSON', false],
  ])
})
