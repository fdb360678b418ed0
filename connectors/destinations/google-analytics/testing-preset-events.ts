import { compileMappings, type EventOutcome, type MappingPreset, presetMappings } from '@tributary/connector-kit'
import { outgoingEvent, runConnector } from '@tributary/connector-kit/testing'
import { startVendor } from '@tributary/connector-kit/testing-destination'
import { googleAnalytics } from './definition.ts'
import { createAnalytics, measurement, origins, type Sent, secret } from './testing-google-analytics.ts'

type PipelineEvent = Parameters<ReturnType<typeof compileMappings>>[0]
type EventMapping = ReturnType<typeof presetMappings>[number]

/** The time of every event. */
export const minuteAgo = new Date(Date.now() - 60_000).toISOString()
/** The IDs of the mappings. */
export const place = { workspaceId: 'w', destinationId: 'd' }
/** The user agent of the browser. */
export const agent = 'Mozilla/5.0 (X11)'

/** Everything that a browser with the tag of Google sends with an event. */
export const web = {
  ip: '192.0.2.71',
  userAgent: agent,
  locale: 'de-DE',
  page: { url: 'https://shop.example/a', referrer: 'https://search.example/', title: 'Shoes' },
  browserIds: { ga: '123.456', gaSession: '1700000000' },
  traits: { email: 'ada@example.com', phone: '+49 30 1234567' },
  consent: { categoryPreferences: { advertising: true } },
}

/** Returns a track event of an identified user of a website. */
export const track = (event: string, properties: object, more: object = {}): PipelineEvent => ({
  eventId: 'e-1',
  messageId: 'm-1',
  type: 'track',
  event,
  userId: 'user-1',
  properties: { ...properties },
  context: web,
  test: false,
  receivedAt: minuteAgo,
  timestamp: minuteAgo,
  ...more,
})

/** Sends an event with the presets, or with other mappings; returns what Google has counted, and the outcome. */
export const send = async (event: PipelineEvent, mappings?: readonly EventMapping[], settings: object = {}) => {
  const mapped = compileMappings(googleAnalytics, mappings, place)(event, 's')
  if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
  const { answer, counted } = createAnalytics()
  const { asked, rebase } = await startVendor({ origins }, answer)
  const outgoing = outgoingEvent(
    { messageId: event.messageId, event: event.event },
    { action: mapped.action, payload: mapped.payload ?? {} },
  )
  const all = { measurement_id: measurement, api_secret: secret, ...settings }
  const { outcomes } = await runConnector(googleAnalytics, all, [outgoing], { rebase })
  const [sent] = counted
  return {
    sent,
    name: sent?.events?.[0]?.name,
    params: sent?.events?.[0]?.params ?? {},
    outcome: (outcomes as readonly EventOutcome[])[0],
    body: asked[0]?.body as Sent | undefined,
    problems: mapped.problems,
  }
}

/** The mappings of the presets with other fields, as a user would change them. */
export const changed = (eventName: string, fields: MappingPreset['fields']): EventMapping[] =>
  presetMappings({
    ...googleAnalytics,
    presets: googleAnalytics.presets
      .filter((each) => each.eventName === eventName)
      .map((each) => ({ ...each, fields: { ...each.fields, ...fields } })),
  })
