import { createHash } from 'node:crypto'
import {
  compilePresence,
  consentOf,
  defaultText,
  type EventProfile,
  meetsNeeds,
  moneyOf,
  type PlatformDefinition,
  type SignalPlatformSettings,
} from '@tributary/connector-kit'
import {
  type NotSentReason,
  type PersonDataPaths,
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
import { matcherOf } from './matcher.ts'
import { consentedProfile, isByHiddenProfile, isWithdrawn, profileValues } from './profile-use.ts'

/** A platform of a signal, ready for sending. */
export type ReadyPlatform = {
  destinationId: string
  definition: PlatformDefinition
  settings: SignalPlatformSettings
  /** The settings of the destination without secrets, which have the defaults of fields. */
  destinationSettings: Readonly<Record<string, unknown>>
  /** The consent that the destination requires. */
  consentCategories: readonly string[]
  /** The paths at which the workspace has the data of people. */
  personData: PersonDataPaths
}

/** A signal as the engine needs it. */
export type EngineSignal = {
  id: string
  workspaceId: string
  definition: StoredDefinition
  platforms: readonly ReadyPlatform[]
}

/** The origin of a conversion. */
export type Origin = 'event' | 'audience' | 'upload' | 'refund'

/** Stored data of a person that is not in the event. */
export type KnownPerson = {
  kept: StoredFacts
  /** When consent was last withdrawn and not given again, epoch ms. */
  withdrawnAt: number | undefined
}

/**
 * A refunded conversion of a signal, with the amount and currency that were counted. `before` is the sum of earlier
 * refunds in this currency. Destinations in `denied` did not get the conversion for lack of consent.
 */
export type Refunded = { eventTime: number; amount: number | null; currency: string; before: number; denied: string[] }

/** The result of a conversion for a platform, before its destination is called. */
export type AtPlatform = { destinationId: string; reason: NotSentReason | ''; identifiers: number }

export type MadeConversion = {
  signalId: string
  /** The permanent key, in hex. The same event ID of a signal always gives the same key. */
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
  /** The event that is sent, as JSON text. */
  json: string
}

export type MakeOptions = { settings: Pick<SignalSettings, 'without_consent' | 'consent_path'>; now: number }

/** Maximum time in ms by which the time of an event may be ahead. A conversion that is ahead by more is not sent. */
const aheadMs = 10 * 60_000
const longestId = 300

/**
 * Returns the text of an ID, or of a number with all its digits. Returns '' for any other value, and for a text that is
 * too long.
 */
export const idText = (value: unknown): string => {
  const isNumber = typeof value === 'number' || value instanceof ExactNumber
  const text = isNumber ? numberText(String(value)) : typeof value === 'string' ? value.trim() : ''
  return text.length <= longestId && text.isWellFormed() ? text : ''
}

const eventIdOf = (event: PipelineEvent, setting: SignalEventId): string =>
  (setting.type === 'path' ? idText(valueAt(event, pathNames(setting.path))) : '') || event.messageId

/** Returns the permanent key of a conversion of a signal. */
export const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)

const moneyAt = (event: PipelineEvent, value: SignalValue): ReturnType<typeof moneyOf> => {
  if (value.type === 'none') return {}
  if (value.type === 'fixed') return { value: value.amount, currency: value.currency }
  const currency = value.currency_path === '' ? undefined : valueAt(event, pathNames(value.currency_path))
  const told = currency === undefined || currency === null || currency === '' ? value.currency : currency
  return moneyOf(valueAt(event, pathNames(value.amount_path)), told)
}

/** What an event says of a conversion, before platforms are asked. */
export type Said = {
  money: ReturnType<typeof moneyOf>
  at: number
  consent: ReturnType<typeof consentOf>
  origin: Origin
  /** Whether the conversion happened offline. Some platforms have a different maximum age for offline conversions. */
  offline: boolean
  /**
   * The reason why a refund is not deducted from its order. `refund_currency` excludes only platforms that would
   * receive the remaining value.
   */
  refusal: RefundRefusal | undefined
  /** The destinations that did not get the refunded conversion for lack of consent. */
  denied: readonly string[] | undefined
}

/** The reasons why a refund is not deducted from its order. */
type RefundRefusal = Extract<NotSentReason, 'no_order' | 'refund_currency' | 'refund_too_large'>

const refundReason = (
  { origin, refusal }: Said,
  { refund }: PlatformDefinition['conversions'],
): NotSentReason | undefined => {
  if (origin !== 'refund') return undefined
  if (refund === undefined) return 'not_refundable'
  // A platform that receives the refunded amount, and not the rest of the order, accepts any currency.
  return refusal === 'refund_currency' && refund.restates !== true ? undefined : refusal
}

/** Whether a destination has a default for the currency of events without one. */
const hasDefaultCurrency = ({ definition, destinationSettings }: ReadyPlatform): boolean => {
  const action = definition.actions.find(({ name }) => name === definition.conversions.action)
  const setting = action?.targets.find(({ name }) => name === 'currency')?.default?.setting
  return defaultText(setting, destinationSettings) !== ''
}

const valueReason = ({ money, origin }: Said, ready: ReadyPlatform, isPurchase: boolean): NotSentReason | undefined => {
  const { platform } = ready.definition.conversions
  if ('problem' in money) return money.of === 'value' ? 'invalid_value' : 'invalid_currency'
  const lacksCurrency = money.value !== undefined && money.currency === undefined
  if (lacksCurrency && platform !== 'google_ads' && !hasDefaultCurrency(ready)) return 'invalid_currency'
  return platform === 'meta' && isPurchase && origin !== 'refund' && money.value === undefined
    ? 'invalid_value'
    : undefined
}

const ready = new WeakMap<ReadyPlatform, (event: PipelineEvent, sourceId: string) => number>()

const presenceOf = (signal: EngineSignal, platform: ReadyPlatform) => {
  let made = ready.get(platform)
  if (made === undefined) {
    const { destinationId, destinationSettings: settings, consentCategories, personData } = platform
    const place = { workspaceId: signal.workspaceId, destinationId, settings, personData }
    made = compilePresence(platform.definition, platform.settings, place, consentCategories)
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
  const withdrawn = isWithdrawn(person, said)
  const oldest = (said.offline ? conversions.maxAgeMs.offline : undefined) ?? conversions.maxAgeMs.online
  const reason =
    refundReason(said, conversions) ??
    (event.test && platform.settings.testCode === '' ? 'test_event' : undefined) ??
    consentReason(said.consent, options.settings, { withdrawn, takesDenied: conversions.takesDenied === true }) ??
    (said.denied?.includes(platform.destinationId) === true ? 'no_consent' : undefined) ??
    (isByHiddenProfile(signal, platform, event, said) ? 'no_consent' : undefined) ??
    (said.at > options.now + aheadMs ? 'in_future' : undefined) ??
    (options.now - said.at > oldest ? 'too_old' : undefined) ??
    valueReason(said, platform, signal.definition.conversion.type === 'purchase') ??
    (said.origin !== 'refund' && !meetsNeeds(conversions, identifiers) ? 'no_identifier' : undefined)
  return { destinationId: platform.destinationId, reason: reason ?? '', identifiers }
}

const sourceWords = (event: PipelineEvent, origin: Origin): { action_source: string; event_source: string } => {
  if (origin === 'upload' && valueAt(event, ['properties', 'action_source']) === 'physical_store')
    return { action_source: 'physical_store', event_source: 'in_store' }
  // The action source `website` requires the user agent and the URL of the page (Meta, "Parameters" of the Conversions
  // API).
  const told = (...path: string[]): boolean => {
    const value = valueAt(event, path)
    return typeof value === 'string' && value !== ''
  }
  return told('context', 'userAgent') && told('context', 'page', 'url')
    ? { action_source: 'website', event_source: 'web' }
    : { action_source: 'system_generated', event_source: 'other' }
}

/** The names under which libraries write the data of a product. */
const productNames =
  'product_id item_id content_id sku name item_name title brand item_brand category item_category variant item_variant coupon price item_price quantity position'.split(
    ' ',
  )
/** Maximum characters of each text of a product. */
const longestText = 500

/**
 * Returns the data of a product in the properties of an event without a list of products; undefined if there is none.
 * Destinations map it, because the whole properties would be copied for each of them.
 */
const productOf = ({ properties }: PipelineEvent): Record<string, unknown> | undefined => {
  const list = properties?.['products']
  if (properties === undefined || (Array.isArray(list) && list.length > 0)) return undefined
  const product: Record<string, unknown> = {}
  for (const name of productNames) {
    const value = properties[name]
    const isNumber = typeof value === 'number' || value instanceof ExactNumber
    if (isNumber || (typeof value === 'string' && value.length <= longestText)) product[name] = value
  }
  return Object.keys(product).length === 0 ? undefined : product
}

const factValues = (facts: Facts): Record<string, string> =>
  Object.fromEntries(Object.entries(facts).flatMap(([name, { value }]) => (name === 'campaign' ? [] : [[name, value]])))

/** The input for one conversion, or for the refund of an existing one. */
export type ConversionInput = {
  signal: EngineSignal
  event: PipelineEvent
  own: Facts
  person: KnownPerson
  origin: Origin
  /** The refunded conversion. Undefined if the event is not a refund, null if no conversion has the order. */
  refunded?: Refunded | null | undefined
  /** The profile of the person, as signals use it; absent if it was not read. */
  profile?: EventProfile | undefined
  options: MakeOptions
}

/** The refunded amount, the rest of the order, and the reason if the refund is not deducted from the order. */
type RefundSums = {
  back: ReturnType<typeof moneyOf>
  /** The rest of the order; absent if the refund has another currency, or is not of a known order. */
  left?: number
  refusal: RefundRefusal | undefined
}

/** Rounds an amount to a millionth, so that sums do not collect rounding errors. */
const rounded = (amount: number): number => Math.round(amount * 1e6) / 1e6

/** Returns the currency in a refund event, at the path where conversions have it; undefined if absent. */
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
  // A refund of a whole order that is already refunded completely would have the amount 0.
  const isOfNothing = isWhole && open === 0 && refunded.before > 0
  const isTooLarge = isOfNothing || (open !== undefined && left < 0)
  return { back, left: Math.max(0, left), refusal: isTooLarge ? 'refund_too_large' : undefined }
}

const eventConsent = (event: PipelineEvent, { settings }: MakeOptions): ReturnType<typeof consentOf> =>
  consentOf(valueAt(event, pathNames(settings.consent_path)))

/**
 * Whether an event that the matcher of a signal accepts is a conversion, by the conditions on the profile. Everything
 * that is no event of a trigger is.
 */
export const isConversion = ({ signal, event, person, origin, profile, options }: ConversionInput): boolean => {
  const said = { at: Date.parse(event.timestamp), consent: eventConsent(event, options) }
  return origin !== 'event' || matcherOf(signal.definition).meets(event, consentedProfile(profile, person, said))
}

/**
 * Makes a conversion, with its result for each platform. The same event gives the same conversion under the same
 * settings.
 */
export const makeConversion = ({
  signal,
  event,
  own,
  person,
  origin,
  refunded,
  profile,
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
  const consent = eventConsent(event, options)
  const denied = refunded?.denied
  const said: Said = { money: back, at: happened, consent, origin, offline: origin === 'upload', refusal, denied }
  const facts = joinFacts(own, person.kept, happened)
  const key = isRefund ? keyOf(signal.id, 'refund', eventId, event.messageId) : keyOf(signal.id, eventId)
  const conversionId = `${signal.id}-${key}`
  const known = 'problem' in back ? {} : back
  // A platform that restates conversions receives the remaining value of the order, and the time of the refunded
  // conversion.
  const restated =
    left === undefined || !refunded
      ? {}
      : { remaining_value: left, conversion_time: new Date(refunded.eventTime).toISOString() }
  const product = productOf(event)
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
        ...(product === undefined ? {} : { product }),
        ...profileValues(consentedProfile(profile, person, said)),
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
