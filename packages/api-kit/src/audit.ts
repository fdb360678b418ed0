import { type Actor, cutText, newId } from '@tributary/kernel'
import { type SqlBool, sql } from 'kysely'
import type { Db, Tx } from './db.ts'
import { requestContext } from './request-context.ts'

export type AuditEntry = {
  /** The actor; null for an action of the product itself. */
  actor: Pick<Actor, 'userId'> | null
  /** The action as `<resource>.<verb>` of the contract. */
  action: string
  /** Resource name of the changed resource. */
  resource: string
  organizationId: string | null
  workspaceId: string | null
  /** Details of the change; never secrets. */
  detail?: Record<string, unknown>
  /** For each changed field, its value before and after; see `changesOf`. Never secrets. */
  changes?: Changes
  time: Date
}

/** The value before and after a change, by field. */
export type Changes = Record<string, { before: unknown; after: unknown }>

/** Maximum characters of a value in a record. A longer value is truncated, and its length is added. */
const maxValue = 2000

const kept = (value: unknown): unknown => {
  if (value === undefined) return null
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= maxValue ? value : `${cutText(text, maxValue)}… (${text.length} characters)`
}

/** Returns the fields of `after` that differ from `before`. A long value is truncated. */
export const changesOf = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Changes =>
  Object.fromEntries(
    Object.entries(after)
      .filter(
        ([field, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(before[field] ?? null),
      )
      .map(([field, value]) => [field, { before: kept(before[field]), after: kept(value) }]),
  )

/** Actions that make the actor a member of the organization. */
const ownBeginnings: readonly string[] = [
  'organizations.create',
  'organizations.join',
  'invitations.accept',
  'invitationLinks.accept',
]

/** Whether a platform admin acts in an organization of others. */
const isOnBehalf = (actor: Actor | undefined, { action, organizationId }: AuditEntry): boolean =>
  actor?.isPlatformAdmin === true &&
  organizationId !== null &&
  !ownBeginnings.includes(action) &&
  actor.memberships.every((membership) => membership.organizationId !== organizationId)

/**
 * Records an action that is not the API call of the current caller, such as an action of the product itself. Use
 * `audit` for all other actions. Writes in the transaction of the change, so that the change and its record always
 * exist together.
 */
export const recordAction = async (tx: Tx, entry: AuditEntry): Promise<void> => {
  const call = requestContext()
  const key = entry.actor === null ? undefined : call?.actor?.key
  await tx
    .insertInto('audit_log')
    .values({
      id: newId(),
      organization_id: entry.organizationId,
      workspace_id: entry.workspaceId,
      // An action by a key is not an action of the user who created the key.
      actor_id: key === undefined ? (entry.actor?.userId ?? null) : null,
      key_id: key?.id ?? null,
      on_behalf: isOnBehalf(entry.actor === null ? undefined : call?.actor, entry),
      ip: call?.client.ip ?? '',
      user_agent: (call?.client.userAgent ?? '').toWellFormed().replaceAll('\0', ''),
      changes: entry.changes === undefined ? null : JSON.stringify(entry.changes),
      action: entry.action,
      resource: entry.resource,
      detail: JSON.stringify(entry.detail ?? {}),
      create_time: entry.time,
    })
    .execute()
}

/**
 * Records the current call of the API in the transaction of its change, with the changed resource and details. Method,
 * caller, key, origin, organization, workspace, and time come from the call, unless they are given.
 *
 * @throws Error outside of a call, or in a call without a caller
 */
export const audit = async (
  tx: Tx,
  resource: string,
  detail: Record<string, unknown> = {},
  given: Partial<Pick<AuditEntry, 'action' | 'organizationId' | 'workspaceId' | 'changes'>> = {},
): Promise<void> => {
  const call = requestContext()
  if (call?.actor === undefined) throw new Error(`There is no caller to record for ${resource}`)
  const { method: action, actor, organizationId, workspaceId, clock } = call
  const time = new Date(clock())
  await recordAction(tx, { action, actor, organizationId, workspaceId, ...given, resource, detail, time })
}

/**
 * Deletes old audit records of the organizations on a plan. An organization without a plan, or with a plan that is not
 * among `plans`, is on the first plan.
 */
export const deleteAuditOfPlan = async (
  db: Db,
  plan: string,
  { plans, before }: { plans: readonly string[]; before: Date },
): Promise<void> => {
  await db
    .deleteFrom('audit_log')
    .where('create_time', '<', before)
    .where('organization_id', 'in', (query) =>
      query
        .selectFrom('organizations')
        .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
        .select('organizations.id')
        .where(({ eb, or }) =>
          plan === plans[0]
            ? or([
                eb('subscriptions.plan', 'is', null),
                eb('subscriptions.plan', 'not in', plans),
                eb('subscriptions.plan', '=', plan),
              ])
            : eb('subscriptions.plan', '=', plan),
        ),
    )
    .execute()
}

/** Deletes the records of failed sign-ins before a time. */
export const deleteFailedSignIns = async (db: Db, before: Date): Promise<void> => {
  await db
    .deleteFrom('audit_log')
    .where('organization_id', 'is', null)
    .where('action', 'in', ['users.login', 'users.loginOtp', 'users.setPassword'])
    .where(sql<SqlBool>`detail->>'failure' is not null`)
    .where('create_time', '<', before)
    .execute()
}

/** Deletes the records of a deleted organization, except the record of the deletion. */
export const deleteAuditOfOrganization = async (tx: Tx, organizationId: string): Promise<void> => {
  await tx
    .deleteFrom('audit_log')
    .where('organization_id', '=', organizationId)
    .where('action', '<>', 'organizations.delete')
    .execute()
}
