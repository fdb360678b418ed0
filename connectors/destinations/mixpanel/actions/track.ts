import { defineAction, type OutgoingEvent } from '@tributary/connector-kit'
import { trackFields, trackRecords } from '../event.ts'
import type { Made } from '../operation.ts'
import type { MixpanelSettings } from '../settings.ts'

export const track = defineAction({
  name: 'track',
  title: 'Track event',
  description: 'Adds an event with its properties to Mixpanel.',
  customTargets: true,
  fields: trackFields,
})

/** Returns the event in Mixpanel's import format, or the reason why it exceeds Mixpanel's limits. */
export const trackOperations = (outgoing: OutgoingEvent, settings: MixpanelSettings): Made =>
  trackRecords(track.payloadOf(outgoing), track.customOf(outgoing), settings)
