import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { receive } from './receive.ts'

const secret = 'abc123'
const call = (body: string, signature?: string) => ({
  method: 'POST',
  body: Buffer.from(body),
  headers: {
    'typeform-signature': signature ?? `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`,
  },
  query: new URLSearchParams(),
  receivedAt: Date.parse('2018-01-18T18:17:05Z'),
})
const receiptOf = (body: string, settings: object = { signing_secret: secret }, signature?: string) =>
  receive(call(body, signature), { ...settings })

/**
 * The payload of https://www.typeform.com/developers/webhooks/example-payload/, shortened, with hidden fields of a
 * visit.
 */
const payload = {
  event_id: 'LtWXD3crgy',
  event_type: 'form_response',
  form_response: {
    form_id: 'lT4Z3j',
    token: 'a3a12ec67a1365927098a606107fac15',
    submitted_at: '2018-01-18T18:17:02Z',
    landed_at: '2018-01-18T18:07:02Z',
    calculated: { score: 9 },
    hidden: { user_id: 'abc123456', gclid: 'EAIaIQ', utm_source: 'google', tributary_consent: 'granted' },
    definition: {
      id: 'lT4Z3j',
      title: 'Webhooks example',
      fields: [
        {
          id: 'DlXFaesGBpoF',
          title: 'What is it like where you live?',
          type: 'long_text',
          ref: 'readable_ref_long_text',
        },
        { id: 'SMEUb7VJz92Q', title: 'Please give us your email address.', type: 'email', ref: 'readable_ref_email' },
        { id: 'JwWggjAKtOkA', title: 'What is your first name?', type: 'short_text', ref: 'readable_ref_short_text' },
      ],
    },
    answers: [
      { type: 'text', text: "It's cold right now!", field: { id: 'DlXFaesGBpoF', type: 'long_text' } },
      {
        type: 'email',
        email: 'laura@example.com',
        field: { id: 'SMEUb7VJz92Q', type: 'email', ref: 'readable_ref_email' },
      },
      {
        type: 'text',
        text: 'Laura',
        field: { id: 'JwWggjAKtOkA', type: 'short_text', ref: 'readable_ref_short_text' },
      },
      { type: 'phone_number', phone_number: '+4930123456', field: { id: 'p', type: 'phone_number' } },
      { type: 'choice', choice: { label: 'London' }, field: { id: 'c', type: 'dropdown' } },
      {
        type: 'choices',
        choices: { labels: ['London', 'Sydney'], other: 'Rome' },
        field: { id: 'cs', type: 'picture_choice' },
      },
      { type: 'boolean', boolean: false, field: { id: 'b', type: 'yes_no' } },
      { type: 'number', number: 5, field: { id: 'n', type: 'number' } },
      { type: 'nothing', field: { id: 'x' } },
      7,
    ],
  },
}

test('AMB-72: a response becomes a Lead Created with its answers, its person, and the visit data in hidden fields', () => {
  expect(receiptOf(JSON.stringify(payload))).toEqual({
    events: [
      {
        type: 'track',
        event: 'Lead Created',
        messageId: 'typeform-a3a12ec67a1365927098a606107fac15',
        timestamp: '2018-01-18T18:17:02.000Z',
        userId: 'abc123456',
        anonymousId: 'typeform-a3a12ec67a1365927098a606107fac15',
        properties: {
          lead_id: 'a3a12ec67a1365927098a606107fac15',
          form_id: 'lT4Z3j',
          form_name: 'Webhooks example',
          score: 9,
          fields: {
            DlXFaesGBpoF: "It's cold right now!",
            readable_ref_email: 'laura@example.com',
            readable_ref_short_text: 'Laura',
            p: '+4930123456',
            c: 'London',
            cs: ['London', 'Sydney', 'Rome'],
            b: false,
            n: 5,
          },
          hidden: payload.form_response.hidden,
        },
        context: {
          traits: { email: 'laura@example.com', phone: '+4930123456', firstName: 'Laura' },
          clickIds: { gclid: 'EAIaIQ' },
          campaign: { source: 'google' },
          consent: { categoryPreferences: { advertising: true } },
        },
      },
    ],
  })
})

test('an incomplete response is accepted and not stored', () => {
  expect(receiptOf(JSON.stringify({ ...payload, event_type: 'form_response_partial' }))).toEqual({ events: [] })
})

test.each([
  ['{"a":1}', {}, undefined, 'SIGNING_SECRET_NOT_SET'],
  ['{"a":1}', { signing_secret: 'other' }, undefined, 'SIGNATURE_INVALID'],
  ['{"a":1}', { signing_secret: secret }, '', 'SIGNATURE_MISSING'],
  ['{"a":1}', { signing_secret: secret }, 'sha1=abc', 'SIGNATURE_MISSING'],
  ['{"a":1}', { signing_secret: secret }, 'sha256=abc', 'SIGNATURE_INVALID'],
  ['{"a":1}', { signing_secret: secret }, undefined, 'NOT_A_TYPEFORM_RESPONSE'],
  ['[]', { signing_secret: secret }, undefined, 'NOT_A_TYPEFORM_RESPONSE'],
  ['{', { signing_secret: secret }, undefined, 'NOT_A_TYPEFORM_RESPONSE'],
])('the body %s with %j and the signature %s is refused as %s', (body, settings, signature, reason) => {
  expect(receiptOf(body, settings, signature)).toMatchObject({ refusal: { reason } })
})

test('a response whose parts have unexpected types still counts', () => {
  const form_response = { token: 't', answers: 'x', hidden: [1], definition: null, submitted_at: 'yesterday' }
  expect(receiptOf(JSON.stringify({ event_type: 'form_response', form_response }))).toMatchObject({
    events: [{ messageId: 'typeform-t', properties: { fields: {} } }],
  })
})

test('the signature of a call in another charset covers the bytes that were sent', () => {
  const sent = Buffer.from(JSON.stringify({ ...payload, event_id: 'José' }), 'latin1')
  const signature = `sha256=${createHmac('sha256', secret).update(sent).digest('base64')}`
  const decoded = call(sent.toString('latin1'), signature)
  expect(receive({ ...decoded, sent }, { signing_secret: secret })).toHaveProperty('events')
  expect(receive(decoded, { signing_secret: secret })).toMatchObject({ refusal: { reason: 'SIGNATURE_INVALID' } })
})
