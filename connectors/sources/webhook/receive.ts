import {
  type CharsetFault,
  charsetOf,
  computableJson,
  formParams,
  isJsonObject,
  parseExactJson,
  type ReceiveWebhook,
  renderTemplate,
  type WebhookCall,
  type WebhookReceipt,
} from '@tributary/connector-kit'
import { formFields, wrongBytes } from '../values.ts'

/** Maximum events of one call. */
const maxEvents = 100

const refuse = (reason: string, message: string): WebhookReceipt => ({ refusal: { code: 400, reason, message } })

/** Returns the body as a value: JSON or a form; null for a call without a body. */
const bodyOf = (call: WebhookCall): { value: unknown } | CharsetFault | undefined => {
  const text = call.body.toString('utf8')
  if (text.trim() === '') return { value: null }
  const contentType = call.headers['content-type'] ?? ''
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    const params = formParams(text, charsetOf(contentType))
    return typeof params === 'string' ? params : { value: formFields(params) }
  }
  try {
    return { value: computableJson(text) ?? JSON.parse(text) }
  } catch {
    return undefined
  }
}

const parse = (text: string): { value: unknown } | { error: string } => {
  try {
    return { value: parseExactJson(text) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Converts a call to events with the source's template. The template is Liquid with `body`, `headers`, `query` and
 * `now` (RFC 3339) that renders to an event or a list of events as JSON. Without a template, the general rule applies.
 */
export const receive: ReceiveWebhook = (call, settings) => {
  const { template } = settings
  if (typeof template !== 'string' || template.trim() === '') return undefined
  const body = bodyOf(call)
  if (body === undefined) return refuse('INVALID_JSON', 'The body is not valid JSON. Send JSON in UTF-8, or a form.')
  if (typeof body === 'string' || (call.brokenQuery === true && template.includes('query'))) return wrongBytes
  const rendered = renderTemplate(template, {
    body: body.value,
    headers: call.headers,
    query: formFields(call.query),
    now: new Date(call.receivedAt).toISOString(),
  })
  if ('problem' in rendered)
    return refuse('TEMPLATE_FAILED', `The source's template failed: ${rendered.problem.message}.`)
  const result = parse(rendered.text)
  if ('error' in result)
    return refuse('TEMPLATE_NOT_JSON', `The source's template did not render to JSON: ${result.error}.`)
  const events = Array.isArray(result.value) ? result.value : [result.value]
  if (!events.every(isJsonObject))
    return refuse('TEMPLATE_NOT_EVENTS', "The source's template must render to an event or a list of events.")
  if (events.length > maxEvents)
    return refuse('TEMPLATE_NOT_EVENTS', `The source's template may render to at most ${maxEvents} events.`)
  return { events }
}
