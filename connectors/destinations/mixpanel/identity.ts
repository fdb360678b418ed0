import { createHash } from 'node:crypto'
import type { JsonObject } from '@tributary/connector-kit'
import type { Operation } from './operation.ts'
import type { MixpanelSettings } from './settings.ts'

/** The person of an event: a user, a device, or both. */
export type Person = { readonly user_id?: string; readonly anonymous_id?: string }

/**
 * Returns the ID of a person's events and profiles. With simplified ID merge, a device without a known user has a
 * prefix (Mixpanel, "Simplified ID Merge"); '' without a person.
 */
export const distinctId = (
  { user_id: user = '', anonymous_id: device = '' }: Person,
  { identity }: Pick<MixpanelSettings, 'identity'>,
): string => {
  if (user !== '' || device === '') return user
  return identity === 'simplified' ? `$device:${device}` : device
}

/**
 * Returns the properties that assign an event to its person. With simplified ID merge, user and device are sent in
 * addition to the ID.
 */
export const personOf = (person: Person, settings: Pick<MixpanelSettings, 'identity'>): JsonObject => {
  const { user_id: user = '', anonymous_id: device = '' } = person
  return {
    distinct_id: distinctId(person, settings),
    ...(settings.identity === 'simplified' && user !== '' ? { $user_id: user } : {}),
    ...(settings.identity === 'simplified' && device !== '' ? { $device_id: device } : {}),
  }
}

/**
 * Returns the ID by which Mixpanel drops repeated events (Mixpanel, "Import Events", $insert_id: at most 36 letters,
 * digits and hyphens). It is the message ID if that is valid, otherwise a hash of the message ID.
 */
export const insertId = (messageId: string): string =>
  /^[A-Za-z0-9-]{1,36}$/.test(messageId) ? messageId : createHash('sha256').update(messageId).digest('hex').slice(0, 36)

/**
 * Returns the record that joins the events of two IDs to one person: an event with both IDs, or a merge for projects
 * with the original ID merge.
 */
export const merging = (
  { user, other, messageId, time }: { user: string; other: string; messageId: string; time: string },
  settings: Pick<MixpanelSettings, 'identity'>,
): Operation => ({
  endpoint: 'import',
  body:
    settings.identity === 'original'
      ? { event: '$merge', properties: { $distinct_ids: [other, user] } }
      : {
          event: '$identify',
          properties: {
            ...personOf({ user_id: user, anonymous_id: other }, settings),
            time: Date.parse(time),
            $insert_id: insertId(messageId),
          },
        },
})
