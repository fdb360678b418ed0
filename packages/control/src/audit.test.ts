import { methodList, methods } from '@tributary/contract'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
  testPassword,
} from './testing/control-harness.ts'
import { createRequests, type RequestOf } from './testing/requests.ts'
import { loopbackUrl, openIdSettings } from './testing/sign-ins.ts'
import { signalsCatalog } from './testing/signals.ts'
import { isRecorded } from './testing/unrecorded.ts'

const tables = [
  'users',
  'sessions',
  'organizations',
  'memberships',
  'workspaces',
  'sources',
  'source_schemas',
  'write_keys',
  'destinations',
  'oauth_grants',
  'connections',
  'data_sources',
  'models',
  'syncs',
  'sync_runs',
  'sync_dry_runs',
  'parked_deliveries',
  'held_work',
  'profiles',
  'identity_operations',
  'profile_identifiers',
  'privacy_requests',
  'privacy_hashes',
  'invitations',
  'invitation_links',
  'notifications',
  'mails',
  'user_identities',
  'onboardings',
]

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

/** Returns a hash of each table, except for one-time codes, whose attempts count even if a call fails. */
const contents = async (): Promise<Record<string, string | null>> => {
  const found: Record<string, string | null> = {}
  for (const table of tables) {
    // Every call extends its session, so only the IDs of sessions are compared.
    const shown = table === 'sessions' ? sql`id::text` : sql`t::text`
    const { rows } = await sql<{ hash: string | null }>`
      select md5(string_agg(${shown}, '|' order by ${shown})) as hash from ${sql.table(table)} t`.execute(harness.db)
    found[table] = rows[0]?.hash ?? null
  }
  return found
}

describe('a call fails if its audit record cannot be written', () => {
  const recorded = methodList.filter(isRecorded)

  test.each(recorded.map((method) => [method.name, method] as const))('%s', async (name, method) => {
    const { access } = method
    const isForStaff = access.scope === 'staff' || ('roles' in access && access.roles.length === 0)
    const caller = isForStaff ? organization.platformAdmin : organization.administrator
    const given = await requestOf(name, caller)
    const before = await contents()
    await sql`alter table audit_log rename to audit_log_away`.execute(harness.db)
    try {
      const reply = await harness.call(caller.token, method.verb, given.path, given.body)
      expect(reply.status).toBe(500)
    } finally {
      await sql`alter table audit_log_away rename to audit_log`.execute(harness.db)
    }
    expect(await contents()).toEqual(before)
  })
})

test('a record contains actor, action and resource, and no secret', async () => {
  const { administrator, workspaceId, organizationId } = organization
  const made = await makeResources(workspaceId, administrator)
  await administrator.ok(
    methods.destinations.updateSetting,
    { workspace: workspaceId, destination: idIn(made.destination.name) },
    { body: { name: 'signing_secret', value: 'hush hush' } },
  )
  const rows = await harness.audits()
  const last = rows.at(-1)
  expect(last).toMatchObject({
    action: 'destinations.updateSetting',
    actor_id: administrator.userId,
    resource: `${made.destination.name}/app`,
    workspace_id: workspaceId,
    organization_id: organizationId,
    detail: { setting: 'signing_secret' },
  })
  const text = JSON.stringify(rows)
  for (const secret of ['hush hush', 'very secret', made.writekey.key, testPassword]) expect(text).not.toContain(secret)
})
