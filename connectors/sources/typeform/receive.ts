import {
  fitEvent,
  hmacSha256,
  isJsonObject,
  type ReceiveWebhook,
  readTimeText,
  sameSignature,
  signatureRefusals,
  type WebhookCall,
  type WebhookRefusal,
} from '@tributary/connector-kit'
import {
  adContext,
  consentContext,
  messageIdOf,
  paramsOf,
  personOf,
  textsOf,
  visitorFields,
} from '../conversion-context.ts'
import { type Fields, fieldsOf, given, parseObject, text } from '../values.ts'

const header = 'Typeform-Signature'

/**
 * Checks a delivery by https://www.typeform.com/developers/webhooks/secure-your-webhooks/; returns why it is refused.
 * The signature is `sha256=` and base64 of HMAC-SHA256 of the body with the webhook's secret.
 */
const refusalOf = (call: WebhookCall, secret: string | undefined): WebhookRefusal | undefined => {
  if (secret === undefined) return signatureRefusals.secretNotSet('Typeform')
  const signature = /^sha256=(.+)$/.exec(call.headers['typeform-signature'] ?? '')?.[1]
  if (signature === undefined) return signatureRefusals.missing(header)
  return sameSignature(Buffer.from(signature, 'base64'), hmacSha256(secret, call.sent ?? call.body))
    ? undefined
    : signatureRefusals.invalid('Typeform')
}

const labelOf = (choice: unknown): unknown => fieldsOf(choice)['label'] ?? fieldsOf(choice)['other']

/** Returns the value of an answer, which is stored under the name of its type. */
const valueOf = (answer: Fields): unknown => {
  const { type } = answer
  if (type === 'choice') return labelOf(answer['choice'])
  if (type === 'choices') {
    const { labels, other } = fieldsOf(answer['choices'])
    return [...(Array.isArray(labels) ? labels : []), ...(text(other) === undefined ? [] : [other])]
  }
  if (type === 'payment') return fieldsOf(answer['payment'])['amount']
  return typeof type === 'string' ? answer[type] : undefined
}

type Answer = { name: string; title: string; kind: string; value: unknown }

/**
 * Returns the answers by the name that the form's author gave the question (its `ref`), otherwise by the ID of the
 * question.
 */
const answersOf = (response: Fields): Answer[] => {
  const { answers } = response
  const questions = fieldsOf(response['definition'])['fields']
  const titles = new Map(
    (Array.isArray(questions) ? questions : []).map((each) => [fieldsOf(each)['id'], text(fieldsOf(each)['title'])]),
  )
  return (Array.isArray(answers) ? answers : []).filter(isJsonObject).flatMap((answer): Answer[] => {
    const field = fieldsOf(answer['field'])
    const name = text(field['ref']) ?? text(field['id'])
    const value = valueOf(answer)
    if (name === undefined || value === undefined) return []
    return [{ name, title: titles.get(field['id']) ?? '', kind: text(answer['type']) ?? '', value }]
  })
}

const long = {
  name: 'empty answers',
  matches: (_name: string, value: unknown): boolean => value === null || value === '',
}

/**
 * Converts a response to a form of Typeform to a lead. The answers are `fields`; the hidden fields contain the visitor
 * and the click. The token of the response makes the message ID, so that a repeated response counts once. Incomplete
 * responses are not stored.
 */
export const receive: ReceiveWebhook = (call, settings) => {
  const refusal = refusalOf(call, text(text(settings['signing_secret'])?.trim()))
  if (refusal !== undefined) return { refusal }
  const body = parseObject(call.body)
  const response = fieldsOf(body?.['form_response'])
  const token = text(response['token'])
  if (body === undefined || token === undefined)
    return {
      refusal: {
        code: 400,
        reason: 'NOT_A_TYPEFORM_RESPONSE',
        message: 'Not a webhook of Typeform. The body must have `form_response` with a `token`.',
      },
    }
  if (body['event_type'] !== 'form_response') return { events: [] }
  const answers = answersOf(response)
  const hidden = textsOf(response['hidden'])
  const first = (matches: (answer: Answer) => boolean): unknown => answers.find(matches)?.value
  const called = (words: RegExp) => (answer: Answer) =>
    answer.kind === 'text' && (words.test(answer.name) || words.test(answer.title))
  const event = given({
    type: 'track',
    event: 'Lead Created',
    messageId: messageIdOf('typeform', token),
    timestamp: readTimeText(response['submitted_at']),
    userId: text(hidden['user_id']),
    anonymousId: text(hidden[visitorFields.anonymousId]) ?? `typeform-${token}`,
    properties: given({
      lead_id: token,
      form_id: text(response['form_id']),
      form_name: text(fieldsOf(response['definition'])['title']),
      score: fieldsOf(response['calculated'])['score'],
      fields: Object.fromEntries(answers.map(({ name, value }) => [name, value])),
      hidden: Object.keys(hidden).length === 0 ? undefined : hidden,
    }),
    context: given({
      traits: personOf({
        email: first(({ kind }) => kind === 'email') ?? hidden['email'],
        phone: first(({ kind }) => kind === 'phone_number') ?? hidden['phone'],
        firstName: first(called(/first.?name/i)),
        lastName: first(called(/last.?name|surname/i)),
      }),
      ...adContext(paramsOf(hidden)),
      ...consentContext(hidden[visitorFields.consent]),
    }),
  })
  return { events: [fitEvent(event, long)] }
}
