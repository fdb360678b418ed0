import type { OutgoingRow } from '@tributary/connector-kit'
import { audienceEventNames } from '@tributary/contract'
import { isRecord } from '@tributary/kernel'
import type { Recorded, RecordReference } from '../log/record.ts'
import type { ForgottenUsers } from '../ports.ts'

/** Why what belongs to somebody who was deleted is not sent. */
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

/** Whether the member of an audience that a row is about was deleted after the change that it tells. */
const isForgottenMember = (forgotten: ForgottenUsers, workspaceId: string, { json }: OutgoingRow): boolean => {
  const { userIds, anonymousIds, timestamp } = parse(json)
  const receivedAt = textOf(timestamp) ?? ''
  const users = textsOf(userIds).map((userId) => ({ userId, receivedAt }))
  // As of events: who has a user ID is known by that.
  const owners = users.length > 0 ? users : textsOf(anonymousIds).map((anonymousId) => ({ anonymousId, receivedAt }))
  return owners.some((owner) => forgotten.isOf(workspaceId, owner))
}

/**
 * Whether an event, or a row about a member of an audience, belongs to somebody who was deleted after it came. It takes the
 * text apart: ask only where somebody was deleted.
 */
export const isOfForgotten = (
  forgotten: ForgottenUsers,
  { meta }: Pick<RecordReference, 'meta'>,
  { json, row }: Pick<Recorded, 'json' | 'row'>,
): boolean => {
  if (forgotten.until(meta.w) === 0) return false
  if (row !== undefined) return meta.b?.k === 'audience' && isForgottenMember(forgotten, meta.w, row)
  const { userId, anonymousId, receivedAt } = parse(json)
  return forgotten.isOf(meta.w, {
    ...(typeof userId === 'string' ? { userId } : {}),
    ...(typeof anonymousId === 'string' ? { anonymousId } : {}),
    receivedAt: textOf(receivedAt) ?? '',
  })
}

/** Whether a row or an event of an audience tells that somebody left it. */
export const tellsOfExit = (
  { meta }: Pick<RecordReference, 'meta'>,
  { event, row }: { event: string; row?: OutgoingRow | undefined },
): boolean => row?.operation === 'delete' || (meta.b?.e !== undefined && event === audienceEventNames.left)

/**
 * Whether it is not to be sent, since its user was deleted. Who left an audience is told of all the same: the destination
 * would keep whom we have forgotten.
 */
export const isLeftOut = (
  forgotten: ForgottenUsers,
  record: Pick<RecordReference, 'meta'>,
  recorded: Pick<Recorded, 'json' | 'event' | 'row'>,
): boolean => !tellsOfExit(record, recorded) && isOfForgotten(forgotten, record, recorded)
