import type { OutgoingRow } from '@tributary/connector-kit'
import { audienceEventNames } from '@tributary/contract'
import { isRecord } from '@tributary/kernel'
import type { Recorded, RecordReference } from '../log/record.ts'
import type { ForgottenUsers } from '../ports.ts'

/** The reason of events of a deleted user that are not sent. */
export const userDeleted = 'The user was deleted'

const parse = (json: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(json)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

/** Whether the audience member that a row is about was deleted after the row's change. */
const isForgottenMember = (forgotten: ForgottenUsers, workspaceId: string, { json }: OutgoingRow): boolean => {
  const { userIds, anonymousIds, timestamp } = parse(json)
  const receivedAt = textOf(timestamp) ?? ''
  const users = textsOf(userIds).map((userId) => ({ userId, receivedAt }))
  // As for events, a user ID takes precedence over anonymous IDs.
  const owners = users.length > 0 ? users : textsOf(anonymousIds).map((anonymousId) => ({ anonymousId, receivedAt }))
  return owners.some((owner) => forgotten.isOf(workspaceId, owner))
}

/**
 * Whether an event, or a row about an audience member, belongs to a user who was deleted after it was received. It
 * parses the text, so call it only if a user was deleted.
 */
export const isOfForgotten = (
  forgotten: ForgottenUsers,
  { meta }: Pick<RecordReference, 'meta'>,
  { json, row }: Pick<Recorded, 'json' | 'row'>,
): boolean => {
  if (forgotten.until(meta.workspaceId) === 0) return false
  if (row !== undefined)
    return meta.producer?.kind === 'audience' && isForgottenMember(forgotten, meta.workspaceId, row)
  const { userId, anonymousId, receivedAt } = parse(json)
  return forgotten.isOf(meta.workspaceId, {
    ...(typeof userId === 'string' ? { userId } : {}),
    ...(typeof anonymousId === 'string' ? { anonymousId } : {}),
    receivedAt: textOf(receivedAt) ?? '',
  })
}

/** Whether a row or an event of an audience reports that a member left. */
export const isAudienceExit = (
  { meta }: Pick<RecordReference, 'meta'>,
  { event, row }: { event: string; row?: OutgoingRow | undefined },
): boolean => row?.operation === 'delete' || (meta.producer?.keys !== undefined && event === audienceEventNames.left)

/**
 * Whether a record is not sent because its user was deleted. An exit from an audience is still sent: otherwise the
 * destination would keep a user that we deleted.
 */
export const isLeftOut = (
  forgotten: ForgottenUsers,
  record: Pick<RecordReference, 'meta'>,
  recorded: Pick<Recorded, 'json' | 'event' | 'row'>,
): boolean => !isAudienceExit(record, recorded) && isOfForgotten(forgotten, record, recorded)
