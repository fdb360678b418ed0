import {
  type DeliverContext,
  type DeliverResult,
  deletedUserOf,
  type EventOutcome,
  type OutgoingRow,
  outcomeOfAnswer,
  readTime,
  resultOfCall,
  sendRequest,
  withoutEnd,
} from '@tributary/connector-kit'
import type { SegmentSettings } from './settings.ts'

type Context = DeliverContext<SegmentSettings>

const nothingSent = { httpStatus: 0, latencyMs: 0, request: '', response: '' }
const rejectAll = (rows: readonly OutgoingRow[], reason: string): DeliverResult => ({
  outcomes: rows.map(() => ({ kind: 'rejected', reason })),
  ...nothingSent,
})

/**
 * Returns the outcome of a response. After a wrong token, the deletion is rejected permanently. Events are not
 * affected, because they use their own key. Users see the rejection on the privacy request and in the failures of the
 * destination. The response to a used-up quota has the time of its end.
 */
const outcomeOf = ({ status, headers }: Parameters<typeof outcomeOfAnswer>[0], now: number): EventOutcome => {
  if (status === 401 || status === 403)
    return { kind: 'rejected', reason: `Segment refuses the Public API token (HTTP ${status})` }
  const outcome = outcomeOfAnswer({ status, headers }, now)
  const reset = readTime(headers['x-regulation-ratelimit-quota-reset'])
  if (status !== 429 || outcome.kind !== 'retry' || reset === undefined) return outcome
  return { ...outcome, retryAfterMs: Math.max(0, reset - now) }
}

/**
 * Requests that Segment deletes users: a regulation DELETE_ONLY of the workspace for their user IDs, and one for their
 * anonymous IDs. Segment deletes later, and accepts unknown IDs. A repeated request deletes once.
 */
export const deleteUsers = async (rows: readonly OutgoingRow[], context: Context): Promise<DeliverResult> => {
  const { public_api_token: token, public_api_url: url } = context.settings
  if (token === undefined) return rejectAll(rows, 'Enter a Public API token in the settings to delete users in Segment')
  const users = rows.map(deletedUserOf).filter((user) => user !== undefined)
  if (users.length < rows.length) return rejectAll(rows, 'Segment takes deletions of users, and no other rows')
  const subjects = [
    { subjectType: 'USER_ID', subjectIds: [...new Set(users.flatMap(({ userIds }) => userIds))] },
    { subjectType: 'ANONYMOUS_ID', subjectIds: [...new Set(users.flatMap(({ anonymousIds }) => anonymousIds))] },
  ].filter(({ subjectIds }) => subjectIds.length > 0)
  if (subjects.length === 0) return rejectAll(rows, 'Segment knows users by user ID and anonymous ID only')
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/vnd.segment.v1+json',
    accept: 'application/vnd.segment.v1+json',
    'user-agent': 'Tributary/1.0',
  }
  let result: DeliverResult = { outcomes: { kind: 'delivered' }, ...nothingSent }
  for (const subject of subjects) {
    const body = JSON.stringify({ regulationType: 'DELETE_ONLY', ...subject })
    const call = await sendRequest(
      context,
      { method: 'POST', url: `${withoutEnd(url, '/')}/regulations`, headers, body },
      { headers: ['authorization'], texts: [token] },
    )
    const outcome = outcomeOf(call.answer, context.clock())
    result = resultOfCall(call, outcome)
    if (outcome.kind !== 'delivered') return result
  }
  return result
}
