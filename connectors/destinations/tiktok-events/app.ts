import { createHash } from 'node:crypto'
import { cutText, readHash } from '@tributary/connector-kit'
import { advertisingIdOf } from '../../wire/conversions/advertising-id.ts'
import { withValues } from '../../wire/conversions/left-out.ts'
import { textOf } from '../../wire/conversions/products.ts'
import type { sendConversion } from './actions/send-conversion.ts'

type Payload = ReturnType<typeof sendConversion.payloadOf>

/**
 * TikTok's names of app events, by those of web events (action-destinations, `tiktok-app-events/index.ts`). Other names
 * are the same.
 */
const appNames: Readonly<Record<string, string>> = {
  InitiateCheckout: 'Checkout',
  CompleteRegistration: 'Registration',
  Lead: 'GenerateLead',
}

/** The events that only apps have. */
const onlyOfApps: ReadonlySet<string> = new Set(['InstallApp', 'LaunchAPP', 'Login'])

/** Returns the name of an app event. */
export const appEventName = (name: string): string => (Object.hasOwn(appNames, name) ? (appNames[name] ?? name) : name)

/** Whether only apps have an event of this name. */
export const isOnlyOfApps = (name: string): boolean => onlyOfApps.has(name)

/** Maximum characters of a text about an app. Our own choice. */
const maxCharacters = 200

const textIn = (value: unknown): string => cutText(textOf(value) ?? '', maxCharacters).toWellFormed()

const statuses = ['AUTHORIZED', 'DENIED', 'NOT_DETERMINED', 'RESTRICTED', 'NOT_APPLICABLE']

const systemOf = ({ device_type }: Payload): 'ios' | 'android' | undefined => {
  const system = device_type?.trim().toLowerCase() ?? ''
  if (['ios', 'ipados'].includes(system)) return 'ios'
  return system === 'android' ? 'android' : undefined
}

/**
 * Returns the status of App Tracking Transparency: as given, or from the system and whether tracking is allowed (Segment,
 * `getATTStatus`). Systems before iOS 14 have none.
 */
const statusOf = (payload: Payload, leftOut: string[]): string => {
  const given = payload.att_status?.trim().toUpperCase() ?? ''
  if (statuses.includes(given)) return given
  if (given !== '' && given !== 'AUTO') leftOut.push(`att_status: none of ${statuses.join(', ')}`)
  const version = /^(\d{1,4})/.exec(payload.device_version?.trim() ?? '')?.[1]
  if (systemOf(payload) !== 'ios' || (version !== undefined && Number(version) < 14)) return 'NOT_APPLICABLE'
  const { tracking_allowed: allowed } = payload
  return allowed === undefined ? 'NOT_DETERMINED' : allowed ? 'AUTHORIZED' : 'DENIED'
}

/** Returns the hash of an ID, or a hash as it is; '' for the hash of an empty text. */
const hashOf = (id: string): string => readHash(id) ?? createHash('sha256').update(id).digest('hex')

/** Returns what identifies the device of an app event: hashed IDs for ads, and the ID of the vendor. */
export const deviceIdsOf = (payload: Payload, leftOut: string[]): Record<string, unknown> => {
  const system = systemOf(payload)
  const id = advertisingIdOf(payload.advertising_id)
  const vendorId = advertisingIdOf(payload.device_id)
  return {
    ...withValues({
      idfa: id === undefined || system !== 'ios' ? undefined : hashOf(id.toLowerCase()),
      gaid: id === undefined || system !== 'android' ? undefined : hashOf(id),
      idfv: system === 'ios' ? vendorId : undefined,
    }),
    att_status: statusOf(payload, leftOut),
  }
}

const adTexts = ['callback', 'campaign_id', 'ad_id', 'creative_id', 'attribution_type', 'attribution_provider']
const adFlags = ['is_retargeting', 'attributed']

const adOf = ({ ad = {} }: Payload): Record<string, unknown> =>
  withValues({
    ...Object.fromEntries(adTexts.map((name) => [name, textIn(ad[name])])),
    ...Object.fromEntries(adFlags.map((name) => [name, typeof ad[name] === 'boolean' ? ad[name] : undefined])),
  })

/** Returns the app and the ad of an app event, or why TikTok would refuse the event. */
export const appOf = (payload: Payload): Record<string, unknown> | { problem: string } => {
  const app = withValues({
    app_id: textIn(payload.app_id),
    app_name: textIn(payload.app_name),
    app_version: textIn(payload.app_version),
  })
  if (app['app_id'] === undefined) return { problem: 'App events need the ID of the app. Map app_id' }
  const ad = adOf(payload)
  return { app, ...(Object.keys(ad).length === 0 ? {} : { ad }) }
}
