import {
  type Call,
  ConfigurationError,
  type ConnectionTest,
  cutText,
  type DeliverContext,
  type DeliverResult,
  type HttpAnswer,
  isWebPage,
  type OutgoingEvent,
  outcomeOfAnswer,
  RejectedError,
  resultOfCall,
  sendRequest,
  testOf,
} from '@tributary/connector-kit'
import { sendMessage } from './actions/send-message.ts'
import { messageOf } from './message.ts'
import { namedWebhooks, nameForm, type SlackSettings } from './settings.ts'

/**
 * Error codes that concern the webhook, not the message. Source: Slack, "Sending messages using incoming webhooks",
 * handling errors; changelog of 2016-05-17.
 */
const setUpErrors: ReadonlyMap<string, string> = new Map([
  ['no_service', 'The webhook was removed or disabled in Slack'],
  ['no_service_id', 'The webhook URL is incomplete'],
  ['no_active_hooks', 'The webhook is disabled in Slack'],
  ['no_team', "Slack does not recognize the webhook's workspace"],
  ['team_disabled', 'The Slack workspace is no longer active'],
  ['invalid_token', 'Slack does not recognize the webhook URL'],
  ['channel_not_found', "The webhook's channel was deleted"],
  ['channel_is_archived', "The webhook's channel is archived"],
  ['user_not_found', "The webhook's recipient no longer exists"],
  ['action_prohibited', 'A Slack workspace administrator blocked the webhook'],
  ['posting_to_general_channel_denied', "Webhooks can't post to this channel"],
])

/** HTTP status codes whose cause cannot be the message. */
const setUpStatuses = new Set([301, 302, 303, 307, 308, 401, 403, 404, 405, 410])

/** Returns the URLs of all webhooks, the first one of the settings first. */
const urlsOf = (settings: SlackSettings): string[] =>
  [settings.webhook_url, ...namedWebhooks(settings).map(({ url }) => url)].map((url) => new URL(url.trim()).href)

/** Returns the URL of the webhook that a mapping names, or of the first webhook; undefined if there is none. */
const urlOf = (settings: SlackSettings, webhook = ''): string | undefined => {
  const name = nameForm(webhook)
  const named =
    name === '' ? settings.webhook_url : namedWebhooks(settings).find((one) => nameForm(one.name) === name)?.url
  return named === undefined ? undefined : new URL(named.trim()).href
}

/**
 * Returns the parts of the URL to hide everywhere: its path and the last part of the path, because the URL is the
 * credential.
 */
const secretsOf = (url: string): string[] => {
  const { pathname, search } = new URL(url)
  const path = pathname.replace(/^\/(services\/|workflows\/|hooks\/)?/, '')
  return [`${path}${search}`, path, path.split('/').at(-1) ?? '', search]
}

const post = (context: DeliverContext<SlackSettings>, url: string, message: unknown): Promise<Call> => {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Tributary/1.0' }
  const request = { method: 'POST', url, headers, body: JSON.stringify(message) } as const
  return sendRequest(context, request, { texts: urlsOf(context.settings).flatMap(secretsOf) })
}

/** Returns Slack's error code; '' for another body. */
const errorOf = ({ body }: HttpAnswer): string => /^\s*([a-z][a-z_]{1,60})\s*$/.exec(body)?.[1] ?? ''

/** Returns the problem of the webhook, as a message; undefined if there is none. */
const setUpProblem = (answer: HttpAnswer): string | undefined => {
  if (answer.status >= 200 && answer.status < 300)
    return isWebPage(answer) ? 'The URL returned a web page, so it is not a webhook' : undefined
  const error = errorOf(answer)
  const known = setUpErrors.get(error)
  if (known !== undefined) return `${known} (${error})`
  if (setUpStatuses.has(answer.status)) return `The webhook URL is wrong (HTTP ${answer.status}${error && ` ${error}`})`
  return undefined
}

/**
 * Posts one message. 200: delivered. 429, 5xx, no response: retried, after `Retry-After` if given. An unusable webhook
 * (removed, channel archived, forbidden) holds events until a user fixes it. An invalid message, or one that Slack
 * refuses, is permanently rejected.
 */
export const deliver = async (
  batch: readonly OutgoingEvent[],
  context: DeliverContext<SlackSettings>,
): Promise<DeliverResult> => {
  const [event] = batch
  if (event === undefined) throw new RejectedError('There is no event')
  const payload = sendMessage.payloadOf(event)
  const made = messageOf(payload, context.settings.allow_links)
  if ('problem' in made) throw new RejectedError(made.problem)
  const url = urlOf(context.settings, payload.webhook)
  if (url === undefined) {
    const name = cutText(payload.webhook?.trim() ?? '', 80).toWellFormed()
    throw new RejectedError(`The settings have no webhook with the name "${name}"`)
  }
  const call = await post(context, url, made.message)
  const problem = setUpProblem(call.answer)
  if (problem !== undefined) throw new ConfigurationError(problem, call.exchange())
  const error = errorOf(call.answer)
  return resultOfCall(
    call,
    outcomeOfAnswer(call.answer, context.clock(), `HTTP ${call.answer.status}${error && ` ${error}`}`),
  )
}

/** Returns why a webhook cannot post now; undefined if it can. */
const webhookProblem = async (context: DeliverContext<SlackSettings>, url: string): Promise<string | undefined> => {
  const { answer } = await post(context, url, { text: '' })
  const problem = setUpProblem(answer)
  if (problem !== undefined) return problem
  const isBusy = answer.status === 429 || answer.status >= 500
  return isBusy ? `Slack can't accept messages right now (HTTP ${answer.status})` : undefined
}

/**
 * Sends a message without text with each webhook. No channel shows such a message, and only a working webhook refuses it
 * with this error.
 */
export const testConnection = (context: DeliverContext<SlackSettings>): Promise<ConnectionTest> =>
  testOf(async () => {
    const { settings } = context
    const named = namedWebhooks(settings)
    const first = await webhookProblem(context, new URL(settings.webhook_url.trim()).href)
    if (first !== undefined) return { ok: false, message: first }
    for (const { name, url } of named) {
      const problem = await webhookProblem(context, new URL(url).href)
      if (problem !== undefined) return { ok: false, message: `${name}: ${problem}` }
    }
    const message =
      named.length === 0
        ? 'The webhook can post to its channel. Nothing was posted.'
        : `The ${named.length + 1} webhooks can post to their channels. Nothing was posted.`
    return { ok: true, message }
  })
