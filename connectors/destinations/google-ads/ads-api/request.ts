import { type DeliverContext, sendRequest } from '@tributary/connector-kit'
import { apiVersions } from '../../../wire/conversions/api-version.ts'
import { hidingPersonal } from '../../../wire/conversions/shown.ts'
import { type Asked, customerOf } from '../../../wire/google/data-manager.ts'
import type { GoogleAdsSettings } from '../settings.ts'
import type { AdsMethod } from './operation.ts'
import { adsApiOrigin } from './origin.ts'

export type Context = DeliverContext<GoogleAdsSettings>

/** Personal fields that are sent unhashed. */
const personal: ReadonlySet<string> = new Set([
  'callerId',
  'postalCode',
  'countryCode',
  'city',
  'state',
  'userAgent',
  'thirdPartyUserId',
  'sessionAttributeValue',
])

/** Maximum bytes of a response that are read. The response names each refused operation, and has a result for each. */
const keepBytes = 2 * 1024 * 1024

/** Calls the Google Ads API. The requests of the context must carry the token of the grant. Rejects like `sendRequest`. */
export const askAdsApi = async (
  context: Context,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Asked> => {
  const { client_secret, login_customer_id } = context.settings
  const hidden = hidingPersonal(body, personal, { headers: ['authorization'], texts: [client_secret] })
  const call = await sendRequest(
    context,
    {
      method: 'POST',
      url: `${adsApiOrigin}/${apiVersions.googleAds.version}/${path}`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'Tributary/1.0',
        ...(login_customer_id === undefined ? {} : { 'login-customer-id': customerOf(login_customer_id) }),
      },
      body: JSON.stringify(body),
      keepBytes,
      readBytes: keepBytes,
      timeoutMs: 60_000,
    },
    hidden,
  )
  return { call, hidden }
}

/** Returns the path of the account. */
export const customerPath = ({ settings }: Context): string => `customers/${customerOf(settings.customer_id)}`

/** The name of the list of operations in the request of each method. */
const listNames = {
  uploadCallConversions: 'conversions',
  uploadClickConversions: 'conversions',
  uploadConversionAdjustments: 'conversionAdjustments',
} as const satisfies Record<Exclude<AdsMethod, 'offlineUserDataJobs'>, string>

/** Uploads operations: those that Google refuses do not keep it from the others ("partialFailure"). */
export const upload = (
  context: Context,
  method: keyof typeof listNames,
  operations: readonly unknown[],
): Promise<Asked> =>
  askAdsApi(context, `${customerPath(context)}:${method}`, {
    [listNames[method]]: operations,
    partialFailure: true,
    ...(context.settings.validate_only ? { validateOnly: true } : {}),
  })

/** Reads the account, to try the access to it. Rejects like `sendRequest`. */
export const readAccount = (context: Context): Promise<Asked> =>
  askAdsApi(context, `${customerPath(context)}/googleAds:search`, {
    query: 'SELECT customer.id FROM customer LIMIT 1',
  })
