import { audit } from '@tributary/api-kit'
import { methodList } from '@tributary/contract'
import type { Client, Handlers, OrganizationRef, WorkspaceRef } from '@tributary/http'
import { type Actor, canSee } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Groups of methods that show people, events, keys, or members. Single methods of other groups are in the next set. */
const groups: ReadonlySet<string> = new Set([
  'profiles',
  'events',
  'suppressions',
  'privacyRequests',
  'refusedRequests',
  'deliveries',
  'failureGroups',
  'heldWork',
  'apiKeys',
  'writekeys',
  'profileKeys',
  'syncTokens',
  'memberships',
  'invitations',
  'invitationLinks',
  'auditRecords',
])
const single: ReadonlySet<string> = new Set([
  'audiences.suggest',
  'audiences.preview',
  'audiences.listMembers',
  'audiences.listChanges',
  'audiences.explain',
  'computedTraits.preview',
  'mappings.suggest',
  'replays.preview',
  'signals.listConversions',
  'signals.preview',
  'syncDryRuns.get',
  'syncRuns.listRows',
  'syncRuns.getRowAttempt',
  'violations.listBySource',
])

/**
 * Names of the read methods that leave an audit record in an organization when a platform admin who is not a member
 * calls them.
 */
export const staffReads: readonly string[] = methodList
  .filter(({ name, verb, access, reads }) => {
    const isOfPlace = access.scope === 'workspace' || access.scope === 'organization'
    const isRead = verb === 'GET' || reads === true
    return isRead && isOfPlace && (groups.has(name.split('.')[0] ?? '') || single.has(name))
  })
  .map(({ name }) => name)

/** Time in ms in which the reads of one person at one address leave only one record. An open page reads repeatedly. */
const quietMs = 60 * 60_000

type Call = {
  actor: Actor | undefined
  params: Readonly<Record<string, string>>
  client: Client
  organization?: OrganizationRef
  workspace?: WorkspaceRef
}
type AnyRun = (call: Call) => Promise<unknown>

/** Whether the caller is a platform admin who is not a member of the organization. */
const isForeign = (actor: Actor, organizationId: string): boolean =>
  actor.isPlatformAdmin && !canSee({ ...actor, isPlatformAdmin: false }, organizationId)

/**
 * Wraps the handlers: a platform admin who reads people, events, keys, or members of another organization leaves an
 * audit record there. Only the first read of an address in an hour leaves a record. The types are sound because calls
 * and responses are unchanged.
 */
export const recordingStaffReads = (
  { db, counters }: Pick<ControlDeps, 'db' | 'counters'>,
  handlers: Handlers,
): Handlers => {
  const all: Record<string, Record<string, unknown>> = { ...handlers }
  for (const name of staffReads) {
    const [group = '', verb = ''] = name.split('.')
    const run = all[group]?.[verb] as AnyRun
    const recorded: AnyRun = async (call) => {
      const answer = await run(call)
      const { actor, params, organization, workspace } = call
      const organizationId = organization?.id ?? workspace?.organizationId
      if (actor === undefined || organizationId === undefined || !isForeign(actor, organizationId)) return answer
      const method = methodList.find((each) => each.name === name)
      const resource = (method?.path ?? '').slice(1).replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '')
      if ((await counters.increment(`staff-read:${actor.userId}:${name}:${resource}`, 1, quietMs)) > 1) return answer
      await db.transaction().execute((tx) =>
        audit(
          tx,
          // The ID of an invitation link is a secret, so the record names only the organization.
          group === 'invitationLinks' ? `organizations/${organizationId}` : resource,
        ),
      )
      return answer
    }
    all[group] = { ...all[group], [verb]: recorded }
  }
  return all as typeof all & Handlers
}
