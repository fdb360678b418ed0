import { readPersonData } from '@tributary/configuration'
import { personPathsWithValue } from '@tributary/connector-kit'
import {
  defaultPersonDataPaths,
  type methods,
  type PersonDataPaths,
  personDataCountLimits,
  personDataKinds,
  profileFieldOf,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { takeTurn } from '@tributary/kernel'
import { type StoredEventRow, storedEvent, storedEventColumns } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'
import { createReceivedPaths } from './received-paths.ts'

const dayMs = 86_400_000

/** Maximum bytes of the events that are read, and events that are looked at in one turn. */
const maxBytes = 16 * 1024 * 1024
const eventsAtOnce = 100

/**
 * Beyond this share, the sample has all events of random seconds, so that the store need not read a part of each of its
 * blocks. With fewer events, single events are chosen.
 */
const maxOfEach = 100

type Period = { workspaceId: string; from: number; to: number }

/**
 * Reads a random sample of the accepted events of a period, without test events, and counts all of them. The first query
 * reads small columns only, and the second one the texts of the sample.
 */
const readSample = async (
  eventStore: ControlDeps['eventStore'],
  { workspaceId, from, to }: Period,
  signal: AbortSignal,
): Promise<{ total: number; rows: StoredEventRow[] }> => {
  const options = { owner: workspaceId, slot: 'heavy', signal } as const
  const within = `workspace_id = {workspace:String} and status = 'accepted' and not test
    and receive_time >= fromUnixTimestamp64Milli({from:Int64}) and receive_time < fromUnixTimestamp64Milli({to:Int64})`
  const params = { workspace: workspaceId, from, to }
  const [counted] = await eventStore.query<{ n: number }>(
    `select count() as n from events where ${within}`,
    params,
    options,
  )
  const total = Number(counted?.n ?? 0)
  const each = Math.max(1, Math.ceil(total / personDataCountLimits.events))
  const unit = each > maxOfEach ? 'toUnixTimestamp(receive_time)' : 'event_id'
  const rows = await eventStore.query<StoredEventRow>(
    `select ${storedEventColumns} from (
       select *, sum(length(original)) over (order by cityHash64(event_id), event_id rows unbounded preceding) as bytes
       from events where ${within} and cityHash64(${unit}) % {each:UInt64} = 0
       order by cityHash64(event_id) limit {events:UInt32}
     ) where bytes <= {bytes:UInt64}`,
    { ...params, each, events: personDataCountLimits.events, bytes: maxBytes },
    options,
  )
  return { total, rows }
}

/** Counts last week's events that have a value at each path of the data of people. */
export const countPersonData =
  ({
    db,
    eventStore,
    clock,
    workShare,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock' | 'workShare'>): Handler<typeof methods.personDataPlaces.count> =>
  async ({ workspace, body, signal }) => {
    const saved = body.places === undefined ? await readPersonData(db, workspace.id) : defaultPersonDataPaths
    const given = Object.entries(body.places ?? {}).filter(([, paths]) => paths !== undefined)
    const places: PersonDataPaths = { ...saved, ...Object.fromEntries(given) }
    const to = clock()
    const from = to - personDataCountLimits.days * dayMs
    const { total, rows } = await readSample(eventStore, { workspaceId: workspace.id, from, to }, signal)
    const withValue = personPathsWithValue(places)
    const counts = new Map(personDataKinds.map(({ kind }) => [kind, { found: 0, events: new Map<string, number>() }]))
    const received = createReceivedPaths()
    let counted = 0
    const look = (chunk: readonly StoredEventRow[]): void => {
      for (const row of chunk) {
        const event = storedEvent(row)
        if (event === undefined) continue
        counted++
        received.add(event)
        for (const { kind } of personDataKinds) {
          const count = counts.get(kind)
          const paths = withValue(event, kind)
          if (count === undefined || paths.length === 0) continue
          count.found++
          for (const path of paths) count.events.set(path, (count.events.get(path) ?? 0) + 1)
        }
      }
    }
    for (let at = 0; at < rows.length; at += eventsAtOnce)
      await takeTurn(workShare, workspace.id, () => look(rows.slice(at, at + eventsAtOnce)), signal)
    return {
      start_time: new Date(from).toISOString(),
      end_time: new Date(to).toISOString(),
      events: total,
      counted,
      kinds: personDataKinds.map(({ kind }) => ({
        kind,
        found: counts.get(kind)?.found ?? 0,
        paths: places[kind].map((path) => ({
          path,
          events: profileFieldOf(path) === undefined ? (counts.get(kind)?.events.get(path) ?? 0) : null,
        })),
      })),
      received: received.list(),
    }
  }
