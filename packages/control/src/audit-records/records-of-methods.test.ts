import { methodList } from '@tributary/contract'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { createRequests, type RequestOf } from '../testing/requests.ts'
import { loopbackUrl, openIdSettings } from '../testing/sign-ins.ts'
import { signalsCatalog } from '../testing/signals.ts'
import { isRecorded } from '../testing/unrecorded.ts'

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

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Replaces values that differ between two runs by names. */
const withNames = (text: string, names: ReadonlyMap<string, string>): string =>
  text
    .replace(uuid, (id) => names.get(id) ?? '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/127\.0\.0\.1:\d+|localhost:\d+/g, '<address>')
    .replace(/invoices\/[\w-]+/g, 'invoices/<id>')
    .replace(/\b[0-9a-f]{12,}\b/g, '<hash>')

test('the record of each method has its actor, action, resource, place, details, and time', async () => {
  const lines: string[] = []
  // The product makes no other calls meanwhile, so each new record belongs to the call.
  for (const { name, verb, access } of methodList.filter(isRecorded)) {
    const isForStaff = access.scope === 'staff' || ('roles' in access && access.roles.length === 0)
    const caller = isForStaff
      ? organization.platformAdmin
      : // Other calls can end the sessions of their caller.
        access.scope === 'oneself'
        ? organization.administrator
        : await harness.person({ [organization.organizationId]: 'ORG_ADMIN' })
    const { path, body } = await requestOf(name, caller)
    const names = new Map([
      [organization.organizationId, '<organization>'],
      [organization.workspaceId, '<workspace>'],
      [caller.userId, '<caller>'],
    ])
    const records = harness.db.selectFrom('audit_log')
    const last = await records.select('id').orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()
    const begin = harness.now()
    const { status } = await harness.call(caller.token, verb, path, body)
    const made = await records.selectAll().where('id', '>', last.id).orderBy('id').execute()
    for (const row of made) {
      const inTime = row.create_time.getTime() >= begin && row.create_time.getTime() <= harness.now()
      const values = {
        action: row.action,
        actor: row.actor_id,
        on_behalf: row.on_behalf,
        organization: row.organization_id,
        workspace: row.workspace_id,
        resource: row.resource,
        detail: row.detail,
        changes: row.changes,
        inTime,
      }
      lines.push(withNames(`${name} ${status} ${JSON.stringify(values)}`, names))
    }
    if (made.length === 0) lines.push(`${name} ${status} without a record`)
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('records-of-methods.txt')
})
