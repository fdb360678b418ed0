import { faultPoint } from '@tributary/kernel'
import { deliveryRemovals, type EventStore, eventRemoval, type MarkedRows, prepared } from '@tributary/storage'
import { sql } from 'kysely'
import type { Db } from './db.ts'
import type { ProfileLedger } from './profiles/ledger.ts'
import { isId } from './resource-ids.ts'

/** The people whose events are erased, and the time until which these events were received. */
export type ErasedPeople = {
  workspaceId: string
  requestId: string
  identifiers: readonly { type: string; value: string }[]
  /** The column `owner` for further identifiers, whose values are already deleted. */
  owners: readonly string[]
  until: Date
}

/** Returns an ID of this product as an SQL literal. Mutations are stored as text, so they cannot have parameters. */
const idLiteral = (id: string): string => {
  if (!isId(id)) throw new Error(`'${id}' is no id`)
  return `'${id}'`
}

const anyId = new Set(['user_id', 'anonymous_id', 'previous_id'])

/**
 * Marks the stored events of people, and rejected events that contain one of their IDs: from then on, `hidingErased`
 * omits them. The call can be repeated, and then also marks events that were stored since the previous call.
 */
export const markErasedEvents = async (
  eventStore: Pick<EventStore, 'command'>,
  ownerOf: ProfileLedger['ownerOf'],
  { workspaceId, requestId, identifiers, owners, until }: ErasedPeople,
): Promise<void> => {
  const valuesOf = (type: string): string[] =>
    identifiers.filter((each) => each.type === type || each.type === 'previous_id').map(({ value }) => value)
  const quoted = identifiers.filter(({ type }) => anyId.has(type)).map(({ value }) => JSON.stringify(value))
  const within = `workspace_id = ${idLiteral(workspaceId)} and receive_time <= fromUnixTimestamp64Milli({until:Int64})
    and event_id not in (select event_id from erased_events where workspace_id = ${idLiteral(workspaceId)}
      and request_id = ${idLiteral(requestId)})`
  const mark = (where: string, params: Record<string, unknown>): Promise<void> =>
    eventStore.command(
      `insert into erased_events (workspace_id, request_id, event_id)
       select workspace_id, ${idLiteral(requestId)}, event_id from events where ${within} and ${where}`,
      { until: until.getTime(), ...params },
    )
  if (owners.length > 0) await mark('owner in {owners:Array(UInt64)}', { owners: owners.map((owner) => BigInt(owner)) })
  if (quoted.length === 0) return
  const [users, devices] = [valuesOf('user_id'), valuesOf('anonymous_id')]
  // One index finds both IDs. An event with another user ID belongs to another person.
  await mark(
    `(user_id in {users:Array(String)} or anonymous_id in {devices:Array(String)})
      and (user_id in {users:Array(String)} or owner in {owners:Array(UInt64)})`,
    {
      users,
      devices,
      owners: devices.map((value) => BigInt(ownerOf(workspaceId, { type: 'anonymous_id', value }))),
    },
  )
  await mark(`status = 'rejected' and arrayExists(text -> position(original, text) > 0, {texts:Array(String)})`, {
    texts: quoted,
  })
}

/**
 * Marks rows of the delivery log that sent the audience membership of these profiles to destinations. The call can be
 * repeated.
 */
export const markErasedMembers = async (
  eventStore: Pick<EventStore, 'command'>,
  { workspaceId, requestId }: Pick<ErasedPeople, 'workspaceId' | 'requestId'>,
  profiles: readonly string[],
): Promise<void> => {
  if (profiles.length === 0) return
  await eventStore.command(
    `insert into erased_events (workspace_id, request_id, event_id)
     select distinct workspace_id, ${idLiteral(requestId)}, event_id from deliveries
     where workspace_id = ${idLiteral(workspaceId)} and producer = 'audience' and key in {profiles:Array(String)}
       and event_id not in (select event_id from erased_events where workspace_id = ${idLiteral(workspaceId)}
         and request_id = ${idLiteral(requestId)})`,
    { profiles },
  )
}

/** Returns IDs of this product as a list of SQL literals. */
export const idList = (ids: readonly string[]): string => [...new Set(ids)].map(idLiteral).join(', ')

type Marked = Pick<ErasedPeople, 'workspaceId' | 'requestId'>

const workspacesOf = (requests: readonly Marked[]): string =>
  `workspace_id in (${idList(requests.map(({ workspaceId }) => workspaceId))})`

const markedOf = (requests: readonly Marked[]): string =>
  `(workspace_id, event_id) in (select workspace_id, event_id from erased_events
    where ${workspacesOf(requests)} and request_id in (${idList(requests.map(({ requestId }) => requestId))}))`

const rowsOf = (requests: readonly Marked[]): MarkedRows => ({
  own: workspacesOf(requests),
  marked: markedOf(requests),
})

/**
 * Returns the mutations that remove deliveries of marked events for requests, in their order. Each mutation can be
 * repeated.
 */
export const deliveryChanges = (requests: readonly Marked[]): string[] => deliveryRemovals(rowsOf(requests))

/**
 * Marks rows that are not in the events table. `select` continues a `select` statement with an expression for the mark
 * and the rest of the statement.
 */
export const markErasedRows = (
  eventStore: Pick<EventStore, 'command'>,
  { workspaceId, requestId }: Marked,
  select: string,
  params: Record<string, unknown>,
): Promise<void> =>
  eventStore.command(
    `insert into erased_events (workspace_id, request_id, event_id) select {workspace:String}, {request:String}, ${select}`,
    { ...params, workspace: workspaceId, request: requestId },
  )

/** Marks events by their IDs for a request. `token` is an insert token, see `EventStore.insert`. */
export const markErasedIds = (
  eventStore: Pick<EventStore, 'insert'>,
  { workspaceId, requestId }: Marked,
  eventIds: readonly string[],
  token: string,
): Promise<void> => {
  const lines = eventIds.map((event_id) =>
    JSON.stringify({ workspace_id: workspaceId, request_id: requestId, event_id }),
  )
  return eventStore.insert('erased_events', lines.join('\n'), { token })
}

/** Removes the marks of requests whose events are removed. */
export const clearErasedMarks = (
  eventStore: Pick<EventStore, 'command'>,
  requestIds: readonly string[],
): Promise<void> =>
  eventStore.command('delete from erased_events where request_id in {requests:Array(String)}', { requests: requestIds })

/** Interval in ms at which the progress of a mutation is checked. */
const pollMs = 200

/** Waits until the event store has rewritten every part that is affected by a mutation with this request's ID. */
const changesDone = async (eventStore: EventStore, requestId: string, signal: AbortSignal): Promise<void> => {
  for (;;) {
    signal.throwIfAborted()
    const [row] = await eventStore.query<{ open: number; reason: string }>(
      `select count() as open, max(latest_fail_reason) as reason from system.mutations
       where database = currentDatabase() and not is_done and position(command, {request:String}) > 0`,
      { request: requestId },
      { owner: 'system', signal },
    )
    if (Number(row?.open ?? 0) === 0) return
    if (row !== undefined && row.reason !== '') throw new Error(row.reason.slice(0, 500))
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/**
 * Runs mutations, each of which contains the ID of this request. Resolves when every affected part is rewritten. The
 * event store deletes the old files within minutes.
 */
export const makeChanges = async (
  eventStore: EventStore,
  changes: readonly string[],
  requestId: string,
  signal: AbortSignal,
): Promise<void> => {
  for (const change of changes) {
    await eventStore.command(change)
    faultPoint('erasure.within-events')
    await changesDone(eventStore, requestId, signal)
  }
}

/** Removes the marked events of requests, and their deliveries, from the event store, with `makeChanges`. */
export const removeErasedEvents = async (
  eventStore: EventStore,
  requests: readonly Marked[],
  signal: AbortSignal,
): Promise<void> => {
  const changes = [...deliveryChanges(requests), eventRemoval(rowsOf(requests))]
  await makeChanges(eventStore, changes, requests[0]?.requestId ?? '', signal)
}

/** Yields the IDs of the events that are marked for a request, in pages. */
export const erasedEventIds = async function* (
  eventStore: EventStore,
  { workspaceId, requestId }: Pick<ErasedPeople, 'workspaceId' | 'requestId'>,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  const size = 10_000
  let after = ''
  for (;;) {
    const rows = await eventStore.query<{ event_id: string }>(
      `select distinct event_id from erased_events where workspace_id = {workspace:String}
         and request_id = {request:String} and event_id > {after:String} order by event_id limit ${size}`,
      { workspace: workspaceId, request: requestId, after },
      { owner: 'system', signal },
    )
    if (rows.length > 0) yield rows.map(({ event_id }) => event_id)
    if (rows.length < size) return
    after = rows.at(-1)?.event_id ?? ''
  }
}

/**
 * Wraps the event store for queries of users. Events of users who are being deleted are omitted, with their deliveries.
 * This applies to every query whose owner is a workspace with such users, or its organization. A query may fail before
 * its caller awaits it.
 */
export const hidingErased = (eventStore: EventStore, db: Db): EventStore => {
  const erasing = async (owner: string): Promise<string[]> => {
    if (!isId(owner)) return []
    const { rows } = await sql<{ id: string }>`${prepared('workspaces-erasing')}
      select distinct w.id from privacy_places p
      join privacy_requests r on r.id = p.request_id join workspaces w on w.id = r.workspace_id
      where p.place = 'events' and p.state <> 'done' and ${owner}::uuid in (w.id, w.organization_id)`.execute(db)
    return rows.map(({ id }) => id)
  }
  const ask = async <Row>(
    text: string,
    params: Record<string, unknown> | undefined,
    options: Parameters<EventStore['query']>[2],
  ): Promise<Row[]> => {
    const workspaces = await erasing(options.owner)
    if (workspaces.length === 0) return eventStore.query<Row>(text, params, options)
    const hide = `(workspace_id, event_id) not in (select workspace_id, event_id from erased_events
      where workspace_id in (${workspaces.map(idLiteral).join(', ')}))`
    return eventStore.query<Row>(text, params, { ...options, filters: { events: hide, deliveries: hide } })
  }
  return {
    ...eventStore,
    query<Row>(text: string, params: Record<string, unknown> | undefined, options: Parameters<EventStore['query']>[2]) {
      const answer = ask<Row>(text, params, options)
      // A caller that awaits the query still gets the error. Before that, the rejection must not end the process.
      answer.catch(() => {})
      return answer
    },
  }
}
