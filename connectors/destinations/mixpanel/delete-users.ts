import {
  type DeliverResult,
  deletedUserOf,
  type EventOutcome,
  type OutgoingRow,
  outcomeOfAnswer,
  resultOfCall,
  sendRequest,
} from '@tributary/connector-kit'
import { distinctId } from './identity.ts'
import { type Context, wordsOfAnswer } from './request.ts'

/** The servers of the GDPR API, by region (docs.mixpanel.com/openapi/gdpr.openapi.yaml). */
const hosts = { us: 'mixpanel.com', eu: 'eu.mixpanel.com', in: 'in.mixpanel.com' } as const

/** Maximum IDs of one request (docs.mixpanel.com/reference/gdpr-api, "Create a Deletion Task"). */
const maxIds = 1999

const nothingSent = { httpStatus: 0, latencyMs: 0, request: '', response: '' }
const rejectAll = (rows: readonly OutgoingRow[], reason: string): DeliverResult => ({
  outcomes: rows.map(() => ({ kind: 'rejected', reason })),
  ...nothingSent,
})

/**
 * Returns the outcome of a response. After a wrong token, the deletion is rejected permanently. Events are not affected,
 * because they use the project token. Users see the rejection on the privacy request.
 */
const outcomeOf = (answer: Parameters<typeof wordsOfAnswer>[0], now: number): EventOutcome => {
  const { status } = answer
  if (status === 401 || status === 403)
    return { kind: 'rejected', reason: `Mixpanel refuses the GDPR API token (HTTP ${status})` }
  return outcomeOfAnswer(answer, now, wordsOfAnswer(answer))
}

/**
 * Requests that Mixpanel deletes users with all events and profiles: by their user IDs, and by their anonymous IDs in
 * the form of both kinds of ID merge. Mixpanel deletes later. A repeated request deletes nothing more.
 */
export const deleteUsers = async (rows: readonly OutgoingRow[], context: Context): Promise<DeliverResult> => {
  const { project_token: given, gdpr_token: token, region } = context.settings
  if (token === undefined) return rejectAll(rows, 'Enter a GDPR API token in the settings to delete users in Mixpanel')
  const users = rows.map(deletedUserOf).filter((user) => user !== undefined)
  if (users.length < rows.length) return rejectAll(rows, 'Mixpanel takes deletions of users, and no other rows')
  const anonymousIds = users.flatMap((user) => user.anonymousIds)
  const devices = anonymousIds.map((id) => distinctId({ anonymous_id: id }, { identity: 'simplified' }))
  const ids = [...new Set([...users.flatMap(({ userIds }) => userIds), ...anonymousIds, ...devices])]
  if (ids.length === 0) return rejectAll(rows, 'Mixpanel knows users by user ID and anonymous ID only')
  const projectToken = given.trim()
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${token.trim()}`,
    'content-type': 'application/json',
    'user-agent': 'Tributary/1.0',
  }
  let result: DeliverResult = { outcomes: { kind: 'delivered' }, ...nothingSent }
  for (let from = 0; from < ids.length; from += maxIds) {
    const url = `https://${hosts[region]}/api/app/data-deletions/v3.0/?token=${encodeURIComponent(projectToken)}`
    const body = JSON.stringify({ distinct_ids: ids.slice(from, from + maxIds), compliance_type: 'GDPR' })
    const texts = [token.trim(), projectToken, encodeURIComponent(projectToken)]
    const call = await sendRequest(
      context,
      { method: 'POST', url, headers, body },
      { headers: ['authorization'], texts },
    )
    const outcome = outcomeOf(call.answer, context.clock())
    result = resultOfCall(call, outcome)
    if (outcome.kind !== 'delivered') return result
  }
  return result
}
