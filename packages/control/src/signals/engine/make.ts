import { createHash } from 'node:crypto'
import {
  compilePresence,
  consentOf,
  meetsNeeds,
  moneyOf,
  type PlatformDefinition,
  type SignalPlatformSettings,
} from '@tributary/connector-kit'
import {
  compileFilter,
  type NotSentReason,
  type PipelineEvent,
  pathNames,
  type SignalEventId,
  type SignalSettings,
  type SignalValue,
  valueAt,
} from '@tributary/contract'
import type { StoredDefinition } from '../read.ts'
import { type Facts, joinFacts, type KeptFacts, type Touch, touchesOf } from './click-facts.ts'
import { consentReason } from './consent.ts'

/** A platform of a signal, ready to be sent to. */
export type ReadyPlatform = {
  destinationId: string
  definition: PlatformDefinition
  settings: SignalPlatformSettings
}

/** A signal as the engine needs it. */
export type EngineSignal = {
  id: string
  workspaceId: string
  definition: StoredDefinition
  platforms: readonly ReadyPlatform[]
}

/** What a conversion came from. */
export type Origin = 'event' | 'audience' | 'upload' | 'refund'

/** What is known of a person beside the event. */
export type KnownPerson = {
  kept: KeptFacts
  /** When consent was withdrawn last, and not given since, epoch ms. */
  withdrawnAt: number | undefined
}

/** A conversion of a signal that a refund takes back, as it was counted; `before` is what was refunded of it already. */
export type Refunded = { eventTime: number; amount: number | null; currency: string; before: number }

/** What became of a conversion at a platform before its destination is asked. */
export type AtPlatform = { destinationId: string; reason: NotSentReason | ''; identifiers: number }

export type Made = {
  signalId: string
  /** Names it for good, in hex: of one signal each event ID gives the same. */
  key: string
  origin: Origin
  eventId: string
  sourceEvent: string
  eventTime: number
  amount: number | null
  currency: string
  test: boolean
  touches: { first: Touch; last: Touch }
  platforms: readonly AtPlatform[]
  /** The event as it is sent, JSON text. */
  json: string
}

export type MakeOptions = { settings: Pick<SignalSettings, 'without_consent' | 'consent_path'>; now: number }

/** Clocks of devices go a little ahead: such a time is taken for now. */
const aheadMs = 10 * 60_000
const longestId = 300

const idText = (value: unknown): string => {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return text.length <= longestId && text.isWellFormed() ? text : ''
}

const eventIdOf = (event: PipelineEvent, setting: SignalEventId): string =>
  (setting.type === 'path' ? idText(valueAt(event, pathNames(setting.path))) : '') || event.messageId

/** What names a conversion of a signal for good. */
export const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)

const moneyAt = (event: PipelineEvent, value: SignalValue): ReturnType<typeof moneyOf> => {
  if (value.type === 'none') return {}
  if (value.type === 'fixed') return { value: value.amount, currency: value.currency }
  const currency = value.currency_path === '' ? undefined : valueAt(event, pathNames(value.currency_path))
  const told = currency === undefined || currency === null || currency === '' ? value.currency : currency
  return moneyOf(valueAt(event, pathNames(value.amount_path)), told)
}

type Said = {
  money: ReturnType<typeof moneyOf>
  at: number
  consent: ReturnType<typeof consentOf>
  origin: Origin
  /** Whether it happened offline, for which some platforms have another age. */
  offline: boolean
}

const valueReason = (
  { money, origin }: Said,
  platform: PlatformDefinition['conversions']['platform'],
  isPurchase: boolean,
): NotSentReason | undefined => {
  if ('problem' in money) return money.of === 'value' ? 'invalid_value' : 'invalid_currency'
  if (money.value !== undefined && money.currency === undefined && platform !== 'google_ads') return 'invalid_currency'
  return platform === 'meta' && isPurchase && origin !== 'refund' && money.value === undefined
    ? 'invalid_value'
    : undefined
}

const ready = new WeakMap<ReadyPlatform, (event: PipelineEvent, sourceId: string) => number>()

const presenceOf = (signal: EngineSignal, platform: ReadyPlatform) => {
  let made = ready.get(platform)
  if (made === undefined) {
    const place = { workspaceId: signal.workspaceId, destinationId: platform.destinationId }
    made = compilePresence(platform.definition, platform.settings, place)
    ready.set(platform, made)
  }
  return made
}

const atPlatform = (
  signal: EngineSignal,
  platform: ReadyPlatform,
  event: PipelineEvent,
  said: Said,
  { person, options }: { person: KnownPerson; options: MakeOptions },
): AtPlatform => {
  const { conversions } = platform.definition
  const identifiers = presenceOf(signal, platform)(event, signal.id)
  const withdrawn = person.withdrawnAt !== undefined && person.withdrawnAt > said.at && said.consent !== 'denied'
  const oldest = (said.offline ? conversions.maxAgeMs.offline : undefined) ?? conversions.maxAgeMs.online
  const reason =
    (said.origin === 'refund' && conversions.refund === undefined ? 'not_refundable' : undefined) ??
    (event.test && platform.settings.testCode === '' ? 'test_event' : undefined) ??
    consentReason(said.consent, options.settings, { withdrawn, takesDenied: conversions.takesDenied === true }) ??
    (said.at > options.now + aheadMs ? 'in_future' : undefined) ??
    (options.now - said.at > oldest ? 'too_old' : undefined) ??
    valueReason(said, conversions.platform, signal.definition.conversion.type === 'purchase') ??
    (said.origin !== 'refund' && !meetsNeeds(conversions, identifiers) ? 'no_identifier' : undefined)
  return { destinationId: platform.destinationId, reason: reason ?? '', identifiers }
}

const sourceWords = (event: PipelineEvent, origin: Origin): { action_source: string; event_source: string } => {
  if (origin === 'upload' && valueAt(event, ['properties', 'action_source']) === 'physical_store')
    return { action_source: 'physical_store', event_source: 'in_store' }
  // Of a website is what tells its browser and its page: Meta requires both ("Parameters" of the Conversions API).
  const told = (...path: string[]): boolean => {
    const value = valueAt(event, path)
    return typeof value === 'string' && value !== ''
  }
  return told('context', 'userAgent') && told('context', 'page', 'url')
    ? { action_source: 'website', event_source: 'web' }
    : { action_source: 'system_generated', event_source: 'other' }
}

const factValues = (facts: Facts): Record<string, string> =>
  Object.fromEntries(Object.entries(facts).flatMap(([name, { value }]) => (name === 'campaign' ? [] : [[name, value]])))

/** What an event makes by a signal: a conversion, or the refund of one that there is. */
export type Making = {
  signal: EngineSignal
  event: PipelineEvent
  own: Facts
  person: KnownPerson
  origin: Origin
  /** What is taken back; undefined of what is no refund, null where no conversion has the order. */
  refunded?: Refunded | null | undefined
  options: MakeOptions
}

/** What is left of a conversion after a refund, and what was given back. */
const refundMoney = (
  event: PipelineEvent,
  { definition: { refunds } }: EngineSignal,
  refunded: Refunded | null,
): { left: ReturnType<typeof moneyOf>; back: ReturnType<typeof moneyOf> } => {
  const currency = refunded?.currency ?? ''
  const told =
    refunds === null || refunds.amount_path === '' ? undefined : valueAt(event, pathNames(refunds.amount_path))
  const open = refunded === null || refunded.amount === null ? undefined : refunded.amount - refunded.before
  const back = moneyOf(told ?? open, currency)
  if ('problem' in back) return { left: back, back }
  const whole = Math.max(0, (refunded?.amount ?? 0) - (refunded?.before ?? 0))
  const left = Math.max(0, Math.round((whole - (back.value ?? whole)) * 1e6) / 1e6)
  return { left: { value: left, ...(currency === '' ? {} : { currency }) }, back }
}

/** Makes a conversion, with what becomes of it at each platform. The same event gives the same under the same settings. */
export const makeConversion = ({ signal, event, own, person, origin, refunded, options }: Making): Made => {
  const { definition } = signal
  const isRefund = origin === 'refund'
  const eventId =
    isRefund && definition.refunds !== null
      ? idText(valueAt(event, pathNames(definition.refunds.order_path)))
      : eventIdOf(event, definition.event_id)
  const happened = Date.parse(event.timestamp)
  const { left, back } = isRefund
    ? refundMoney(event, signal, refunded ?? null)
    : { left: undefined, back: moneyAt(event, definition.value) }
  const consent = consentOf(valueAt(event, pathNames(options.settings.consent_path)))
  const said: Said = { money: back, at: happened, consent, origin, offline: origin === 'upload' }
  const facts = joinFacts(own, person.kept, happened)
  const key = isRefund ? keyOf(signal.id, 'refund', eventId, event.messageId) : keyOf(signal.id, eventId)
  const conversionId = `${signal.id}-${key}`
  const known = 'problem' in back ? {} : back
  // A platform that restates conversions is told what is left of it, and when that was.
  const restated =
    left === undefined || 'problem' in left || !refunded
      ? {}
      : { remaining_value: left.value, conversion_time: new Date(refunded.eventTime).toISOString() }
  const sent: PipelineEvent = {
    ...event,
    eventId: conversionId,
    messageId: eventId || event.messageId,
    context: {
      ...event.context,
      signal: {
        kind: isRefund ? 'refund' : 'conversion',
        signal: signal.id,
        event_id: eventId,
        time: event.timestamp,
        ...known,
        ...restated,
        ...(consent === 'none' ? {} : { consent: consent === 'granted' }),
        ...sourceWords(event, origin),
        ...factValues(facts),
      },
    },
  }
  const missing = isRefund && (refunded === null || refunded === undefined || eventId === '')
  const platforms = signal.platforms.map((platform): AtPlatform => {
    const found = atPlatform(signal, platform, sent, said, { person, options })
    return missing && found.reason === '' ? { ...found, reason: 'no_order' } : found
  })
  return {
    signalId: signal.id,
    key,
    origin,
    eventId,
    sourceEvent: event.eventId,
    eventTime: happened,
    amount: 'problem' in back ? null : (back.value ?? null),
    currency: 'problem' in back ? '' : (back.currency ?? ''),
    test: event.test,
    touches: touchesOf(own, person.kept, happened),
    platforms,
    json: JSON.stringify(sent),
  }
}

/** Tells whether an event is a conversion of a signal, a refund of one, or neither. */
export type Matcher = (event: PipelineEvent) => 'event' | 'refund' | undefined

/** The events of a signal made ready once; an audience has none. */
export const compileMatcher = ({ trigger, refunds }: StoredDefinition): Matcher => {
  if (trigger.type !== 'events') return () => undefined
  const fits = (event: PipelineEvent, events: typeof trigger.events): boolean =>
    events.some(
      ({ event_type, event_name }) => event.type === event_type && (event_name === '' || event.event === event_name),
    )
  const meets = compileFilter({ match: trigger.filter_match, conditions: trigger.filters })
  return (event) => {
    if (refunds !== null && fits(event, refunds.events)) return 'refund'
    return fits(event, trigger.events) && meets(event) ? 'event' : undefined
  }
}
