import { cutText } from '@tributary/connector-kit'
import { advertisingIdOf } from '../../wire/conversions/advertising-id.ts'
import { integerOf, withValues } from '../../wire/conversions/left-out.ts'
import { ipAddressOf } from '../../wire/google/ip-address.ts'
import type { uploadConversion } from './actions/upload-conversion.ts'

type Payload = ReturnType<typeof uploadConversion.payloadOf>

/** Maximum characters of a text about a device, and of a user agent. */
const maxCharacters = 100
const maxAgent = 1000

const textOf = (value: string | undefined, characters = maxCharacters): string =>
  cutText(value?.trim() ?? '', characters).toWellFormed()

/** Returns the language of a locale as ISO 639-1, such as `de` of `de-DE`; undefined for other texts. */
export const languageOf = (locale: string | undefined): string | undefined =>
  /^([a-z]{2})(?:[-_]|$)/i.exec(locale?.trim() ?? '')?.[1]?.toLowerCase()

const orNothing = (values: Record<string, unknown>): Record<string, unknown> | undefined =>
  Object.keys(values).length === 0 ? undefined : values

/** Returns "DeviceInfo", the device on which a conversion happened; undefined without values. */
export const deviceOf = (payload: Partial<Payload>, leftOut: string[]): Record<string, unknown> | undefined =>
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
