import { defineAction, type JsonObject, type OutgoingEvent } from '@tributary/connector-kit'
import { commonFields } from '../fields.ts'
import { distinctId, merging } from '../identity.ts'
import type { Made, Operation } from '../operation.ts'
import { profileChanges, profileFields } from '../profile-changes.ts'
import type { MixpanelSettings } from '../settings.ts'

export const identify = defineAction({
  name: 'identify',
  title: 'Set user profile',
  description: 'Sets traits on the profile of the user, and makes the device’s events the user’s.',
  customTargets: true,
  eventTypes: ['identify'],
  fields: {
    ...commonFields,
    traits: {
      label: 'Traits',
      help: 'The object of all traits. Email, name, phone, and avatar become Mixpanel’s own properties.',
      type: 'object',
      recommended: true,
      kind: 'trait',
    },
    ip: {
      label: 'IP address',
      help: 'Mixpanel derives city, region, and country from it. Without it, they stay as they are.',
      type: 'string',
      kind: 'context',
    },
    ...profileFields,
  },
})

/** Names of Mixpanel's own profile properties (Mixpanel, "Reserved profile properties"), by the names of traits. */
const profileNames: ReadonlyMap<string, string> = new Map([
  ['avatar', '$avatar'],
  ['createdAt', '$created'],
  ['created_at', '$created'],
  ['email', '$email'],
  ['firstName', '$first_name'],
  ['first_name', '$first_name'],
  ['lastName', '$last_name'],
  ['last_name', '$last_name'],
  ['name', '$name'],
  ['phone', '$phone'],
])

/** Returns traits under the names that profiles have for them. */
export const profileOf = (traits: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(traits).map(([name, value]) => [profileNames.get(name) ?? name, value]))

/** Returns the records that set the profile, and merge device and user if the event has both. */
export const identifyOperations = (outgoing: OutgoingEvent, settings: MixpanelSettings): Made => {
  const payload = identify.payloadOf(outgoing)
  const { user_id: user = '', anonymous_id: other = '', ip = '', message_id: messageId, time } = payload
  const id = distinctId(payload, settings)
  if (id === '') return { problem: 'The event has no user ID and no anonymous ID' }
  const token = settings.project_token.trim()
  const profile: Operation = {
    endpoint: 'engage',
    body: {
      $token: token,
      $distinct_id: id,
      ...(ip === '' ? {} : { $ip: ip }),
      $set: profileOf({ ...payload.traits, ...identify.customOf(outgoing) }),
    },
  }
  const leftOut: string[] = []
  const changes = profileChanges(payload, { token, id, ip, time }, leftOut)
  if (user === '' || other === '') return { operations: [profile, ...changes], leftOut }
  return { operations: [merging({ user, other, messageId, time }, settings), profile, ...changes], leftOut }
}
