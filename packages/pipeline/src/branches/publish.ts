import type { LiveEventSummary } from '@tributary/contract'
import type { Clock, Metrics } from '@tributary/kernel'
import { cutText, isRecord } from '@tributary/kernel'
import type { Coordination } from '@tributary/storage'
import type { LiveEvent } from '../process.ts'
import { reasonText } from '../rows/rows.ts'
import type { PipelineSettings } from '../settings.ts'

/** Topics of coordination between the pipeline and the gateway. */
export const livePublishTopic = 'live.publish'
export const liveOccupiedTopic = 'live.occupied'

export type PublishBranch = {
  /** Whether the source has viewers: its channel is in the last reported set. */
  isWatched(sourceId: string): boolean
  /**
   * Publishes summaries of a micro-batch, without a guarantee. Events beyond the size or rate of messages are counted
   * as skipped.
   */
  add(sourceId: string, events: readonly LiveEvent[]): void
  /** Publishes waiting summaries and stops listening. */
  close(): void
}

export type PublishDeps = {
  coordination: Pick<Coordination, 'publish' | 'subscribe'>
  clock: Clock
  metrics: Metrics
  settings: Pick<PipelineSettings, 'liveMs' | 'liveBytes'>
}

const channelOf = (sourceId: string): string => `private-sources-${sourceId}`

const cut = (text: string, length: number): string => (text.length <= length ? text : `${cutText(text, length - 1)}…`)

/** Returns the summary of an event for the live view, with long texts cut. */
export const summaryOf = ({ raw, event, rejected, status, fit }: LiveEvent): LiveEventSummary => {
  const type = event?.type
  const summary: LiveEventSummary = {
    eventId: raw.eventId,
    messageId: cut(event?.messageId ?? '', 100),
    type: type === undefined || type === '' ? 'track' : type,
    title: cut(event === undefined ? '' : event.event === '' ? event.type : event.event, 200).toWellFormed(),
    test: event?.test ?? false,
    receiveTime: raw.request.receivedAt,
    status: rejected !== undefined ? 'rejected' : (status ?? 'accepted'),
  }
  if (event !== undefined && event.userId !== '') summary.userId = cut(event.userId, 100)
  if (event !== undefined && event.anonymousId !== '') summary.anonymousId = cut(event.anonymousId, 100)
  if (fit !== undefined) {
    summary.compatibility = fit.compatibility
    summary.schemaVersion = fit.version
  }
  const reason = rejected === undefined ? (event?.note ?? '') : reasonText(rejected)
  if (reason !== '') summary.reason = cut(reason, 200)
  return summary
}

/** Maximum number of characters of a value. */
const longestValue = 60
/** Maximum number of characters of all values of an event together, with their names. */
const valuesLength = 400

type Short = NonNullable<LiveEventSummary['values']>[string]

const isShort = (value: unknown): value is Short =>
  typeof value === 'string'
    ? value.length <= longestValue
    : value === null || typeof value === 'number' || typeof value === 'boolean'

/**
 * Returns the short validated values, in the order in which the event has them; undefined if parsing changed a number.
 */
const valuesOf = ({ event, rejected }: LiveEvent): LiveEventSummary['values'] => {
  if (event?.validated === undefined || event.exact !== undefined || rejected !== undefined) return undefined
  const values: [string, Short][] = []
  let remaining = valuesLength
  for (const name in event.validated) {
    const value = event.validated[name]
    if (!isShort(value)) continue
    remaining -= name.length + (typeof value === 'string' ? value.length : 5)
    if (remaining < 0) break
    values.push([name, value])
  }
  return values.length === 0 ? undefined : Object.fromEntries(values)
}

/** Bytes of a value in a message, whose data is JSON inside a JSON string. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(value)))

/** Bytes of the member name `values` in a message, with its punctuation. */
const valuesKeyBytes = 16

/**
 * Bytes that every message takes in addition to its summaries: the envelope of the protocol, the name of the channel,
 * and the keys of the message.
 */
const envelopeBytes = 300

type Channel = {
  summaries: LiveEventSummary[]
  /** The events that `summaries` describe. */
  events: LiveEvent[]
  bytes: number
  skipped: number
  lastAt: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Adds the values of events to their summaries while the message has space, beginning with the newest event. No event
 * is left out to make space for values.
 */
const addValues = ({ summaries, events, bytes }: Channel, liveBytes: number): void => {
  let remaining = liveBytes - bytes
  for (let index = summaries.length - 1; index >= 0; index--) {
    const [summary, event] = [summaries[index], events[index]]
    const values = event === undefined ? undefined : valuesOf(event)
    if (summary === undefined || values === undefined) continue
    remaining -= bytesOf(values) + valuesKeyBytes
    if (remaining < 0) return
    summary.values = values
  }
}

/**
 * Each gateway reports its watched channels every two seconds. A gateway without a report for this time counts as gone.
 */
const gatewayLifeMs = 10_000

/** The channels that any gateway watches, by the last report of each gateway. */
const createWatched = (clock: Clock) => {
  const gateways = new Map<string, { names: ReadonlySet<string>; at: number }>()
  let all: ReadonlySet<string> = new Set()
  return {
    has: (name: string): boolean => all.has(name),
    report(message: unknown): boolean {
      if (!isRecord(message) || !('channels' in message) || !Array.isArray(message.channels)) return false
      const names = new Set(message.channels.filter((name) => typeof name === 'string'))
      const now = clock()
      gateways.set('gateway' in message ? String(message.gateway) : '', { names, at: now })
      for (const [gateway, { at }] of gateways) if (now - at > gatewayLifeMs) gateways.delete(gateway)
      all = gateways.size === 1 ? names : new Set([...gateways.values()].flatMap((each) => [...each.names]))
      return true
    },
  }
}

/**
 * The live branch sends at most one message per channel every `liveMs`. A message has at most `liveBytes` on the
 * socket, where its data is JSON inside a JSON string. Channels without viewers cost nothing.
 */
export const createPublishBranch = ({ coordination, clock, metrics, settings }: PublishDeps): PublishBranch => {
  const watched = createWatched(clock)
  const channels = new Map<string, Channel>()

  const forget = (name: string, channel: Channel): void => {
    clearTimeout(channel.timer)
    channels.delete(name)
  }

  const unsubscribe = coordination.subscribe(liveOccupiedTopic, (message) => {
    if (!watched.report(message)) return
    for (const [name, channel] of channels) if (!watched.has(name)) forget(name, channel)
  })

  const send = (name: string, channel: Channel): void => {
    clearTimeout(channel.timer)
    channel.timer = undefined
    if (channel.summaries.length === 0 && channel.skipped === 0) return
    addValues(channel, settings.liveBytes)
    const data = { events: channel.summaries, skipped: channel.skipped }
    coordination.publish(livePublishTopic, { channel: name, event: 'events', data })
    channel.summaries = []
    channel.events = []
    channel.bytes = envelopeBytes
    channel.skipped = 0
    channel.lastAt = clock()
  }

  return {
    isWatched: (sourceId) => watched.has(channelOf(sourceId)),

    add(sourceId, events) {
      const name = channelOf(sourceId)
      if (!watched.has(name) || events.length === 0) return
      let channel = channels.get(name)
      if (channel === undefined) {
        const lastAt = Number.NEGATIVE_INFINITY
        channel = { summaries: [], events: [], bytes: envelopeBytes, skipped: 0, lastAt, timer: undefined }
        channels.set(name, channel)
      }
      let full = false
      for (const event of events) {
        if (!full) {
          const summary = summaryOf(event)
          const bytes = bytesOf(summary)
          full = channel.bytes + bytes > settings.liveBytes
          if (!full) {
            channel.summaries.push(summary)
            channel.events.push(event)
            channel.bytes += bytes
            continue
          }
        }
        channel.skipped++
      }
      if (full) metrics.count('pipeline_live_skipped', 1)
      const wait = channel.lastAt + settings.liveMs - clock()
      if (wait <= 0) send(name, channel)
      else channel.timer ??= setTimeout(send, wait, name, channel)
    },

    close() {
      unsubscribe()
      for (const [name, channel] of channels) {
        send(name, channel)
        forget(name, channel)
      }
    },
  }
}
