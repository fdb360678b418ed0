import type { DeliverContext, DeliverResult, EventOutcome, OutgoingRow } from '../definition/definition.ts'
import { deletedUserOf } from '../definition/deleted-user.ts'
import { ConfigurationError } from '../errors.ts'
import { resultOfCall } from '../http/send-request.ts'
import { bodyWith, type Described, openEnvelope, settingVariables, transmit } from './open-request.ts'
import { readAnswer } from './read-answer.ts'
import { renderTree, scopeOf } from './render-tree.ts'

const nothingSent = { httpStatus: 0, latencyMs: 0, request: '', response: '' }

const rejectAll = (rows: readonly OutgoingRow[], reason: string): DeliverResult => ({
  outcomes: rows.map((): EventOutcome => ({ kind: 'rejected', reason })),
  ...nothingSent,
})

/** Sends the deletion of some IDs. Throws ConfigurationError if a user has to change the settings. */
const deleteIds = async (
  described: Described,
  ids: readonly string[],
  context: DeliverContext,
): Promise<{ outcome: EventOutcome; result: DeliverResult }> => {
  const { deletion } = described
  if (deletion === undefined) throw new Error('The description has no deletion')
  const scope = scopeOf(settingVariables(described, context.settings, { ids, id: ids[0] }))
  const envelope = openEnvelope(described, deletion.request, scope, context.settings)
  const value = deletion.item === undefined ? undefined : renderTree(deletion.item, scope)
  const items = value === undefined ? [] : [{ value, place: envelope.request.batch?.at ?? '' }]
  const { call, secrets } = await transmit(described, envelope, bodyWith(envelope, items), context)
  const answers = envelope.request.answers ?? described.answers
  const reading = readAnswer({
    answer: call.answer,
    answers,
    items,
    title: described.title,
    secrets,
    now: context.clock(),
  })
  if (reading.kind === 'misconfigured') throw new ConfigurationError(reading.message, call.exchange())
  const outcome = reading.kind === 'all' ? reading.outcome : (reading.named.get(0) ?? { kind: 'delivered' })
  return { outcome, result: resultOfCall(call, outcome) }
}

/**
 * Has the vendor delete users by all IDs that it knows them by. A repeated deletion deletes nothing more. The first
 * request that fails decides the outcome of all rows.
 */
export const deletePeople = async (
  described: Described,
  rows: readonly OutgoingRow[],
  context: DeliverContext,
): Promise<DeliverResult> => {
  const { deletion, title } = described
  const users = rows.map(deletedUserOf).filter((user) => user !== undefined)
  if (deletion === undefined || users.length < rows.length)
    return rejectAll(rows, `${title} takes deletions of users, and no other rows`)
  const { needs } = deletion
  if (needs !== undefined && context.settings[needs] === undefined)
    return rejectAll(rows, `The settings have no ${described.settings[needs]?.label ?? needs}`)
  const ids = [
    ...new Set(
      users.flatMap(({ userIds, anonymousIds }) =>
        deletion.ids.flatMap((kind) => (kind === 'user_id' ? userIds : anonymousIds)),
      ),
    ),
  ]
  if (ids.length === 0) return rejectAll(rows, `${title} knows users by other IDs`)
  const { max_ids: most = 1 } = deletion
  let result: DeliverResult = { outcomes: { kind: 'delivered' }, ...nothingSent }
  for (let from = 0; from < ids.length; from += most) {
    const sent = await deleteIds(described, ids.slice(from, from + most), context)
    result = sent.result
    if (sent.outcome.kind !== 'delivered') return result
  }
  return result
}
