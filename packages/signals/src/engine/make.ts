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
import { ExactNumber, numberText } from '@tributary/kernel'
import type { StoredDefinition } from '../read.ts'
import { type Facts, joinFacts, type StoredFacts, type Touch, touchPointsOf } from './click-facts.ts'
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

/** The stored facts of a person, which the event does not have. */
export type KnownPerson = {
  kept: StoredFacts
  /** When consent was withdrawn last, and not given since, epoch ms. */
  withdrawnAt: number | undefined
}

/** A refunded conversion of a signal, as it was counted; `before` is the sum of earlier refunds, in its currency. */
export type Refunded = { eventTime: number; amount: number | null; currency: string; before: number }

/** What became of a conversion at a platform before its destination is asked. */
export type AtPlatform = { destinationId: string; reason: NotSentReason | ''; identifiers: number }

export type MadeConversion = {
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

/** The text of an ID, of a number to the digit; empty for any other value, and for a text that is too long. */
export const idText = (value: unknown): string => {
  const isNumber = typeof value === 'number' || value instanceof ExactNumber
  const text = isNumber ? numberText(String(value)) : typeof value === 'string' ? value.trim() : ''
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
  /** Why a refund takes nothing back; `refund_currency` where no platform can be sent the rest. */
  refusal: RefundRefusal | undefined
}

/** Why a refund is not taken off its order. */
type RefundRefusal = Extract<NotSentReason, 'no_order' | 'refund_currency' | 'refund_too_large'>

const refundReason = (
  { origin, refusal }: Said,
  { refund }: PlatformDefinition['conversions'],
): NotSentReason | undefined => {
  if (origin !== 'refund') return undefined
  if (refund === undefined) return 'not_refundable'
  // The currency does not matter to a platform that takes the refunded amount.
  return refusal === 'refund_currency' && refund.restates !== true ? undefined : refusal
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
    refundReason(said, conversions) ??
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
  // A website needs browser and page: Meta requires both ("Parameters" of the Conversions API).
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
export type ConversionInput = {
  signal: EngineSignal
  event: PipelineEvent
  own: Facts
  person: KnownPerson
  origin: Origin
  /** The refunded conversion; undefined for an event that is no refund, null where no conversion has the order. */
  refunded?: Refunded | null | undefined
  options: MakeOptions
}

/** What a refund gives back and leaves, and why it is not taken off its order. */
type RefundSums = {
  back: ReturnType<typeof moneyOf>
  /** Absent where the order has another currency. */
  left?: number
  refusal: RefundRefusal | undefined
}

/** An amount in millionths, in which sums are exact. */
const rounded = (amount: number): number => Math.round(amount * 1e6) / 1e6

/** The currency that a refund names itself, where conversions have theirs; undefined where it names none. */
const ownCurrency = (event: PipelineEvent, { value }: StoredDefinition): unknown => {
  const path = value.type === 'event' && value.currency_path !== '' ? value.currency_path : 'properties.currency'
  const told = valueAt(event, pathNames(path))
  return told === null || told === '' ? undefined : told
}

const refundSums = (event: PipelineEvent, definition: StoredDefinition, refunded: Refunded | null): RefundSums => {
  const { refunds } = definition
  const told =
    refunds === null || refunds.amount_path === '' ? undefined : valueAt(event, pathNames(refunds.amount_path))
  const isWhole = told === undefined || told === null || told === ''
  if (refunded === null) return { back: moneyOf(told, ownCurrency(event, definition)), refusal: 'no_order' }
  const open = refunded.amount === null ? undefined : rounded(Math.max(0, refunded.amount - refunded.before))
  const currency = isWhole ? refunded.currency : (ownCurrency(event, definition) ?? refunded.currency)
  const back = moneyOf(isWhole ? open : told, currency)
  if (Date.parse(event.timestamp) < refunded.eventTime) return { back, refusal: 'no_order' }
  if ('problem' in back) return { back, refusal: undefined }
  const isOther = back.currency !== undefined && refunded.currency !== '' && back.currency !== refunded.currency
  if (isOther) return { back, refusal: 'refund_currency' }
  const left = rounded((open ?? 0) - (back.value ?? open ?? 0))
  // A refund of the whole order, of which nothing is left, would be one of 0.
  const isOfNothing = isWhole && open === 0 && refunded.before > 0
  const isTooLarge = isOfNothing || (open !== undefined && left < 0)
  return { back, left: Math.max(0, left), refusal: isTooLarge ? 'refund_too_large' : undefined }
}

/** Makes a conversion, with what becomes of it at each platform. The same event gives the same under the same settings. */
export const makeConversion = ({
  signal,
  event,
  own,
  person,
  origin,
  refunded,
  options,
}: ConversionInput): MadeConversion => {
  const { definition } = signal
  const isRefund = origin === 'refund'
  const eventId =
    isRefund && definition.refunds !== null
      ? idText(valueAt(event, pathNames(definition.refunds.order_path)))
      : eventIdOf(event, definition.event_id)
  const happened = Date.parse(event.timestamp)
  const { back, left, refusal }: RefundSums = isRefund
    ? refundSums(event, definition, eventId === '' ? null : (refunded ?? null))
    : { back: moneyAt(event, definition.value), refusal: undefined }
  const consent = consentOf(valueAt(event, pathNames(options.settings.consent_path)))
  const said: Said = { money: back, at: happened, consent, origin, offline: origin === 'upload', refusal }
  const facts = joinFacts(own, person.kept, happened)
  const key = isRefund ? keyOf(signal.id, 'refund', eventId, event.messageId) : keyOf(signal.id, eventId)
  const conversionId = `${signal.id}-${key}`
  const known = 'problem' in back ? {} : back
  // A platform that restates conversions receives the rest of the value, and the time of the conversion.
  const restated =
    left === undefined || !refunded
      ? {}
      : { remaining_value: left, conversion_time: new Date(refunded.eventTime).toISOString() }
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
  const platforms = signal.platforms.map((platform) => atPlatform(signal, platform, sent, said, { person, options }))
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
    touches: touchPointsOf(own, person.kept, happened),
    platforms,
    json: JSON.stringify(sent),
  }
}

/** Decides whether an event is a conversion of a signal, a refund of one, or neither. */
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
