import { answerObject, DeliveryError, type Lifetime, RetryableError } from '@tributary/connector-kit'
import type { Asked } from '../../../wire/google/data-manager.ts'
import { askAdsApi, type Context, customerPath } from './request.ts'
import { adsVerdictOf } from './verdict.ts'

/** A sale: its operation, and the ID of its event. */
type Sale = { operation: unknown; identity: string }

/** Maximum sales of jobs that may run. Our own choice. */
const maxUnconfirmed = 20_000

const unconfirmed = new WeakMap<Lifetime, Map<string, string>>()

/**
 * Returns the jobs that were filled but whose start was not confirmed, by the ID of the event of each sale. They are known
 * as long as the settings of the destination are in use, and not after a restart of the server.
 */
export const unconfirmedJobs = (lifetime: Lifetime): Map<string, string> => {
  const known = unconfirmed.get(lifetime) ?? new Map<string, string>()
  unconfirmed.set(lifetime, known)
  return known
}

const textOf = (asked: Asked, name: string): string => {
  const value = answerObject(asked.call)?.[name]
  return typeof value === 'string' ? value : ''
}

/** Whether a job runs by the response to its start. A job is started once (JOB_ALREADY_STARTED). */
const isRunning = ({ call }: Asked): boolean => {
  const { status, body } = call.answer
  return (status >= 200 && status < 300 && answerObject(call) !== undefined) || body.includes('JOB_ALREADY_STARTED')
}

/**
 * Starts a job. If it is not known whether the job runs, it is started again, because a running job answers
 * JOB_ALREADY_STARTED. Returns the last response, and whether the job runs.
 */
const startJob = async (context: Context, job: string): Promise<{ asked: Asked; runs: boolean }> => {
  const start = (): Promise<Asked> => askAdsApi(context, `${job}:run`, {})
  const first = await start().catch((error: unknown) => {
    if (error instanceof RetryableError) return undefined
    throw error
  })
  const asked = first !== undefined && first.call.answer.status < 500 ? first : await start()
  return { asked, runs: isRunning(asked) }
}

const remember = (lifetime: Lifetime, job: string, sales: readonly Sale[]): void => {
  const known = unconfirmedJobs(lifetime)
  for (const { identity } of sales) {
    known.delete(identity)
    known.set(identity, job)
  }
  for (const identity of known.keys()) {
    if (known.size <= maxUnconfirmed) return
    known.delete(identity)
  }
}

const forget = (lifetime: Lifetime, sales: readonly Sale[]): void => {
  for (const { identity } of sales) unconfirmedJobs(lifetime).delete(identity)
}

/** Whether a response leaves it open that the job runs. */
const isOpen = ({ call }: Asked): boolean => call.answer.status >= 500 || call.answer.status === 429

/**
 * Starts the job of an earlier attempt again, which has these sales already. Returns the response that decides;
 * undefined if Google does not have the job, so that the sales are uploaded again.
 */
const startAgain = async (context: Context, job: string, sales: readonly Sale[]): Promise<Asked | undefined> => {
  const { asked, runs } = await startJob(context, job)
  if (!runs && isOpen(asked)) return asked
  forget(context.lifetime, sales)
  return runs ? asked : undefined
}

/** Returns the response of a job that runs in the form of a success. */
const asSuccess = (asked: Asked): Asked => ({
  ...asked,
  call: { ...asked.call, answer: { ...asked.call.answer, status: 200, body: '{}' } },
})

/**
 * Uploads sales in stores: creates a job, adds the sales, and starts it
 * (developers.google.com/google-ads/api/docs/conversions/upload-store-sales-transactions). Returns the response that
 * decides: that of the sales, or of the step that failed. Sales of a job that was not started do not count. If the
 * responses to both attempts to start it are lost, the next attempt starts the same job (`jobName`) again instead of
 * uploading the sales, so that they count once. After a restart of the server, they can count twice.
 */
export const uploadStoreSales = async (
  context: Context,
  {
    job,
    jobName,
    sales,
  }: { job: Readonly<Record<string, unknown>>; jobName: string | undefined; sales: readonly Sale[] },
): Promise<Asked> => {
  const earlier = jobName === undefined ? undefined : await startAgain(context, jobName, sales)
  if (earlier !== undefined) return isRunning(earlier) ? asSuccess(earlier) : earlier
  const validateOnly = context.settings.validate_only
  const created = await askAdsApi(context, `${customerPath(context)}/offlineUserDataJobs:create`, {
    job,
    ...(validateOnly ? { validateOnly } : {}),
  })
  const name = textOf(created, 'resourceName')
  if (!/^customers\/\d{1,20}\/offlineUserDataJobs\/\d{1,20}$/.test(name)) return created
  const operations = sales.map(({ operation }) => operation)
  const added = await askAdsApi(context, `${name}:addOperations`, { operations, enablePartialFailure: true })
  const { outcome, apart } = adsVerdictOf(added, { count: operations.length, now: context.clock() })
  if (outcome.kind !== 'delivered' || apart?.size === operations.length) return added
  const accepted = sales.filter((_, index) => apart?.has(index) !== true)
  try {
    const { asked, runs } = await startJob(context, name)
    if (runs) return added
    if (isOpen(asked)) remember(context.lifetime, name, accepted)
    return asked
  } catch (error) {
    if (error instanceof DeliveryError) remember(context.lifetime, name, accepted)
    throw error
  }
}
