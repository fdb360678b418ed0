import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
} from '../testing/control-harness.ts'
import { notifyEndingVersions } from './notify-ending-versions.ts'

const day = 24 * 60 * 60_000

let harness: Harness
let organization: Organization
let destination: string
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  destination = (await makeResources(organization.workspaceId, organization.administrator)).destination.name
})
afterAll(() => harness[Symbol.asyncDispose]())

/** Runs the notification as if the API version of the webhook ended so many days from now. */
const runWithEnd = async (days: number | undefined): Promise<void> => {
  const until = days === undefined ? undefined : new Date(harness.now() + days * day).toISOString().slice(0, 10)
  const destinations = testCatalog.destinations.map((entry) =>
    entry.slug === 'webhook' ? { ...entry, apiVersion: { version: 'v7', page: 'https://docs.example', until } } : entry,
  )
  await notifyEndingVersions({
    db: harness.db,
    clock: harness.now,
    live: () => {},
    catalog: { ...testCatalog, destinations },
  })
}
const noticesOf = async (who: Caller) => (await who.ok(methods.notifications.list, { user: who.userId })).notifications

test('an API version that ends within 60 days causes one notification for administrators and collaborators', async () => {
  const { administrator, collaborator, guest, outsider } = organization
  for (const days of [undefined, 61]) await runWithEnd(days)
  expect(await noticesOf(administrator)).toEqual([])
  await Promise.all([runWithEnd(59), runWithEnd(59)])
  await runWithEnd(59)
  const date = new Date(harness.now() + 59 * day)
  const written = date.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
  for (const who of [administrator, collaborator])
    expect(await noticesOf(who)).toMatchObject([
      {
        kind: 'api_version_ends',
        title: `Webhook ends v7 of its API on ${written}`,
        body: 'Update Tributary before this day. Affected: Receiver.',
        link: `/${destination}`,
      },
    ])
  for (const who of [guest, outsider]) expect(await noticesOf(who)).toEqual([])
})

test('disabled destinations cause no notification', async () => {
  const { administrator } = organization
  await administrator.call('PATCH', `/${destination}`, { enabled: false })
  await runWithEnd(30)
  expect(await noticesOf(administrator)).toHaveLength(1)
})
