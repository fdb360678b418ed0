import { cursorEventId, cursorInteger, cursorMs, openPage, parseReference } from '@tributary/api-kit'
import { readDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, notFound } from '@tributary/kernel'
import { z } from 'zod'
import type { ControlDeps } from '../deps.ts'
import { isMasked } from '../profiles/mask.ts'
import { leftOutReasons } from './left-out.ts'
import { parkedSummaries } from './parked-summaries.ts'
import { type DeliveryRow, deliveryColumns, presentDelivery } from './read.ts'

/** The position in the list, newest first: time in epoch ms, then event ID and attempt. */
const deliveryCursor = z.tuple([cursorMs, cursorEventId, cursorInteger])

/** Returns the ID in the resource name of a sender, by the kind of sender. */
const senderNames = {
  source: (name: string) => {
    const { workspace, source: id } = parseReference(resourceNames.source, 'source', name)
    return { workspace, id }
  },
  audience: (name: string) => {
    const { workspace, audience: id } = parseReference(resourceNames.audience, 'audience', name)
    return { workspace, id }
  },
  signal: (name: string) => {
    const { workspace, signal: id } = parseReference(resourceNames.signal, 'signal', name)
    return { workspace, id }
  },
}
const senders = ['source', 'audience', 'signal'] as const

/**
 * Returns the ID of the requested sender: a source, audience, or signal of this workspace, even a deleted one. Returns
 * undefined for all senders. Throws 404 for a sender of another workspace, and 400 if several senders are given.
 */
const senderIdOf = (
  query: Partial<Record<(typeof senders)[number], string | undefined>>,
  workspaceId: string,
): string | undefined => {
  const [first, second] = senders.filter((each) => query[each] !== undefined)
  if (first === undefined) return undefined
  if (second !== undefined)
    throw badRequest('VALIDATION', `${second}: Not together with ${first}`, { [second]: `Not together with ${first}` })
  const { workspace, id } = senderNames[first](query[first] ?? '')
  if (workspace !== workspaceId) throw notFound(`${first} not found`)
  return id
}

/** Lists the delivery attempts of a destination, newest first, and the number of its parked deliveries. */
export const listDeliveries =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.deliveries.list> =>
  async ({ actor, workspace, params, query, signal }) => {
    const { id } = await readDestination(db, workspace.id, params.destination)
    const start = query.start_time === undefined ? undefined : Date.parse(query.start_time)
    const end = query.end_time === undefined ? undefined : Date.parse(query.end_time)
    if (start !== undefined && end !== undefined && end <= start)
      throw badRequest('VALIDATION', 'end_time: Must be after start_time', { end_time: 'Must be after start_time' })
    const source = senderIdOf(query, workspace.id)
    const page = openPage('deliveries.list', params, query, deliveryCursor)
    const conditions = ['workspace_id = {workspace:String}', 'destination_id = {destination:String}']
    if (query.status !== undefined) conditions.push('status = {status:String}')
    if (source !== undefined) conditions.push('source_id = {source:String}')
    if (query.event_id !== undefined) conditions.push('event_id = {event:String}')
    if (query.left_out !== undefined)
      conditions.push(`status = 'delivered' and reason != '' and has(${leftOutReasons}, {left_out:String})`)
    if (start !== undefined) conditions.push('time >= fromUnixTimestamp64Milli({start:Int64})')
    if (end !== undefined) conditions.push('time < fromUnixTimestamp64Milli({end:Int64})')
    if (page.after !== undefined) {
      conditions.push('time <= fromUnixTimestamp64Milli({after:Int64})')
      conditions.push(
        '(time, event_id, attempt) < (fromUnixTimestamp64Milli({after:Int64}), {after_id:String}, {after_attempt:UInt32})',
      )
    }
    const [after, after_id, after_attempt] = page.after ?? []
    const found = await eventStore.query<DeliveryRow>(
      `select ${deliveryColumns} from deliveries where ${conditions.join(' and ')}
       order by time desc, event_id desc, attempt desc limit {limit:UInt32}`,
      {
        workspace: workspace.id,
        destination: id,
        limit: page.size + 1,
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(source === undefined ? {} : { source }),
        ...(query.event_id === undefined ? {} : { event: query.event_id }),
        ...(query.left_out === undefined ? {} : { left_out: query.left_out }),
        ...(start === undefined ? {} : { start }),
        ...(end === undefined ? {} : { end }),
        ...(page.after === undefined ? {} : { after, after_id, after_attempt }),
      },
      { owner: workspace.id, slot: 'short', signal },
    )
    const { rows, next } = page.cut(found, (row) => [Number(row.time_ms), row.event_id, Number(row.attempt)])
    const masked = isMasked(actor, workspace)
    return {
      deliveries: rows.map((row) => presentDelivery(workspace.id, row, masked)),
      next_page_token: next,
      ...(await parkedSummaries(db, id)),
    }
  }
