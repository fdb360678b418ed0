import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { cutText } from '@tributary/connector-kit'
import { consentOf } from '../../wire/conversions/event-facts.ts'
import type { sendEvent } from './actions/send-event.ts'
import { userPropertiesOf } from './names.ts'
import type { AnalyticsSettings } from './settings.ts'

type Payload = ReturnType<typeof sendEvent.payloadOf>

/** Maximum characters of a user agent. */
const maxAgent = 1000

/**
 * Returns a client ID made from the ID of a person: two positive numbers joined by a period, as Google requires
 * ("Measurement Protocol reference", client_id). The same person always has the same one. It is never the user's own ID,
 * because Google would count that as a browser of its tag.
 */
const clientOfPerson = (person: string): string => {
  const digest = createHash('sha256').update(`ga4/${person}`).digest()
  return [0, 4].map((at) => String((digest.readUInt32BE(at) >>> 1) + 1)).join('.')
}

/**
 * Returns the ID that the SDK of Firebase gives an installation of the app; '' if there is none. Google joins an event
 * of an app only with a known installation, so none is made ("Send Measurement Protocol events", app streams).
 */
const instanceOf = ({ ga_app_instance_id }: Payload): string =>
  cutText(ga_app_instance_id?.trim() ?? '', 100).toWellFormed()

/** Returns the client ID of an event: that of the Google tag, or one made from the person; '' if there is no person. */
export const clientOf = ({ client_id, ga_user_key, user_id }: Payload): string => {
  // The cookie _ga is `GA1.1.<client ID>`.
  const given = client_id?.trim().replace(/^GA\d\.\d{1,2}\.(?=\d+\.\d+$)/, '') ?? ''
  if (given !== '') return given
  const person = ga_user_key?.trim() || user_id?.trim() || ''
  return person === '' ? '' : clientOfPerson(person)
}

/** Returns why an event has no client, for users; undefined if it has one. */
export const clientProblem = (payload: Payload, stream: AnalyticsSettings['stream']): string | undefined => {
  if (stream === 'app')
    return instanceOf(payload) === ''
      ? 'The event has no app instance ID of Firebase. Map ga_app_instance_id'
      : undefined
  return clientOf(payload) === '' ? 'The event has no client ID and no person' : undefined
}

const withTexts = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const text = cutText(value?.trim() ?? '', 100).toWellFormed()
      return text === '' ? [] : [[name, text]]
    }),
  )

const screenOf = ({ ga_screen_width, ga_screen_height }: Payload): string | undefined => {
  const [width, height] = [ga_screen_width, ga_screen_height].map((text) => /^\d{1,5}$/.exec(text?.trim() ?? '')?.[0])
  return width === undefined || height === undefined ? undefined : `${width}x${height}`
}

/**
 * Returns the device and the place of the user ("Measurement Protocol reference", device and user_location; their names
 * by github.com/api-evangelist/google-analytics, commit 2df5e8f4, page not seen). With a user agent, Google derives the
 * device itself.
 */
const surroundingsOf = (payload: Payload, hasAgent: boolean): Record<string, unknown> => {
  const device = withTexts({
    category: payload.ga_device_category,
    language: payload.ga_language,
    screen_resolution: screenOf(payload),
    operating_system: payload.ga_os_name,
    operating_system_version: payload.ga_os_version,
    model: payload.ga_device_model,
    brand: payload.ga_device_brand,
    browser: payload.ga_browser,
    browser_version: payload.ga_browser_version,
  })
  const location = withTexts({
    city: payload.ga_city,
    region_id: payload.ga_region_id,
    country_id: payload.ga_country_id,
    subcontinent_id: payload.ga_subcontinent_id,
    continent_id: payload.ga_continent_id,
  })
  return {
    ...(hasAgent || Object.keys(device).length === 0 ? {} : { device }),
    ...(Object.keys(location).length === 0 ? {} : { user_location: location }),
  }
}

const consentField = (value: unknown): 'GRANTED' | 'DENIED' | undefined => {
  const consent = consentOf(value)
  return consent === 'none' ? undefined : consent === 'granted' ? 'GRANTED' : 'DENIED'
}

/**
 * Returns the part of a request that all of its events share: client, user, consent, user data, and user properties. It
 * also has the IP address and the user agent, from which Google derives country and device. Without consent, email,
 * phone, and IP address are not sent. Adds what Google does not take to `leftOut`.
 */
export const senderOf = (
  payload: Payload,
  stream: AnalyticsSettings['stream'],
  leftOut: string[],
): Record<string, unknown> => {
  const { user_id, email, phone } = payload
  const consent = {
    ad_user_data: consentField(payload.ad_user_data),
    // The older field non_personalized_ads says the same as this denial.
    ad_personalization: payload.ga_non_personalized_ads === true ? 'DENIED' : consentField(payload.ad_personalization),
  }
  const isDenied = consent.ad_user_data === 'DENIED'
  const userData = {
    ...(email === undefined ? {} : { sha256_email_address: [email] }),
    ...(phone === undefined ? {} : { sha256_phone_number: [phone] }),
  }
  const properties = userPropertiesOf(payload.user_properties ?? {}, leftOut)
  const ip = payload.ga_ip_override?.trim() ?? ''
  const isAddress = isIP(ip) !== 0
  if (ip !== '' && !isAddress) leftOut.push('ip_override: not an IP address')
  const agent = payload.ga_user_agent?.trim() ?? ''
  return {
    ...(stream === 'app' ? { app_instance_id: instanceOf(payload) } : { client_id: clientOf(payload) }),
    ...(user_id === undefined || user_id === '' ? {} : { user_id: cutText(user_id, 256) }),
    ...(Object.values(consent).every((each) => each === undefined) ? {} : { consent }),
    ...(Object.keys(userData).length === 0 || isDenied ? {} : { user_data: userData }),
    ...(Object.keys(properties).length === 0 ? {} : { user_properties: properties }),
    ...(isAddress && !isDenied ? { ip_override: ip } : {}),
    ...(agent === '' ? {} : { user_agent: cutText(agent, maxAgent).toWellFormed() }),
    ...surroundingsOf(payload, agent !== ''),
  }
}
