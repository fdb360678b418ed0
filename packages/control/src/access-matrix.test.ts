import { methodList } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  type Organization,
  startControl,
  startOrganization,
} from './testing/control-harness.ts'
import { createRequests, type RequestOf } from './testing/requests.ts'
import { loopbackUrl, openIdSettings } from './testing/sign-ins.ts'
import { recordedReads, unrecorded } from './testing/unrecorded.ts'

/** Statuses for: nobody, another organisation's administrator, guest, collaborator, administrator, platform admin. */
type Row = readonly [
  none: number,
  outsider: number,
  guest: number,
  collaborator: number,
  administrator: number,
  platform: number,
]

const members: Row = [401, 404, 200, 200, 200, 200]
const editors: Row = [401, 404, 403, 200, 200, 200]
const administrators: Row = [401, 404, 403, 403, 200, 200]
/** The resource belongs to the administrator. */
const oneself: Row = [401, 404, 404, 404, 200, 403]
const staff: Row = [401, 403, 403, 403, 403, 200]
const anybody: Row = [200, 200, 200, 200, 200, 200]
const everybody: Row = [401, 200, 200, 200, 200, 200]

/** Who may call what. A new method has to say so here. */
const table: Record<string, Row> = {
  'config.get': anybody,
  'users.login': anybody,
  'users.logout': everybody,
  'sessions.list': oneself,
  'sessions.delete': oneself,
  'sessions.deleteOthers': oneself,
  'users.sendOtp': anybody,
  'users.loginOtp': anybody,
  'users.signup': anybody,
  'users.update': oneself,
  'users.setPassword': oneself,
  'users.oauthRedirects': anybody,
  'users.oauthLoginCallback': anybody,
  'users.oauthSignupCallback': anybody,
  'users.onboard': staff,
  'users.startOnboarding': anybody,
  'users.completeOnboarding': anybody,
  'users.get': [401, 404, 404, 404, 200, 200],
  'memberships.list': [401, 404, 404, 404, 200, 200],
  'memberships.listByOrganization': members,
  'memberships.update': administrators,
  'memberships.delete': administrators,
  'invitations.batchCreate': administrators,
  'invitations.list': administrators,
  'invitations.resend': administrators,
  'invitations.delete': administrators,
  'invitations.get': anybody,
  'invitations.accept': everybody,
  'invitationLinks.create': administrators,
  'invitationLinks.list': administrators,
  'invitationLinks.delete': administrators,
  'invitationLinks.get': anybody,
  'invitationLinks.accept': everybody,
  'organizations.create': everybody,
  'organizations.get': members,
  'organizations.update': administrators,
  'organizations.uploadLogo': administrators,
  'organizations.removeLogo': administrators,
  'users.uploadPhoto': oneself,
  'users.removePhoto': oneself,
  'organizations.getUsage': members,
  'organizations.listJoinable': oneself,
  'organizations.join': everybody,
  'notifications.list': oneself,
  'notifications.markRead': oneself,
  'notifications.markAllRead': oneself,
  'workspaces.list': [401, 403, 403, 403, 200, 200],
  'workspaces.get': members,
  'workspaces.search': members,
  'workspaces.find': staff,
  'workspaces.create': administrators,
  'workspaces.update': administrators,
  'workspaces.actOnBehalf': staff,
  'catalogSources.list': members,
  'catalogSources.get': members,
  'catalogDestinations.list': members,
  'catalogDestinations.get': members,
  'sources.list': members,
  'sources.get': members,
  'sources.create': editors,
  'sources.update': editors,
  'sources.delete': editors,
  'sources.updateSetting': editors,
  'sources.previewTemplate': editors,
  'sourceSchemaTemplates.list': members,
  'schemaVersions.list': members,
  'schemaVersions.get': members,
  'writekeys.create': editors,
  'writekeys.list': members,
  'writekeys.rotate': editors,
  'writekeys.delete': editors,
  'destinations.list': members,
  'destinations.get': members,
  'destinations.create': editors,
  'destinations.update': editors,
  'destinations.delete': editors,
  'destinations.getApp': members,
  'destinations.updateSetting': editors,
  'destinations.testConnection': editors,
  'mappings.get': members,
  'mappings.update': editors,
  'mappings.suggest': members,
  'mappings.preview': editors,
  'mappings.sendTest': editors,
  'destinations.retry': editors,
  'destinations.connect': editors,
  'destinations.completeConnect': editors,
  'destinations.disconnect': editors,
  'connections.list': members,
  'connections.getActivity': members,
  'connections.create': editors,
  'connections.update': editors,
  'connections.delete': editors,
  'events.batchGetBySource': members,
  'events.listBySource': members,
  'events.list': members,
  'events.get': members,
  'deliveries.list': members,
  'deliveries.listParked': members,
  'deliveryOverviews.get': members,
  'failureGroups.list': members,
  'failureGroups.get': members,
  'failureGroups.discard': editors,
  'replays.preview': editors,
  'replays.create': editors,
  'replays.list': members,
  'replays.get': members,
  'replays.pause': editors,
  'replays.resume': editors,
  'replays.cancel': editors,
  'refusedRequests.listBySource': members,
  'refusedRequests.list': members,
  'refusedRequests.listUnowned': staff,
  'droppedEvents.listBySource': members,
  'violations.listBySource': members,
  'violations.replayBlocked': editors,
  'inferredSchemas.get': members,
  'metrics.get': members,
  'realtime.getConfig': everybody,
}

const recordedCalls = methodList.filter(({ verb, name }) =>
  verb === 'GET' ? recordedReads.includes(name) : !unrecorded.includes(name),
)

let harness: Harness
let organization: Organization
let provider: OpenIdProvider
let requestOf: RequestOf

beforeAll(async () => {
  provider = await startOpenIdProvider()
  harness = await startControl({ openId: openIdSettings(provider), publicUrl: () => loopbackUrl })
  organization = await startOrganization(harness)
  requestOf = await createRequests(harness, organization, provider)
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const callers = async (): Promise<(Caller | undefined)[]> => {
  const { organizationId, otherOrganizationId, administrator, platformAdmin } = organization
  return [
    undefined,
    await harness.person({ [otherOrganizationId]: 'ORG_ADMIN' }),
    await harness.person({ [organizationId]: 'ORG_GUEST' }),
    await harness.person({ [organizationId]: 'ORG_COLLABORATOR' }),
    administrator,
    platformAdmin,
  ]
}

test('the table names every method and no other', () => {
  expect(Object.keys(table).toSorted()).toEqual(methodList.map((method) => method.name).toSorted())
})

test('API-52: every call that is not public is refused without a token, and with one that nobody was given', async () => {
  const statuses = new Set<number>()
  for (const method of methodList.filter((each) => !each.public))
    for (const token of ['', 'nobody-has-this-token']) {
      const path = method.path.replace(/\{\w+\}/g, newId())
      statuses.add((await harness.call(token, method.verb, path, method.request === undefined ? undefined : {})).status)
    }
  expect([...statuses]).toEqual([401])
})

describe('who may call what', () => {
  let everyone: (Caller | undefined)[]
  beforeAll(async () => {
    everyone = await callers()
  })

  // Last of all, since it ends the sessions.
  const ordered = Object.keys(table).toSorted((a, b) => Number(a === 'users.logout') - Number(b === 'users.logout'))
  test.each(ordered)('%s', async (name) => {
    const method = methodList.find((each) => each.name === name)
    if (method === undefined) throw new Error(name)
    const statuses: number[] = []
    const recorded: boolean[] = []
    for (const caller of everyone) {
      const { path, body } = await requestOf(name, caller)
      const before = (await harness.audits()).length
      statuses.push((await harness.call(caller?.token ?? '', method.verb, path, body)).status)
      recorded.push((await harness.audits()).length > before)
    }
    expect(statuses).toEqual(table[name])
    // What was done is recorded, what was refused or only read is not.
    const isRecorded = recordedCalls.includes(method)
    expect(recorded).toEqual(statuses.map((status) => isRecorded && status === 200))
  })
})
