import { type Access, keyAreaNames, keyAreaOf, type Method, methodList, type Role } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { staffReads } from './audit-records/staff-reads.ts'
import { makeApiKey } from './testing/api-keys.ts'
import {
  type Caller,
  type Harness,
  type Organization,
  startControl,
  startOrganization,
} from './testing/control-harness.ts'
import { createRequests, type RequestOf } from './testing/requests.ts'
import { loopbackUrl, openIdSettings } from './testing/sign-ins.ts'
import { signalsCatalog } from './testing/signals.ts'
import { isRecorded } from './testing/unrecorded.ts'

/**
 * The expected statuses for six callers: without a session, administrator of another organization, guest, collaborator,
 * administrator, and platform admin.
 */
type Row = readonly [
  none: number,
  outsider: number,
  guest: number,
  collaborator: number,
  administrator: number,
  platform: number,
]

const wrongRole: Record<Role, number> = { ORG_GUEST: 403, ORG_COLLABORATOR: 403, ORG_ADMIN: 403 }

/**
 * Returns the row that follows from the declared access of a method. If a path contains a user, it is the
 * administrator.
 */
const declared = (access: Access): Row => {
  switch (access.scope) {
    case 'anybody':
      return [200, 200, 200, 200, 200, 200]
    case 'everybody':
      return [401, 200, 200, 200, 200, 200]
    case 'staff':
      return [401, 403, 403, 403, 403, 200]
    case 'oneself':
      return [401, 404, 404, 404, 200, 403]
    case 'oneselfOrStaff':
      return [401, 404, 404, 404, 200, 200]
    case 'workspace':
    case 'organization': {
      const { ORG_GUEST, ORG_COLLABORATOR, ORG_ADMIN } = {
        ...wrongRole,
        ...Object.fromEntries(access.roles.map((role) => [role, 200])),
      }
      return [401, 404, ORG_GUEST, ORG_COLLABORATOR, ORG_ADMIN, 200]
    }
  }
}

/** The rows of methods whose handlers check more than the path. */
const askedByHandlers: Readonly<Record<string, Row>> = {
  // The membership of another member.
  'memberships.delete': [401, 404, 403, 403, 200, 200],
  // The workspaces of the administrator.
  'workspaces.list': [401, 403, 403, 403, 200, 200],
  // The body names the organization.
  'workspaces.create': [401, 404, 403, 403, 200, 200],
}

let harness: Harness
let organization: Organization
let provider: OpenIdProvider
let requestOf: RequestOf

beforeAll(async () => {
  provider = await startOpenIdProvider()
  harness = await startControl({
    catalog: signalsCatalog,
    openId: openIdSettings(provider),
    publicUrl: () => loopbackUrl,
  })
  organization = await startOrganization(harness)
  requestOf = await createRequests(harness, organization, provider)
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const auditCount = async (): Promise<number> => {
  const { rows } = await harness.database.pool.query<{ count: number }>('select count(*)::int as count from audit_log')
  return rows[0]?.count ?? 0
}

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

test("each hand-written row of the access matrix names an existing method and differs from the method's declaration", () => {
  for (const [name, row] of Object.entries(askedByHandlers)) {
    const method = methodList.find((each) => each.name === name)
    expect(method).toBeDefined()
    expect(method && declared(method.access)).not.toEqual(row)
  }
})

test('API-52: every call that is not public is refused without a token, and with an unknown one', async () => {
  const statuses = new Set<number>()
  for (const method of methodList.filter((each) => each.access.scope !== 'anybody'))
    for (const token of ['', 'nobody-has-this-token']) {
      const path = method.path.replace(/\{\w+\}/g, newId())
      statuses.add((await harness.call(token, method.verb, path, method.request === undefined ? undefined : {})).status)
    }
  expect([...statuses]).toEqual([401])
})

describe('an API key may call only the listed methods', () => {
  const keys = { outsider: '', guest: '', full: '' }
  let fullId = ''
  /** For each area, an API key that has all areas except this one. */
  const without = new Map<string, string>()
  beforeAll(async () => {
    const { outsider, otherOrganizationId } = organization
    const other = { administrator: outsider, organizationId: otherOrganizationId }
    keys.outsider = (await makeApiKey(other)).key
    keys.guest = (await makeApiKey(organization, { role: 'ORG_GUEST' })).key
    const full = await makeApiKey(organization)
    keys.full = full.key
    fullId = full.id
    for (const area of keyAreaNames) {
      const areas = keyAreaNames.filter((each) => each !== area)
      without.set(area, (await makeApiKey(organization, { areas })).key)
    }
  })

  /**
   * Returns the expected statuses for four API keys: of another organization, of a guest, without the area of the
   * method, and with all permissions.
   */
  const declaredForKeys = (method: Method): number[] => {
    const [, outsider, guest, , administrator] = askedByHandlers[method.name] ?? declared(method.access)
    return [outsider, guest, 403, administrator]
  }
  // An API key names no user, and lists its own workspaces.
  const special: Readonly<Record<string, number[]>> = { 'workspaces.list': [200, 200, 403, 200] }

  const ordered = methodList.filter(({ access }) => access.scope !== 'anybody')
  test.each(ordered.map((method) => [method.name, method] as const))('%s', async (name, method) => {
    const area = keyAreaOf(method)
    const { path, body } =
      area === undefined
        ? { path: method.path.replace(/\{\w+\}/g, newId()), body: {} }
        : await requestOf(name, organization.administrator)
    const called = name === 'workspaces.list' ? '/workspaces' : path
    const given = method.request === undefined ? undefined : body
    const statuses: number[] = []
    for (const key of [keys.outsider, keys.guest, without.get(area ?? '') ?? keys.guest, keys.full])
      statuses.push((await harness.call(key, method.verb, called, given)).status)
    // Calls that only people can make have no valid body here, so they are refused for the body or for the key.
    if (area === undefined) return expect(statuses.filter((status) => status !== 400 && status !== 403)).toEqual([])
    expect(statuses).toEqual(special[name] ?? declaredForKeys(method))
    if (!isRecorded(method) || statuses.at(-1) !== 200) return
    // An audit record names the key, and not its creator.
    const last = harness.db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(1)
    expect(await last.executeTakeFirst()).toMatchObject({ key_id: fullId, actor_id: null, on_behalf: false })
  })
})

describe('OPEN-40: only the listed callers may call a method', () => {
  let everyone: (Caller | undefined)[]
  beforeAll(async () => {
    everyone = await callers()
  })

  // Logging out comes last, because it ends the sessions.
  const ordered = methodList.toSorted((a, b) => Number(a.name === 'users.logout') - Number(b.name === 'users.logout'))
  test.each(ordered.map((method) => [method.name, method] as const))('%s', async (name, method) => {
    const statuses: number[] = []
    const recorded: boolean[] = []
    /** A request that a caller made without success, for the next caller. */
    let kept: Awaited<ReturnType<RequestOf>> | undefined
    for (const caller of everyone) {
      const request = kept ?? (await requestOf(name, caller))
      const before = await auditCount()
      const { status } = await harness.call(caller?.token ?? '', method.verb, request.path, request.body)
      statuses.push(status)
      recorded.push((await auditCount()) > before)
      kept = status === 200 || request.forCaller === true ? undefined : request
    }
    expect(statuses).toEqual(askedByHandlers[name] ?? declared(method.access))
    // Writes are recorded, and reads of people by staff; refused calls, and reads by members, are not.
    const isStaffs = (index: number): boolean =>
      everyone[index] === organization.platformAdmin && staffReads.includes(name)
    expect(recorded).toEqual(statuses.map((status, index) => (isRecorded(method) || isStaffs(index)) && status === 200))
  })
})
