import { cutText } from '@tributary/connector-kit'
import { advertisingIdOf } from '../../wire/conversions/advertising-id.ts'
import { integerOf, ipOf, withValues } from '../../wire/conversions/left-out.ts'
import type { uploadConversion } from './actions/upload-conversion.ts'

type Payload = ReturnType<typeof uploadConversion.payloadOf>

/**
 * Countries from which Google Ads takes no IP addresses: the EEA, the United Kingdom, and Switzerland. The source is
 * "DeviceInfo" of the Data Manager API. Greece and the United Kingdom have a second code
 * each, and regions of these countries have codes of their own.
 */
const withoutIpAddress: ReadonlySet<string> = new Set(
  (
    'AT BE BG CH CY CZ DE DK EE EL ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK UK ' +
    'AX GF GI GP MF MQ RE YT'
  ).split(' '),
)

/** Maximum characters of a text about a device, and of a user agent. */
const maxCharacters = 100
const maxAgent = 1000

const textOf = (value: string | undefined, characters = maxCharacters): string =>
  cutText(value?.trim() ?? '', characters).toWellFormed()

/** Returns the language of a locale as ISO 639-1, such as `de` of `de-DE`; undefined for other texts. */
export const languageOf = (locale: string | undefined): string | undefined =>
  /^([a-z]{2})(?:[-_]|$)/i.exec(locale?.trim() ?? '')?.[1]?.toLowerCase()

/**
 * Returns the IP address if Google Ads takes it from the country of the person. An unknown country could be one of those
 * without, so the country is required.
 */
export const ipAddressOf = (
  field: string,
  { value, country }: { value: string | undefined; country: string | undefined },
  leftOut: string[],
): string | undefined => {
  const address = ipOf(field, value, leftOut)
  const code = country?.trim().toUpperCase() ?? ''
  const isRefused = withoutIpAddress.has(code) || !/^[A-Z]{2}$/.test(code)
  // Most events have no country, so that this is not worth a note in each delivery.
  if (isRefused && address !== undefined && code !== '')
    leftOut.push(`${field}: Google Ads does not take it from the country of the person`)
  return isRefused ? undefined : address
}

const orNothing = (values: Record<string, unknown>): Record<string, unknown> | undefined =>
  Object.keys(values).length === 0 ? undefined : values

/** Returns "DeviceInfo", the device on which a conversion happened; undefined without values. */
export const deviceOf = (payload: Payload, leftOut: string[]): Record<string, unknown> | undefined =>
  orNothing(
    withValues({
      ipAddress: ipAddressOf('ip_address', { value: payload.ip_address, country: payload.country }, leftOut),
      userAgent: textOf(payload.user_agent, maxAgent),
      category: textOf(payload.device_category),
      languageCode: languageOf(payload.locale),
      screenWidth: integerOf('screen_width', payload.screen_width, leftOut),
      screenHeight: integerOf('screen_height', payload.screen_height, leftOut),
      operatingSystem: textOf(payload.os_name),
      operatingSystemVersion: textOf(payload.os_version),
      model: textOf(payload.device_model),
      brand: textOf(payload.device_brand),
      browser: textOf(payload.browser),
      browserVersion: textOf(payload.browser_version),
    }),
  )

/** Maximum characters of the session attributes. Our own choice. */
const maxSession = 5000

/** Returns the parts of "AdIdentifiers" beside the click ID. */
export const adIdentifiersOf = (payload: Payload, leftOut: string[]): Record<string, unknown> => {
  const session = payload.session_attributes?.trim() ?? ''
  const isSession = session.length <= maxSession && !/\s/.test(session)
  if (!isSession) leftOut.push('session_attributes: not an encoded text of up to 5,000 characters')
  const { landing_ip_address: value, country } = payload
  return withValues({
    sessionAttributes: isSession ? session : undefined,
    mobileDeviceId: advertisingIdOf(payload.mobile_device_id),
    landingPageDeviceInfo: orNothing(
      withValues({
        ipAddress: ipAddressOf('landing_ip_address', { value, country }, leftOut),
        userAgent: textOf(payload.landing_user_agent, maxAgent),
      }),
    ),
  })
}
