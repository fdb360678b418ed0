import {
  compileMappings,
  type DestinationDefinition,
  type EventOutcome,
  type OutgoingEvent,
} from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, type VendorRequest } from '@tributary/connector-kit/testing-destination'

/** An event as mappings receive it. */
type ReceivedEvent = Parameters<ReturnType<typeof compileMappings>>[0]

/** A destination with its settings and the simulated vendor. */
export type Peer = {
  definition: DestinationDefinition
  origin: string
  settings: Record<string, unknown>
  answer: (request: VendorRequest) => PeerAnswer
  accessToken?: () => Promise<string>
}

/** Returns an event of a minute ago with a user ID. */
export const receivedEvent = (event: string, changes: Partial<ReceivedEvent> = {}): ReceivedEvent => {
  const minuteAgo = new Date(Date.now() - 60_000).toISOString()
  return {
    eventId: '0-00000000000000000001-00000',
    messageId: 'm-1',
    type: 'track',
    event,
    userId: 'u1',
    properties: {},
    context: {},
    test: false,
    receivedAt: minuteAgo,
    timestamp: minuteAgo,
    ...changes,
  }
}

/** Returns the event as the presets of a new destination map it. Throws if no preset matches or a field fails. */
export const byPresets = (definition: DestinationDefinition, event: ReceivedEvent): OutgoingEvent => {
  const map = compileMappings(definition, undefined, { workspaceId: 'w', destinationId: 'd' })
  const mapped = map(event, 's', JSON.stringify(event))
  if (mapped.kind !== 'mapped') throw new Error(`${event.event}: ${JSON.stringify(mapped)}`)
  return outgoingEvent(
    { messageId: event.messageId, type: event.type },
    { action: mapped.action, payload: mapped.payload ?? {} },
  )
}

/** Sends events to the simulated vendor, and returns its requests and the outcomes. */
export const sendTo = async (
  { definition, origin, settings, answer, accessToken }: Peer,
  events: readonly OutgoingEvent[],
): Promise<{ asked: readonly VendorRequest[]; outcomes: readonly EventOutcome[] }> => {
  const { asked, rebase } = await startVendor({ origins: [origin] }, answer)
  const { outcomes } = await runConnector(definition, settings, events, {
    rebase,
    ...(accessToken === undefined ? {} : { accessToken }),
  })
  if ('kind' in outcomes) throw new Error('One outcome for all events')
  return { asked, outcomes }
}
