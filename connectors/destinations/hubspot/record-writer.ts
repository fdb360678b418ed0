import type { EventOutcome } from '@tributary/connector-kit'
import { createContactWriter } from './contact-writer.ts'
import { isContactByEmail, type ObjectType } from './object-type.ts'
import { createSender, type Found, inputOf, type Place } from './record-sender.ts'
import type { Context } from './request.ts'

const noRecord: EventOutcome = { kind: 'skipped', reason: 'There is no record with this key' }

/** Creates the function that writes records with the same operation and different keys. */
export const createWriter = (context: Context, type: ObjectType, found: Found) => {
  const { outcomes, ids } = found
  const sender = createSender(context, type, found)
  const { settle, write, find } = sender
  const { idProperty } = type
  const byEmail = isContactByEmail(type)
  const named = (place: Place) => inputOf(place, type)
  const { upsertContacts, updateContacts, forget } = createContactWriter(sender, type, found)

  const group = async (operation: 'upsert' | 'insert' | 'update' | 'delete', places: readonly Place[]) => {
    if (operation === 'upsert')
      return byEmail
        ? upsertContacts(places)
        : write('upsert', places, (place) => ({ id: place.key, idProperty, ...named(place) }))
    // A contact is not archived by one of its further email addresses.
    const read = await find(places, byEmail && operation !== 'delete')
    if (read === undefined) return
    const open = places.filter(({ at }) => outcomes[at] === undefined)
    for (const { key, at } of open) ids[at] = read.get(key)
    const there = open.filter(({ key }) => read.has(key))
    const missing = open.filter(({ key }) => !read.has(key))
    if (operation === 'insert') {
      settle(there, { kind: 'skipped', reason: 'A record with this key is already there' })
      return write('create', missing, named)
    }
    settle(missing, operation === 'delete' ? { kind: 'delivered' } : noRecord)
    if (operation === 'delete') {
      for (const { key } of places) forget(key)
      return write('archive', there, ({ at }) => ({ id: ids[at] }))
    }
    if (byEmail) return updateContacts(there)
    // Records are updated by their HubSpot IDs, because this endpoint does not treat other identifiers as unique.
    return write('update', there, (place) => ({ id: ids[place.at], ...named(place) }))
  }

  return { group, shown: sender.shown, latencyMs: sender.latencyMs }
}
