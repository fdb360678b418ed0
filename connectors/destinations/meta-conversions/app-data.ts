import { cutText } from '@tributary/connector-kit'
import { advertisingIdOf } from '../../wire/conversions/advertising-id.ts'
import { withValues } from '../../wire/conversions/left-out.ts'
import { textOf } from '../../wire/conversions/products.ts'
import type { sendConversion } from './actions/send-conversion.ts'

type Payload = ReturnType<typeof sendConversion.payloadOf>

/** The first value of `extinfo` by the system: `i2` for iOS, `a2` for Android. */
const versions: ReadonlyMap<string, string> = new Map([
  ['ios', 'i2'],
  ['ipados', 'i2'],
  ['i2', 'i2'],
  ['android', 'a2'],
  ['a2', 'a2'],
])

/** Maximum characters of a value of `extinfo`. */
const maxCharacters = 100

const bit = (value: boolean): 0 | 1 => (value ? 1 : 0)

const shortOf = (value: string | undefined): string => cutText(value?.trim() ?? '', maxCharacters).toWellFormed()

/** Maximum URL schemes, and maximum characters of a referrer and of an encrypted text. Our own choice. */
const maxSchemes = 20
const maxLong = 1000

/** Returns the optional members of `app_data` ("App Data Parameters"). */
const optionalOf = (payload: Payload): Record<string, unknown> => {
  const longOf = (value: string | undefined): string => cutText(value?.trim() ?? '', maxLong).toWellFormed()
  const schemes = (payload.url_schemes ?? []).slice(0, maxSchemes).flatMap((scheme) => shortOf(textOf(scheme)) || [])
  return withValues({
    campaign_ids: longOf(payload.campaign_ids),
    install_referrer: longOf(payload.install_referrer),
    installer_package: shortOf(payload.installer_package),
    url_schemes: schemes.length === 0 ? undefined : schemes,
    vendor_id: advertisingIdOf(payload.vendor_id),
    windows_attribution_id: longOf(payload.windows_attribution_id),
  })
}

/**
 * Returns `app_data` of an app event, or why Meta would refuse the event. "App Data Parameters": an app event needs
 * `advertiser_tracking_enabled` and `extinfo` with its version and the version of the system. All 16 values are in a
 * fixed order, and an empty text stands for an unknown one.
 */
export const appDataOf = (payload: Payload): Record<string, unknown> | { problem: string } => {
  const { advertiser_tracking_enabled: tracking, application_tracking_enabled: inApp } = payload
  if (tracking === undefined)
    return { problem: 'App events need whether tracking is allowed. Map advertiser_tracking_enabled' }
  const system = payload.os_name?.trim() ?? ''
  const version = versions.get(system.toLowerCase())
  if (version === undefined)
    return {
      problem:
        system === ''
          ? 'App events need the system of the device. Map os_name'
          : `Meta takes app events of iOS and Android, not of "${cutText(system, 40)}"`,
    }
  if ((payload.os_version?.trim() ?? '') === '')
    return { problem: 'App events need the version of the system. Map os_version' }
  const rest = [
    payload.app_package,
    payload.app_version,
    payload.app_build,
    payload.os_version,
    payload.device_model,
    payload.locale,
    payload.timezone_abbreviation,
    payload.carrier,
    payload.screen_width,
    payload.screen_height,
    payload.screen_density,
    payload.cpu_cores,
    payload.storage_size,
    payload.free_storage,
    payload.device_timezone,
  ]
  return {
    advertiser_tracking_enabled: bit(tracking),
    ...(inApp === undefined ? {} : { application_tracking_enabled: bit(inApp) }),
    ...optionalOf(payload),
    extinfo: [version, ...rest.map(shortOf)],
  }
}
