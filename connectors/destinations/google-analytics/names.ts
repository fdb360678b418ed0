import { cutText, ExactNumber } from '@tributary/connector-kit'

/*
 * "Measurement Protocol reference", reserved names and validation behavior
 * (developers.google.com/analytics/devguides/collection/protocol/ga4/reference), and "Send Measurement Protocol events",
 * limitations (…/ga4/sending-events).
 */

/** Maximum characters of names and of values, and maximum parameters of a property of Analytics 360. */
export const limits = { name: 40, value: 100, params: 100, standardParams: 25 } as const

/** Parameters that may be longer than other values. */
const valueLimits: Readonly<Record<string, number>> = { page_location: 1000, page_referrer: 420, page_title: 300 }

/** Only Google's own tags can send these events. */
const reservedNames: ReadonlySet<string> = new Set(
  'ad_activeview ad_click ad_exposure ad_query ad_reward adunit_exposure app_clear_data app_exception app_install app_remove app_store_refund app_update app_upgrade dynamic_link_app_open dynamic_link_app_update dynamic_link_first_open error firebase_campaign first_open first_visit notification_dismiss notification_foreground notification_open notification_receive notification_send os_update session_start session_start_with_rollout user_engagement'.split(
    ' ',
  ),
)

/** Only streams of apps take these events. */
const appNames: ReadonlySet<string> = new Set(['ad_impression', 'in_app_purchase', 'screen_view'])

const reservedPrefix = /^(_|firebase_|ga_|google_|gtag\.)/

const isName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && name.length <= limits.name

/** Returns an event's own name as Google takes it: with underscores for spaces. */
export const eventNameOf = (name: string): string => name.trim().replaceAll(/\s+/g, '_')

/** Returns why Google does not take a name of an event, for users; undefined if it does. */
export const eventNameProblem = (name: string, stream: 'web' | 'app' = 'web'): string | undefined => {
  if (appNames.has(name) && stream === 'web')
    return `Google Analytics takes the event ${name} only from apps, not from a web stream`
  if (reservedNames.has(name) || reservedPrefix.test(name)) return `Google Analytics reserves the event name ${name}`
  return isName(name)
    ? undefined
    : `"${cutText(name, 60)}" is not an event name: up to 40 letters, digits, and underscores, and a letter first`
}

/** Returns why Google ignores a name of a parameter, for users; undefined if it does not. */
export const paramNameProblem = (name: string): string | undefined => {
  if (reservedPrefix.test(name)) return 'a reserved name'
  return isName(name) ? undefined : 'not a name that a parameter can have'
}

/**
 * Returns a single value for a parameter. Numbers stay unchanged; a number outside the range of a double becomes text,
 * because the whole request would fail.
 */
export const scalarOf = (value: unknown): string | number | ExactNumber | undefined => {
  if (typeof value === 'string' || typeof value === 'number') return value
  if (value instanceof ExactNumber) return Number.isFinite(Number(value)) ? value : value.toString()
  return typeof value === 'boolean' ? String(value) : undefined
}

/** Returns the value of a parameter; long texts are truncated as in Google's tag. Undefined for lists and objects. */
export const paramValueOf = (name: string, value: unknown): string | number | ExactNumber | undefined => {
  const scalar = scalarOf(value)
  return typeof scalar === 'string' ? cutText(scalar, valueLimits[name] ?? limits.value).toWellFormed() : scalar
}

const reservedProperties: ReadonlySet<string> = new Set(
  'first_open_time first_visit_time last_deep_link_referrer user_id first_open_after_install'.split(' '),
)

/** Limits of user properties: their number, and the characters of names and values. */
const propertyLimits = { count: 25, name: 24, value: 36 }

/**
 * Returns the user properties that Google takes, each as `{ value }`. Adds the others to `leftOut`.
 */
export const userPropertiesOf = (
  given: Readonly<Record<string, unknown>>,
  leftOut: string[],
): Record<string, { value: unknown }> => {
  const properties: Record<string, { value: unknown }> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === '') continue
    const scalar = scalarOf(value)
    const problem =
      reservedProperties.has(name) || reservedPrefix.test(name)
        ? 'a reserved name'
        : !isName(name) || name.length > propertyLimits.name
          ? 'not a name of up to 24 letters, digits, and underscores'
          : scalar === undefined
            ? 'neither a text nor a number'
            : String(scalar).length > propertyLimits.value
              ? 'longer than 36 characters'
              : Object.keys(properties).length === propertyLimits.count
                ? 'more than 25'
                : undefined
    if (problem === undefined) properties[name] = { value: scalar }
    else leftOut.push(`user property ${cutText(name, 60)}: ${problem}`)
  }
  return properties
}
