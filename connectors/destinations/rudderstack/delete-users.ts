import {
  type DeliverContext,
  type DeliverResult,
  deletedUserOf,
  type EventOutcome,
  isWebPage,
  type OutgoingRow,
  outcomeOfAnswer,
  resultOfCall,
  sendRequest,
  withoutEnd,
} from '@tributary/connector-kit'
import type { RudderstackSettings } from './settings.ts'

type Context = DeliverContext<RudderstackSettings>

/** Returns the IDs of RudderStack's own destinations in a text, separated by commas, spaces, or lines. */
const idsIn = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(/[\s,;]+/).filter((id) => id !== '')),
]

/** Returns the settings that are missing for the deletion of users, as a text; undefined if they are complete. */
export const lacksForDeletion = ({ access_token: token, destination_ids: ids }: RudderstackSettings) => {
  if (token === undefined) return 'no access token'
  return idsIn(ids).length === 0 ? 'no destination IDs' : undefined
}

/**
 * Returns the outcome of a response. After a wrong token or address, the deletion is rejected permanently. Events are
 * not affected, because they use the write key. Users see the rejection on the privacy request and in the failures of
 * the destination.
 */
const outcomeOf = (answer: Parameters<typeof outcomeOfAnswer>[0] & { body: string }, now: number): EventOutcome => {
  const { status } = answer
  if (status === 401 || status === 403)
    return { kind: 'rejected', reason: `RudderStack refuses the access token (HTTP ${status})` }
  const outcome = outcomeOfAnswer(answer, now)
  return outcome.kind === 'delivered' && isWebPage(answer)
    ? { kind: 'rejected', reason: 'The API URL answers with a web page' }
    : outcome
}

/**
 * Requests that RudderStack deletes users from its own destinations: one regulation suppress_with_delete for user IDs,
 * the only supported IDs. RudderStack also drops later events of these users, because it has no regulation that only
 * deletes. A repeated request deletes once.
 */
export const deleteUsers = async (rows: readonly OutgoingRow[], context: Context): Promise<DeliverResult> => {
  const { access_token: token, api_url: url, destination_ids: ids } = context.settings
  const users = rows.map(deletedUserOf)
  const lacks = lacksForDeletion(context.settings)
  const rejections = users.map((user): EventOutcome | undefined => {
    if (user === undefined)
      return { kind: 'rejected', reason: 'RudderStack takes deletions of users, and no other rows' }
    if (lacks !== undefined) return { kind: 'rejected', reason: `Not sent to RudderStack: ${lacks}` }
    if (user.userIds.length > 0) return undefined
    return { kind: 'rejected', reason: 'RudderStack knows users by user ID only' }
  })
  const userIds = [...new Set(users.flatMap((user, at) => (rejections[at] === undefined ? (user?.userIds ?? []) : [])))]
  const outcomes = (outcome: EventOutcome): EventOutcome[] => rejections.map((rejection) => rejection ?? outcome)
  if (userIds.length === 0)
    return { outcomes: outcomes({ kind: 'delivered' }), httpStatus: 0, latencyMs: 0, request: '', response: '' }
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'Tributary/1.0',
  }
  const body = JSON.stringify({
    regulationType: 'suppress_with_delete',
    destinationIds: idsIn(ids),
    users: userIds.map((userId) => ({ userId })),
  })
  const call = await sendRequest(
    context,
    { method: 'POST', url: `${withoutEnd(url, '/')}/v2/regulations`, headers, body },
    { headers: ['authorization'], texts: [token ?? ''] },
  )
  return resultOfCall(call, outcomes(outcomeOf(call.answer, context.clock())))
}
