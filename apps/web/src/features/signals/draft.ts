import {
  conversionNames,
  type EventConditions,
  type EventType,
  eventPath,
  fieldMapping,
  genericTitle,
  type Signal,
  type SignalConversion,
  type SignalDefinition,
  type SignalPlatformInput,
  type SignalRefunds,
  type SignalTrigger,
  type SignalValue,
  signalLimits,
  standardConversions,
} from '@tributary/contract'
import { conditionProblems } from '../../lib/events/condition-words.ts'

/** An event that feeds a signal: a type, and a name if the type has one; '' means any name. */
export type DraftEvent = { event_type: EventType; event_name: string }

/** The entered values of a signal, in the form in which its fields have them. */
export type SignalDraft = {
  /** Undefined until a user enters a title: until then, the title follows from the other choices. */
  title: string | undefined
  trigger: 'events' | 'audience'
  sources: readonly string[]
  events: readonly DraftEvent[]
  filters: EventConditions
  audience: string
  conversion: SignalConversion
  value: { type: SignalValue['type']; amount: string; amountPath: string; currencyPath: string; currency: string }
  eventId: { type: 'message_id' | 'path'; path: string }
  refunds: { on: boolean; events: readonly DraftEvent[]; orderPath: string; amountPath: string }
  platforms: readonly SignalPlatformInput[]
}

const track = (event_name: string): DraftEvent => ({ event_type: 'track', event_name })

/** The initial values of a new signal: orders of a shop, with names of the commerce schema. */
export const emptyDraft: SignalDraft = {
  title: undefined,
  trigger: 'events',
  sources: [],
  events: [track('Order Completed')],
  filters: { match: 'all', conditions: [] },
  audience: '',
  conversion: { type: 'purchase', custom_name: '' },
  value: {
    type: 'event',
    amount: '',
    amountPath: 'properties.total',
    currencyPath: 'properties.currency',
    currency: 'USD',
  },
  eventId: { type: 'path', path: 'properties.order_id' },
  refunds: { on: false, events: [track('Order Refunded')], orderPath: 'properties.order_id', amountPath: '' },
  platforms: [],
}

/** The parts of a signal in the order of the steps. For a saved signal, each part is saved separately. */
export const parts = ['trigger', 'conversion', 'value', 'event_id', 'platforms'] as const
export type Part = (typeof parts)[number]

/** The steps to a new signal. */
export const steps = [...parts, 'review'] as const
export type Step = (typeof steps)[number]

/** The title of each step. */
export const stepTitles: Readonly<Record<Step, string>> = {
  trigger: 'Events',
  conversion: 'Conversion',
  value: 'Value',
  event_id: 'Event ID',
  platforms: 'Platforms',
  review: 'Review',
}

/** The conversions that usually have a value. For all other conversions, no value is suggested. */
const hasValue = new Set<SignalConversion['type']>([
  'purchase',
  'add_to_cart',
  'initiate_checkout',
  'add_payment_info',
  'subscribe',
  'start_trial',
])

/** The path of a conversion's value in events of the commerce schema. */
const usualAmount = (type: SignalConversion['type']): string =>
  type === 'purchase' ? 'properties.total' : 'properties.value'

/** Returns the conversion that an event of the commerce schema usually stands for; for all other events a purchase. */
const usualConversion = (events: readonly DraftEvent[]): SignalConversion['type'] =>
  standardConversions.find(
    (type) => type !== 'custom' && events.some(({ event_name }) => conversionNames[type].events.includes(event_name)),
  ) ?? 'purchase'

/**
 * Chooses another conversion. If its kind differs, the value and the event ID get new suggestions. The platforms keep
 * their values except for the event name, which belongs to the previous conversion.
 */
export const withConversion = (draft: SignalDraft, conversion: SignalConversion): SignalDraft => {
  const { type } = conversion
  if (type === draft.conversion.type) return { ...draft, conversion }
  const [was, now] = [hasValue.has(draft.conversion.type), hasValue.has(type)]
  const ofOrder = type === 'purchase'
  const [wasUsual, usual] = [usualAmount(draft.conversion.type), usualAmount(type)]
  const amountPath = draft.value.amountPath === wasUsual ? usual : draft.value.amountPath
  return {
    ...draft,
    conversion,
    value: { ...draft.value, amountPath, ...(was === now ? {} : { type: now ? 'event' : 'none' }) },
    eventId:
      ofOrder === (draft.conversion.type === 'purchase')
        ? draft.eventId
        : { ...draft.eventId, type: ofOrder ? 'path' : 'message_id' },
    refunds: ofOrder ? draft.refunds : { ...draft.refunds, on: false },
    platforms: draft.platforms.map((platform) => ({ ...platform, event_name: '' })),
  }
}

/**
 * Chooses other events. Also chooses the usual conversion of these events, unless the user has chosen an unusual one
 * before.
 */
export const withEvents = (draft: SignalDraft, events: readonly DraftEvent[]): SignalDraft => {
  const next = { ...draft, events }
  return draft.conversion.type === usualConversion(draft.events)
    ? withConversion(next, { type: usualConversion(events), custom_name: '' })
    : next
}

/** Adds a destination to the platforms, or removes it. */
export const withPlatform = (draft: SignalDraft, destination: string, chosen: boolean): SignalDraft => ({
  ...draft,
  platforms: chosen
    ? [...draft.platforms, { destination, event_name: '', test_event_code: '', field_mappings: null }]
    : draft.platforms.filter((platform) => platform.destination !== destination),
})

/** The errors of a step, by the name of the field; empty for a valid one. */
export type Problems = Readonly<Record<string, string>>

const pathProblem = (path: string): string | undefined => eventPath.safeParse(path.trim()).error?.issues[0]?.message

const only = (problems: Readonly<Record<string, string | undefined>>): Problems =>
  Object.fromEntries(Object.entries(problems).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])))

const isCurrency = (text: string): boolean => /^[A-Za-z]{3}$/.test(text.trim())

/** A typed amount, with a point or a comma; undefined for an invalid one. */
export const amountOf = (text: string): number | undefined => {
  const plain = text.trim().replace(',', '.')
  return /^\d{1,12}(\.\d{1,4})?$/.test(plain) ? Number(plain) : undefined
}

const triggerProblems = ({ trigger, sources, events, filters, audience }: SignalDraft): Problems =>
  trigger === 'audience'
    ? only({ audience: audience === '' ? 'Choose an audience' : undefined })
    : only({
        sources:
          sources.length === 0
            ? 'Choose at least one source'
            : sources.length > signalLimits.sources
              ? `At most ${signalLimits.sources} sources`
              : undefined,
        events: events.length === 0 ? 'Add an event' : undefined,
        ...conditionProblems(filters.conditions),
      })

const valueProblems = ({ value }: SignalDraft): Problems => {
  const { type, amount, amountPath, currency, currencyPath } = value
  if (type === 'none') return {}
  const code = isCurrency(currency) ? undefined : 'Enter a code of three letters, such as USD'
  if (type === 'fixed')
    return only({
      amount: amountOf(amount) === undefined ? 'Enter a number that is not negative, such as 25.50' : undefined,
      currency: code,
    })
  return only({
    amountPath: pathProblem(amountPath),
    currency: currency.trim() === '' && currencyPath.trim() !== '' ? undefined : code,
  })
}

const eventIdProblems = ({ eventId, refunds, trigger }: SignalDraft): Problems =>
  only({
    path: eventId.type === 'path' ? pathProblem(eventId.path) : undefined,
    ...(refunds.on && trigger === 'events'
      ? {
          refundEvents: refunds.events.length === 0 ? 'Add an event' : undefined,
          orderPath: pathProblem(refunds.orderPath),
        }
      : {}),
  })

/** The errors in the fields of a platform, by the ID of the field. */
export const fieldProblems = ({ field_mappings }: SignalPlatformInput): Problems =>
  only(
    Object.fromEntries(
      (field_mappings ?? []).map((field) => [field.id, fieldMapping.safeParse(field).error?.issues[0]?.message]),
    ),
  )

const platformProblems = ({ platforms }: SignalDraft): Problems =>
  only({
    platforms:
      platforms.length === 0
        ? 'Choose at least one platform'
        : platforms.length > signalLimits.platforms
          ? `At most ${signalLimits.platforms} platforms`
          : undefined,
    ...Object.fromEntries(
      platforms.map((platform) => [
        platform.destination,
        Object.keys(fieldProblems(platform)).length === 0 ? undefined : 'Some fields are not filled in',
      ]),
    ),
  })

/** The title: the entered one, or one that follows from the conversion: "Purchase". */
export const titleOf = ({ title, conversion }: SignalDraft): string =>
  title ?? (conversion.type === 'custom' ? conversion.custom_name : conversionNames[conversion.type].title)

/** The errors that block a step; empty when it is complete. */
export const problemsOf = (draft: SignalDraft, step: Step): Problems => {
  switch (step) {
    case 'trigger':
      return triggerProblems(draft)
    case 'conversion': {
      const { type, custom_name } = draft.conversion
      return only({
        custom_name:
          type !== 'custom' || /^[A-Za-z]\w{0,39}$/.test(custom_name.trim())
            ? undefined
            : 'Enter letters, digits, and underscores, beginning with a letter',
      })
    }
    case 'value':
      return valueProblems(draft)
    case 'event_id':
      return eventIdProblems(draft)
    case 'platforms':
      return platformProblems(draft)
    case 'review':
      return only({ title: genericTitle.safeParse(titleOf(draft)).error?.issues[0]?.message })
  }
}

/** Whether a step has no errors. */
export const isDone = (draft: SignalDraft, step: Step): boolean => Object.keys(problemsOf(draft, step)).length === 0

/** The first incomplete step; undefined if all are complete. */
export const firstOpen = (draft: SignalDraft): Step | undefined => steps.find((step) => !isDone(draft, step))

const eventsOf = (events: readonly DraftEvent[]): DraftEvent[] =>
  events.map(({ event_type, event_name }) => ({ event_type, event_name: event_name.trim() }))

const triggerOf = ({ trigger, sources, events, filters, audience }: SignalDraft): SignalTrigger =>
  trigger === 'audience'
    ? { type: 'audience', audience }
    : {
        type: 'events',
        sources: [...sources],
        events: eventsOf(events),
        filters: [...filters.conditions],
        filter_match: filters.match,
      }

const valueOf = ({ value }: SignalDraft): SignalValue => {
  const currency = value.currency.trim().toUpperCase()
  if (value.type === 'none') return { type: 'none' }
  if (value.type === 'fixed') return { type: 'fixed', amount: amountOf(value.amount) ?? 0, currency }
  return {
    type: 'event',
    amount_path: value.amountPath.trim(),
    currency_path: value.currencyPath.trim(),
    currency,
  }
}

const refundsOf = ({ refunds, trigger }: SignalDraft): SignalRefunds =>
  refunds.on && trigger === 'events'
    ? {
        events: eventsOf(refunds.events),
        order_path: refunds.orderPath.trim(),
        amount_path: refunds.amountPath.trim(),
      }
    : null

/** The signal definition of a draft without errors. */
export const definitionOf = (draft: SignalDraft): SignalDefinition => ({
  trigger: triggerOf(draft),
  conversion: { type: draft.conversion.type, custom_name: draft.conversion.custom_name.trim() },
  value: valueOf(draft),
  event_id: draft.eventId.type === 'path' ? { type: 'path', path: draft.eventId.path.trim() } : { type: 'message_id' },
  refunds: refundsOf(draft),
  platforms: draft.platforms.map((platform) => ({
    ...platform,
    event_name: platform.event_name.trim(),
    test_event_code: platform.test_event_code.trim(),
  })),
})

/**
 * Returns the fields of a definition that belong to a part of the draft. The part with the event ID includes refunds,
 * because they refer to that ID.
 */
export const changeOf = (draft: SignalDraft, part: Part): Partial<SignalDefinition> => {
  const { trigger, conversion, value, event_id, refunds, platforms } = definitionOf(draft)
  switch (part) {
    case 'trigger':
      return { trigger }
    case 'conversion':
      return { conversion }
    case 'value':
      return { value }
    case 'event_id':
      return { event_id, refunds }
    case 'platforms':
      return { platforms }
  }
}

const draftEvents = (events: readonly { event_type: EventType; event_name: string }[]): DraftEvent[] =>
  events.map(({ event_type, event_name }) => ({ event_type, event_name }))

/** The draft of a saved signal. */
export const draftOf = (
  signal: Omit<SignalDefinition, 'platforms'> & Pick<Signal, 'platforms' | 'title'>,
): SignalDraft => {
  const { trigger, conversion, value, event_id, refunds, platforms, title } = signal
  return {
    ...emptyDraft,
    title,
    conversion,
    trigger: trigger.type,
    ...(trigger.type === 'audience'
      ? { audience: trigger.audience }
      : {
          sources: trigger.sources,
          events: draftEvents(trigger.events),
          filters: { match: trigger.filter_match, conditions: trigger.filters },
        }),
    value: {
      ...emptyDraft.value,
      type: value.type,
      ...(value.type === 'fixed' ? { amount: String(value.amount), currency: value.currency } : {}),
      ...(value.type === 'event'
        ? { amountPath: value.amount_path, currencyPath: value.currency_path, currency: value.currency }
        : {}),
    },
    eventId: event_id.type === 'path' ? event_id : { ...emptyDraft.eventId, type: 'message_id' },
    refunds:
      refunds === null
        ? emptyDraft.refunds
        : {
            on: true,
            events: draftEvents(refunds.events),
            orderPath: refunds.order_path,
            amountPath: refunds.amount_path,
          },
    platforms: platforms.map(({ destination, event_name, test_event_code, is_preset, field_mappings }) => ({
      destination,
      event_name,
      test_event_code,
      field_mappings: is_preset ? null : field_mappings,
    })),
  }
}
