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

/** Looks up which computed traits an event can change, in a cache in memory. */
export type ComputedTraitEvents = {
  isEmpty(): boolean
  /** IDs of computed traits by event name, or by call type for calls without a name. Undefined if there are none. */
  find(workspaceId: string): ReadonlyMap<string, readonly string[]> | undefined
}

/** Whether an event may have one of the names. For most events, the text shows without parsing that they have none. */
const mayHave = (json: string, names: Iterable<string>): boolean => {
  // Escaped characters may hide a name.
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
 * Creates a function that records which computed traits the accepted events of a partition change, with the positions
 * of their requests. The profiles of the events must be stored. The function resolves when the records are durable; a
 * repeated event records the same. Without computed traits, the function does nothing. Otherwise it sends one query for
 * each batch that contains a relevant event.
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
