import {
  type AcceptedEvent,
  type ComputedTraitChange,
  type Database,
  recordComputedTraitChanges,
  requestPlaceOf,
  valuesOf,
} from '@tributary/storage'
import type { Kysely } from 'kysely'
import { observe } from './observe.ts'
import { defaultRules, type Rules } from './rules.ts'

/** Which events computed traits are made of, from memory. */
export type ComputedTraitEvents = {
  isEmpty(): boolean
  /** Ids of computed traits by the name of the event, or the type of a call without a name. Undefined where there are none. */
  find(workspaceId: string): ReadonlyMap<string, readonly string[]> | undefined
}

/** Whether an event may have one of the names: most have not, which its text shows without being parsed. */
const mayHave = (json: string, names: Iterable<string>): boolean => {
  // Characters may be written in other ways.
  if (json.includes('\\')) return true
  for (const name of names) if (json.includes(JSON.stringify(name))) return true
  return false
}

const changesIn = (
  events: readonly AcceptedEvent[],
  computed: Pick<ComputedTraitEvents, 'find'>,
  rulesFor: (workspaceId: string) => Rules,
): Map<string, ComputedTraitChange> => {
  const changes = new Map<string, ComputedTraitChange>()
  for (const event of events) {
    const names = computed.find(event.workspaceId)
    if (names === undefined || !mayHave(event.json, names.keys())) continue
    const { event: name, type } = valuesOf(event)
    const traits = [...(names.get(name) ?? []), ...((name === '' && names.get(type)) || [])]
    const [bearer] = traits.length === 0 ? [] : observe(event, rulesFor(event.workspaceId)).identifiers
    if (bearer === undefined) continue
    const { offset: at } = requestPlaceOf(event.eventId)
    for (const trait of traits)
      changes.set(`${trait}\0${bearer.type}:${bearer.value}`, { workspace: event.workspaceId, trait, ...bearer, at })
  }
  return changes
}

/**
 * Makes what notes, for accepted events of a partition whose identifiers are known, whose computed traits have changed, and where the
 * requests of those events are. What it notes is durable before it resolves; an event that comes again notes the same. Without computed traits it does nothing, and where there are some it asks the
 * database once for each batch with an event of theirs.
 */
export const createComputedChanges =
  ({
    db,
    computed,
    rulesFor = () => defaultRules,
  }: {
    db: Kysely<Database>
    computed: ComputedTraitEvents
    rulesFor?: ((workspaceId: string) => Rules) | undefined
  }) =>
  async (events: readonly AcceptedEvent[], partition: number): Promise<void> => {
    if (computed.isEmpty()) return
    const changes = changesIn(events, computed, rulesFor)
    if (changes.size === 0) return
    await recordComputedTraitChanges(db, [...changes.values()], partition)
  }
