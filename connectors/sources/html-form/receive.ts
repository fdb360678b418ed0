import { createHash } from 'node:crypto'
import {
  type CharsetFault,
  charsetOf,
  cutText,
  fitEvent,
  formParams,
  isJsonObject,
  parseExactJson,
  type ReceiveWebhook,
  type WebhookCall,
} from '@tributary/connector-kit'
import { adContext, consentContext, namesOf, paramsOf, personOf, visitorFields } from '../conversion-context.ts'
import { type Fields, formFields, given, text, wrongBytes } from '../values.ts'

/**
 * Maximum number of fields of a form that are stored, and that are read, and maximum number of characters of a name.
 */
const most = { fields: 100, sent: 1000, name: 100 }

/** Returns the values of a form by field name; a repeated field has a list. */
const sentIn = (call: WebhookCall): Fields | CharsetFault | undefined => {
  const body = call.body.toString('utf8')
  if (/^application\/json\b/i.test(call.headers['content-type'] ?? '')) {
    try {
      const value: unknown = parseExactJson(body)
      return isJsonObject(value) ? Object.fromEntries(Object.entries(value).slice(0, most.sent)) : undefined
    } catch {
      return undefined
    }
  }
  const contentType = call.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType)) return undefined
  const params = formParams(body, charsetOf(contentType))
  return typeof params === 'string' ? params : formFields(params)
}

const shortText = (text: string | undefined, length: number): string | undefined =>
  text === undefined ? undefined : cutText(text, length)

const firstOf = (sent: Fields, ...names: string[]): string | undefined => {
  for (const name of names) {
    const value = text(sent[name])?.trim()
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/** Names of fields that describe the visit and are not answers of the visitor. */
const own: ReadonlySet<string> = new Set([...Object.values(visitorFields), 'page_url', 'user_id', '_charset_'])

/**
 * Returns the page of the form: from a field of the form, otherwise from the browser's header, which often has only the
 * origin.
 */
const pageOf = (sent: Fields, call: WebhookCall): URL | undefined =>
  URL.parse(firstOf(sent, 'page_url') ?? call.headers['referer'] ?? '') ?? undefined

const contextOf = (sent: Fields, call: WebhookCall): Fields => {
  const page = pageOf(sent, call)
  const params = new URLSearchParams(page?.search)
  for (const [name, value] of paramsOf(sent)) if (value !== '') params.set(name, value)
  const names = namesOf(firstOf(sent, 'name', 'full_name'))
  return given({
    traits: personOf({
      email: firstOf(sent, 'email', 'email_address', 'e-mail'),
      phone: firstOf(sent, 'phone', 'phone_number', 'tel'),
      firstName: firstOf(sent, 'first_name', 'firstname', 'given-name') ?? names.firstName,
      lastName: firstOf(sent, 'last_name', 'lastname', 'family-name') ?? names.lastName,
      city: firstOf(sent, 'city'),
      postalCode: firstOf(sent, 'postal_code', 'zip'),
      country: firstOf(sent, 'country'),
    }),
    page: page === undefined ? undefined : { url: cutText(firstOf(sent, 'page_url') ?? page.href, 2000) },
    ...adContext(params),
    ...consentContext(sent[visitorFields.consent]),
  })
}

const empty = { name: 'empty fields', matches: (_name: string, value: unknown): boolean => value === '' }

/**
 * Converts a form of a web page to a lead with its fields, and redirects its sender to the page in the settings. The
 * same form with the same content counts once a day; with a hidden `message_id`, each submission counts exactly once.
 * Only programs fill in the trap field: they get the usual response, and nothing is stored.
 */
export const receive: ReceiveWebhook = (call, settings) => {
  const redirect = text(settings['redirect_url'])
  const onward = redirect === undefined || /json/i.test(call.headers['content-type'] ?? '') ? {} : { redirect }
  const sent = call.method === 'POST' ? sentIn(call) : undefined
  if (sent === undefined)
    return {
      refusal: {
        code: 400,
        reason: 'NOT_A_FORM',
        message:
          'Not a form. Send it with POST as application/x-www-form-urlencoded, which forms do by default, or as a JSON object. Files are not taken.',
      },
    }
  if (typeof sent === 'string') return wrongBytes
  const trap = text(settings['trap_field']) ?? '_gotcha'
  if (text(sent[trap]) !== undefined) return { events: [], ...onward }
  const fields = Object.entries(sent)
    .filter(([name]) => name !== '' && name.length <= most.name && !own.has(name) && name !== trap)
    .slice(0, most.fields)
  if (fields.length === 0)
    return { refusal: { code: 400, reason: 'EMPTY_FORM', message: 'The form has no fields with a name.' } }
  const day = new Date(call.receivedAt).toISOString().slice(0, 10)
  const hash = createHash('sha256').update(day).update(call.body).digest('hex').slice(0, 32)
  const messageId = shortText(firstOf(sent, visitorFields.messageId), 100) ?? `form-${hash}`
  const event = given({
    type: 'track',
    event: 'Lead Created',
    messageId,
    userId: shortText(firstOf(sent, 'user_id'), 200),
    anonymousId: shortText(firstOf(sent, visitorFields.anonymousId), 200) ?? `form-${hash}`,
    timestamp: new Date(call.receivedAt).toISOString(),
    properties: given({
      lead_id: messageId,
      form_id: firstOf(sent, 'form_id'),
      form_name: firstOf(sent, 'form_name'),
      fields: Object.fromEntries(fields),
    }),
    context: contextOf(sent, call),
  })
  return { events: [fitEvent(event, empty)], ...onward }
}
