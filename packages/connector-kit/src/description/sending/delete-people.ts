import type { DeliverContext, DeliverResult, EventOutcome, OutgoingRow } from '../../definition/definition.ts'
import { deletedUserOf } from '../../definition/deleted-user.ts'
import { resultOfCall } from '../../http/send-request.ts'
import { type Described, openEnvelope, requestOf, settingVariables } from '../requests/open-request.ts'
import { lookUp, type Sent, sendRead } from '../requests/send-read.ts'
import { renderTree, scopeOf, TreeProblem } from '../templates/render-tree.ts'

const nothingSent = { httpStatus: 0, latencyMs: 0, request: '', response: '' }

const nothingToDelete: DeliverResult = { outcomes: { kind: 'delivered' }, ...nothingSent }

/** Returns what became of a request with one item. Any failure in its answer is that of the item. */
const outcomeOf = ({ call, reading }: Sent): { outcome: EventOutcome; result: DeliverResult } => {
  const [outcome = { kind: 'delivered' } as const] =
    reading.kind === 'items' ? reading.named.values() : [reading.outcome]
  return { outcome, result: resultOfCall(call, outcome) }
}

const rejectAll = (rows: readonly OutgoingRow[], reason: string): DeliverResult => ({
  outcomes: rows.map((): EventOutcome => ({ kind: 'rejected', reason })),
  ...nothingSent,
})

/**
 * Sends the deletion of some IDs. If the vendor has no record of an ID, there is nothing to delete. Throws
 * ConfigurationError if a user has to change the settings.
 */
const deleteIds = async (
  described: Described,
  ids: readonly string[],
  context: DeliverContext,
): Promise<{ outcome: EventOutcome; result: DeliverResult }> => {
  const { deletion } = described
  if (deletion === undefined) throw new Error('The description has no deletion')
  const { settings } = context
  const variables = { ids, id: ids[0] }
  let scope = scopeOf(settingVariables(described, settings, variables))
  const { find } = requestOf(described, deletion.request)
  if (find !== undefined) {
    const looked = await lookUp(described, openEnvelope(described, find.request, scope, settings), find.value, context)
    if ('reading' in looked) return outcomeOf(looked)
    if (looked.found === undefined) return { outcome: { kind: 'delivered' }, result: nothingToDelete }
    scope = scopeOf(settingVariables(described, settings, { ...variables, found: looked.found }))
  }
  const envelope = openEnvelope(described, deletion.request, scope, settings)
  const value = deletion.item === undefined ? undefined : renderTree(deletion.item, scope)
  const items = value === undefined ? [] : [{ value, place: envelope.request.batch?.at ?? '' }]
  return outcomeOf(await sendRead(described, envelope, items, context))
}

/**
 * Has the vendor delete users by all IDs under which it has them. A repeated deletion deletes nothing more. The first
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
  let result = nothingToDelete
  for (let from = 0; from < ids.length; from += most) {
    const sent = await deleteIds(described, ids.slice(from, from + most), context).catch((error: unknown) => {
      if (error instanceof TreeProblem) return undefined
      throw error
    })
    if (sent === undefined) return rejectAll(rows, `${title} takes no such ID`)
    result = sent.result
    if (sent.outcome.kind !== 'delivered') return result
  }
  return result
}
