import { answerObject, type DeliverContext, RetryableError, sendRequest } from '@tributary/connector-kit'
import { apiVersions } from '../../../wire/conversions/api-version.ts'
import { hidingPersonal } from '../../../wire/conversions/shown.ts'
import { type Asked, customerOf } from '../../../wire/google/data-manager.ts'
import type { GoogleAdsSettings } from '../settings.ts'
import type { AdsMethod } from './operation.ts'
import { adsApiOrigin } from './origin.ts'
import { adsVerdictOf } from './verdict.ts'

type Context = DeliverContext<GoogleAdsSettings>

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
const askAdsApi = async (context: Context, path: string, body: Readonly<Record<string, unknown>>): Promise<Asked> => {
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

const customerPath = ({ settings }: Context): string => `customers/${customerOf(settings.customer_id)}`

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

const textOf = (asked: Asked, name: string): string => {
  const value = answerObject(asked.call)?.[name]
  return typeof value === 'string' ? value : ''
}

/** Whether a job runs by the response to its start. */
const isRunning = ({ call }: Asked): boolean => {
  const { status, body } = call.answer
  return (status >= 200 && status < 300 && answerObject(call) !== undefined) || body.includes('JOB_ALREADY_STARTED')
}

/**
 * Starts a job; undefined if it runs. If it is not known whether the job runs, it is started again, because a running
 * job answers JOB_ALREADY_STARTED.
 */
const startJob = async (context: Context, job: string): Promise<Asked | undefined> => {
  const start = (): Promise<Asked> => askAdsApi(context, `${job}:run`, {})
  const first = await start().catch((error: unknown) => {
    if (error instanceof RetryableError) return undefined
    throw error
  })
  if (first !== undefined && first.call.answer.status < 500) return isRunning(first) ? undefined : first
  const again = await start()
  return isRunning(again) ? undefined : again
}

/**
 * Uploads sales in stores: creates a job, adds the sales, and starts it
 * (developers.google.com/google-ads/api/docs/conversions/upload-store-sales-transactions). Returns the response that
 * decides: that of the sales, or of the step that failed. Sales of a job that was not started do not count. If the
 * responses to both attempts to start it are lost, the sales are uploaded again and can count twice.
 */
export const uploadStoreSales = async (
  context: Context,
  job: Readonly<Record<string, unknown>>,
  operations: readonly unknown[],
): Promise<Asked> => {
  const validateOnly = context.settings.validate_only
  const created = await askAdsApi(context, `${customerPath(context)}/offlineUserDataJobs:create`, {
    job,
    ...(validateOnly ? { validateOnly } : {}),
  })
  const name = textOf(created, 'resourceName')
  if (!/^customers\/\d{1,20}\/offlineUserDataJobs\/\d{1,20}$/.test(name)) return created
  const added = await askAdsApi(context, `${name}:addOperations`, { operations, enablePartialFailure: true })
  const { outcome, apart } = adsVerdictOf(added, { count: operations.length, now: context.clock() })
  if (outcome.kind !== 'delivered' || apart?.size === operations.length) return added
  return (await startJob(context, name)) ?? added
}

/** Reads the account, to try the access to it. Rejects like `sendRequest`. */
export const readAccount = (context: Context): Promise<Asked> =>
  askAdsApi(context, `${customerPath(context)}/googleAds:search`, {
    query: 'SELECT customer.id FROM customer LIMIT 1',
  })
