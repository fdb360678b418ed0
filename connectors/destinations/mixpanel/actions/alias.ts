import { defineAction, type OutgoingEvent } from '@tributary/connector-kit'
import { commonFields } from '../fields.ts'
import { merging } from '../identity.ts'
import type { Made } from '../operation.ts'
import type { MixpanelSettings } from '../settings.ts'

const { anonymous_id: _anonymous, user_id: user, ...event } = commonFields

export const alias = defineAction({
  name: 'alias',
  title: 'Merge IDs',
  description: 'Makes the events of a previous ID those of the user.',
  eventTypes: ['alias'],
  fields: {
    user_id: { ...user, help: 'The ID that stays.', required: true },
    previous_id: {
      label: 'Previous ID',
      help: 'With simplified ID merge, the ID of a device. Two users cannot be merged.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'identity',
    },
    ...event,
  },
})

/** Returns the records that merge the two IDs. */
export const aliasOperations = (outgoing: OutgoingEvent, settings: MixpanelSettings): Made => {
  const payload = alias.payloadOf(outgoing)
  const { user_id: id, previous_id: other, message_id: messageId, time } = payload
  return { operations: [merging({ user: id, other, messageId, time }, settings)] }
}
