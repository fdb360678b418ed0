import { type Actor, newId } from '@tributary/kernel'
import { callOfNow } from './call-of-now.ts'
import type { Tx } from './db.ts'

export type AuditEntry = {
  /** Null when the product itself acts. */
  actor: Pick<Actor, 'userId'> | null
  /** `<resource>.<verb>` of the contract. */
  action: string
  /** Resource name of what was changed. */
  resource: string
  organizationId: string | null
  workspaceId: string | null
  /** What was changed. Never secrets. */
  detail?: Record<string, unknown>
  /** For each field that was changed, what it was before and after; see `changesOf`. Never secrets. */
  changes?: Changes
  time: Date
}

/** By field, what was there before and what is there after. */
export type Changes = Record<string, { before: unknown; after: unknown }>

/** Characters of a value that a record keeps; of a longer one it says how long it was. */
const maxValue = 2000

const kept = (value: unknown): unknown => {
  if (value === undefined) return null
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= maxValue ? value : `${text.slice(0, maxValue)}… (${text.length} characters)`
}

/** The fields of `after` that differ from what they were before. A long value is cut. */
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

/** What somebody does in an organization that becomes theirs by it. */
const ownBeginnings: readonly string[] = [
  'organizations.create',
  'organizations.join',
  'invitations.accept',
  'invitationLinks.accept',
]

/** Whether a platform admin acts in an organization that is not theirs. */
const isOnBehalf = (actor: Actor | undefined, { action, organizationId }: AuditEntry): boolean =>
  actor?.isPlatformAdmin === true &&
  organizationId !== null &&
  !ownBeginnings.includes(action) &&
  actor.memberships.every((membership) => membership.organizationId !== organizationId)

/**
 * Records who did what, by which key, on whose behalf, and from where. In the transaction of the write itself: neither happens
 * without the other.
 */
export const audit = async (tx: Tx, entry: AuditEntry): Promise<void> => {
  const call = callOfNow()
  const key = entry.actor === null ? undefined : call?.actor?.key
  await tx
    .insertInto('audit_log')
    .values({
      id: newId(),
      organization_id: entry.organizationId,
      workspace_id: entry.workspaceId,
      // A key is nobody's: who created it has not done this.
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
