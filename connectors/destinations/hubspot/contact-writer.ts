import { existingId, traceOf } from './answers.ts'
import type { ObjectType } from './object-type.ts'
import { type createSender, type Found, inputOf, type Place } from './record-sender.ts'

/** Creates functions that write contacts by their email addresses. */
export const createContactWriter = (
  { settle, write, find }: Pick<ReturnType<typeof createSender>, 'settle' | 'write' | 'find'>,
  type: ObjectType,
  { outcomes, ids }: Found,
) => {
  const { idProperty } = type
  /** The IDs of contacts that this batch has read or created, by email. */
  const known = new Map<string, string>()

  /**
   * Updates contacts by their HubSpot IDs. Without the email address, because it can be a further address of the contact,
   * which must not become the first one. A contact without other properties needs no update.
   */
  const updateContacts = async (places: readonly Place[]): Promise<void> => {
    const changesOf = ({ [idProperty]: _email, ...properties }: Place['properties']) => properties
    const isEmpty = (place: Place): boolean => Object.keys(changesOf(place.properties)).length === 0
    settle(places.filter(isEmpty), { kind: 'delivered' })
    await write(
      'update',
      places.filter((place) => !isEmpty(place)),
      (place) => ({
        id: ids[place.at],
        properties: changesOf(place.properties),
        objectWriteTraceId: traceOf(place),
      }),
    )
  }

  /** Creates contacts. Those that exist meanwhile are updated, because HubSpot names them. */
  const createContacts = async (places: readonly Place[]): Promise<void> => {
    await write('create', places, (place) => inputOf(place, type))
    const existing = places.filter(({ at }) => {
      const id = existingId(outcomes[at])
      if (id !== undefined) ids[at] = id
      return id !== undefined
    })
    await updateContacts(existing)
  }

  /**
   * Creates and updates contacts by email address. HubSpot's batch/upsert does not support partial updates with the
   * email address as identifier ("Contacts", guide), so existing contacts are read first.
   */
  const upsertContacts = async (places: readonly Place[]): Promise<void> => {
    const unknown = places.filter(({ key }) => !known.has(key))
    const read = unknown.length === 0 ? known : await find(unknown, true)
    if (read === undefined) return
    const open = places.filter(({ at }) => outcomes[at] === undefined)
    for (const { key, at } of open) ids[at] = known.get(key) ?? read.get(key)
    const there = open.filter(({ at }) => ids[at] !== undefined)
    const missing = open.filter(({ at }) => ids[at] === undefined)
    await updateContacts(there)
    await createContacts(missing)
    for (const { key, at } of places) {
      const id = ids[at]
      if (id !== undefined && outcomes[at]?.kind === 'delivered') known.set(key, id)
      else known.delete(key)
    }
  }

  return { upsertContacts, updateContacts, forget: (key: string) => void known.delete(key) }
}
