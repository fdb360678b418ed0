import { readDestination } from '@tributary/configuration'
import { eventFilter, type methods, type ReplayScope } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { parseRecordPlaces } from '@tributary/kernel'
import {
  countDead,
  countHistory,
  type DeadScope,
  type EventRow,
  type EventScope,
  eventColumns,
  type HistoryScope,
  historyTimes,
  presentEvent,
  readSamples,
  scopeSource,
  wireTime,
} from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'
import { asksEvents, chooseDead } from './choose-dead.ts'

/** Returns the conditions of a request on single events. */
export const eventScope = (scope: ReplayScope): EventScope => ({
  event: scope.event,
  eventType: scope.event_type,
  filter: scope.filter ?? eventFilter.parse({ conditions: [] }),
})

/** Returns the part of the event history that a request selects. */
export const historyScope = (
  workspaceId: string,
  sourceId: string | undefined,
  scope: ReplayScope,
  { storedBefore, now }: { storedBefore: string; now: number },
): HistoryScope => ({
  workspaceId,
  sourceId,
  ...historyTimes(scope.time_by ?? 'receive_time', {
    from: Date.parse(scope.start_time),
    to: Date.parse(scope.end_time),
    now,
  }),
  ...eventScope(scope),
  storedBefore: parseRecordPlaces(storedBefore),
})

/** Returns the scope of the dead letters that a request selects. */
export const deadScope = (
  destination: { id: string; workspace_id: string },
  sourceId: string | undefined,
  scope: ReplayScope,
): DeadScope => ({
  workspaceId: destination.workspace_id,
  destinationId: destination.id,
  sourceId,
  start: new Date(scope.start_time),
  end: new Date(scope.end_time),
  reason: scope.reason,
})

/** Counts the events that a replay would send. */
export const previewReplay =
  (
    deps: Pick<ControlDeps, 'db' | 'eventStore' | 'storedBefore' | 'deliveries' | 'workShare' | 'clock'>,
  ): Handler<typeof methods.replays.preview> =>
  async ({ workspace, params, body, signal }) => {
    const { db, eventStore, storedBefore } = deps
    const destination = await readDestination(db, workspace.id, params.destination)
    const sourceId = await scopeSource(db, workspace.id, body)
    if (body.kind === 'dead') {
      const dead = deadScope(destination, sourceId, body)
      const asked = eventScope(body)
      const { count, unreadable, first, last } = asksEvents(asked)
        ? await chooseDead(deps, dead, asked, signal)
        : { ...(await countDead(db, dead)), unreadable: 0 }
      return {
        event_count: count,
        unreadable_count: unreadable,
        first_time: first?.toISOString() ?? null,
        last_time: last?.toISOString() ?? null,
        samples: [],
        stored_before: '',
      }
    }
    const bound = (await storedBefore?.(workspace.id)) ?? ''
    const scope = historyScope(workspace.id, sourceId, body, { storedBefore: bound, now: deps.clock() })
    const found = await countHistory(deps, scope, signal)
    const samples = await readSamples<EventRow>(eventStore, scope, found, eventColumns, signal)
    return {
      event_count: found.count,
      unreadable_count: 0,
      first_time: found.first === null ? null : wireTime(found.first),
      last_time: found.last === null ? null : wireTime(found.last),
      samples: samples.map((row) => presentEvent(workspace.id, row)),
      stored_before: bound,
    }
  }
