import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  type Call,
  ConfigurationError,
  cutText,
  type DeliverContext,
  type EventOutcome,
  type HttpAnswer,
  isJsonObject,
  isWebPage,
  outcomeOfAnswer,
  type SplitOutcome,
  sendRequest,
} from '@tributary/connector-kit'
import type { Endpoint } from './operation.ts'
import type { MixpanelSettings } from './settings.ts'

export type Context = DeliverContext<MixpanelSettings>

const compress = promisify(gzip)

/** The servers of Mixpanel, one for each region in which projects are stored ("Ingestion API"). */
const hosts = { us: 'api.mixpanel.com', eu: 'api-eu.mixpanel.com', in: 'api-in.mixpanel.com' } as const

/**
 * `strict` makes Mixpanel validate and report each record separately. Without `ip=0`, a profile would get the location
 * of this server (Mixpanel, "Set Property").
 */
const queries: Readonly<Record<Endpoint, string>> = { import: 'strict=1', engage: 'strict=1&ip=0', groups: 'strict=1' }

/** Maximum bytes of a response that are read. The response names each refused record. */
const keepBytes = 256 * 1024

/**
 * Sends records to one endpoint, compressed. Records of profiles contain the token; for events, the authorization has
 * it.
 */
export const post = async (context: Context, endpoint: Endpoint, records: readonly unknown[]): Promise<Call> => {
  const { region, project_token: given } = context.settings
  const token = given.trim()
  const credentials = Buffer.from(`${token}:`).toString('base64')
  const text = JSON.stringify(records)
  return await sendRequest(
    context,
    {
      method: 'POST',
      url: `https://${hosts[region]}/${endpoint}?${queries[endpoint]}`,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${credentials}`,
        'content-encoding': 'gzip',
        'content-type': 'application/json',
        'user-agent': 'Tributary/1.0',
      },
      body: await compress(text),
      keepBytes,
    },
    { headers: ['authorization'], texts: [token, credentials], body: text },
  )
}

/** Returns why Mixpanel accepts no records, as a message; undefined otherwise. */
export const setUpProblem = ({ answer }: Call): string | undefined => {
  const status = `HTTP ${answer.status}`
  if (answer.status === 401 || answer.status === 403) return `Mixpanel refuses the project token (${status})`
  if (answer.status >= 300 && answer.status < 400) return `Mixpanel redirects (${status}), so something is in its way`
  if (answer.status < 300 && isWebPage(answer)) return 'A web page came in place of Mixpanel’s answer'
  return undefined
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Returns the reasons of refused records by their index among `count`; empty if the response names none. */
const refusedRecords = (answer: unknown, count: number): ReadonlyMap<number, string> => {
  const listed: unknown = isJsonObject(answer) ? answer['failed_records'] : undefined
  const refused = new Map<number, string>()
  for (const record of Array.isArray(listed) ? listed : []) {
    if (!isJsonObject(record)) continue
    const { index, message } = record
    if (typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count)
      refused.set(index, typeof message === 'string' && message !== '' ? message : 'Refused by Mixpanel')
  }
  return refused
}

/** Whether a response means that the whole request was accepted: `{"code":200}`, `{"status":1}`, or 1. */
const isTaken = (answer: unknown): boolean =>
  answer === 1 || (isJsonObject(answer) && (answer['code'] === 200 || answer['status'] === 1))

/** Returns the error of a response, or its status, as a text. */
export const wordsOfAnswer = ({
  body,
  status,
}: Pick<HttpAnswer, 'body' | 'status'> & Pick<HttpAnswer, 'headers'>): string => wordsOf(parsed(body), status)

const wordsOf = (answer: unknown, status: number): string => {
  const error = isJsonObject(answer) ? answer['error'] : undefined
  return typeof error === 'string' && error !== '' ? `HTTP ${status}: ${cutText(error, 300)}` : `HTTP ${status}`
}

/**
 * Returns the outcome of each record, or a split if one of several records can be the cause. Throws ConfigurationError
 * for errors that a user must fix.
 */
export const outcomesOf = (call: Call, count: number, now: number): readonly EventOutcome[] | SplitOutcome => {
  const { answer } = call
  const problem = setUpProblem(call)
  if (problem !== undefined) throw new ConfigurationError(problem, call.exchange())
  const said = parsed(answer.body)
  const outcome = outcomeOfAnswer(answer, now, wordsOf(said, answer.status))
  const all = (one: EventOutcome): EventOutcome[] => Array.from({ length: count }, () => one)
  if (outcome.kind === 'retry') return all(outcome)
  // A part of the request can be accepted, whatever the status is. The response names the refused records.
  const refused = refusedRecords(said, count)
  if (refused.size > 0)
    return Array.from({ length: count }, (_, index): EventOutcome => {
      const reason = refused.get(index)
      return reason === undefined ? { kind: 'delivered' } : { kind: 'rejected', reason }
    })
  if (outcome.kind === 'delivered') {
    if (isTaken(said)) return all(outcome)
    // Mixpanel can respond with a success status and `{"status":0,"error":…}`.
    const reason = `Mixpanel did not confirm the request (${wordsOf(said, answer.status)})`
    return said === undefined ? all({ kind: 'retry', reason }) : blame(reason, count)
  }
  return blame(outcome.kind === 'rejected' ? outcome.reason : '', count)
}

const blame = (reason: string, count: number): readonly EventOutcome[] | SplitOutcome =>
  count > 1 ? { kind: 'split', reason } : [{ kind: 'rejected', reason }]
