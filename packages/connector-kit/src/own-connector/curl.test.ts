import { descriptionOfCurl, maxCurlCharacters } from '@tributary/contract'
import { expect, test } from 'vitest'
import { readOwn } from './read-own.ts'
import { runVectors } from './run-vectors.ts'

const described = (command: string) => {
  const reading = descriptionOfCurl(command)
  if (!reading.ok) throw new Error(reading.message)
  const own = readOwn({ description: reading.description, guide: '' }, 'own-1-1')
  if (!own.ok) throw new Error(JSON.stringify(own.problems))
  return { ...own, text: reading.description, title: reading.title, whole: JSON.parse(reading.description) }
}

type Sent = { method: string; url: string; headers?: Record<string, string>; body?: unknown }

/** Commands as pages of vendors show them, with values for their settings and what is sent for one event. */
const commands: [page: string, command: string, settings: Record<string, string>, sent: Sent][] = [
  [
    'https://docs.flexprice.io/api-reference/events/ingest-event',
    `curl --request POST \\
  --url https://api.cloud.flexprice.io/v1/events \\
  --header 'Content-Type: application/json' \\
  --header 'x-api-key: <api-key>' \\
  --data '{
  "customer_id": "customer456",
  "event_id": "event123",
  "event_name": "api_request",
  "external_customer_id": "customer456",
  "properties": {
    "request_size": "100"
  },
  "source": "api",
  "timestamp": "2024-03-20T15:04:05Z"
}'`,
    { api_key: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://api.cloud.flexprice.io/v1/events',
      headers: { 'x-api-key': 'secret-0001' },
      body: {
        customer_id: 'u1',
        event_id: 'event123',
        event_name: 'Signed Up',
        external_customer_id: 'customer456',
        properties: { plan: 'pro' },
        source: 'api',
        timestamp: '2026-01-02T03:04:05.000Z',
      },
    },
  ],
  [
    'https://docs.suprsend.com/reference/trigger-event',
    `curl --request POST \\
  --url https://hub.suprsend.com/event/ \\
  --header 'Authorization: Bearer <token>' \\
  --header 'Content-Type: application/json' \\
  --data '{
  "distinct_id": "0fxxx8f74-xxxx-41c5-8752-xxxcb6911fb08",
  "event": "ON SHIPMENT ARRIVAL",
  "properties": {
    "amount": "3780$",
    "number": "TRXC1034"
  }
}'`,
    { access_token: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://hub.suprsend.com/event/',
      headers: { authorization: 'Bearer secret-0001' },
      body: { distinct_id: 'u1', event: 'Signed Up', properties: { plan: 'pro' } },
    },
  ],
  [
    'https://developers.intercom.com/docs/references/1.0/rest-api/data-events/submitting-events',
    `$ curl https://api.intercom.io/events \\
-X POST \\
-H 'Authorization:Bearer <Your access token>' \\
-H "Content-Type: application/json" -d'
{
  "event_name" : "invited-friend",
  "created_at": 1391691571,
  "user_id" : "314159"
}'`,
    { access_token: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://api.intercom.io/events',
      headers: { authorization: 'Bearer secret-0001' },
      body: { event_name: 'Signed Up', created_at: 1391691571, user_id: 'u1' },
    },
  ],
  [
    'https://docs.openint.dev/api-reference/post-event',
    `curl --request POST --url https://api.openint.dev/v1/event --header 'Authorization: Bearer <token>' --header 'Content-Type: application/json' --data '{
  "event": {
    "name": "<string>",
    "data": {}
  }
}'`,
    { access_token: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://api.openint.dev/v1/event',
      headers: { authorization: 'Bearer secret-0001' },
      body: { event: { name: 'Signed Up', data: { plan: 'pro' } } },
    },
  ],
  [
    'https://docs.devdraft.ai/api-reference/test-payments/process-a-test-payment',
    `curl -X POST \\
https://api.example.com/rest-api/v0/test-payment \\
-H 'Content-Type: application/json' \\
-H 'Client-Key: your-api-key' \\
-H 'Client-Secret: your-api-secret' \\
-H 'Idempotency-Key: payment_123456_unique_key' \\
-d '{
"amount": 100.00,
"currency": "USD",
"description": "Test payment for order #12345",
"customerId": "cus_12345"
}'`,
    { client_key: 'secret-0001', client_secret: 'secret-0002' },
    {
      method: 'POST',
      url: 'https://api.example.com/rest-api/v0/test-payment',
      headers: { 'client-key': 'secret-0001', 'client-secret': 'secret-0002', 'idempotency-key': 'm1' },
      body: { amount: 100, description: 'Test payment for order #12345', customerId: 'u1' },
    },
  ],
  [
    'https://docs-api.woldy.xyz/create-payment-27103662e0',
    `curl --location --request POST 'https://public-api.woldy.xyz/v1/payments' \\
--header 'Authorization: <api-key>' \\
--header 'Content-Type: application/json' \\
--data-raw '{
"amount": "100.50",
"message": "Payment for Order #12345"
}'`,
    { api_key: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://public-api.woldy.xyz/v1/payments',
      headers: { authorization: 'secret-0001' },
      body: { amount: '100.50', message: 'Payment for Order #12345' },
    },
  ],
  [
    'https://www.twilio.com/docs/sendgrid/for-developers/sending-email/curl-examples',
    `curl --request POST \\
  --url https://api.sendgrid.com/v3/mail/send \\
  --header "Authorization: Bearer $SENDGRID_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{"personalizations": [{"to": [{"email": "test@example.com"}]}],"from": {"email": "test@example.com"},"subject": "Sending with SendGrid is Fun","content": [{"type": "text/plain", "value": "and easy to do anywhere, even with cURL"}]}'`,
    { access_token: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://api.sendgrid.com/v3/mail/send',
      headers: { authorization: 'Bearer secret-0001' },
      body: {
        personalizations: [{ to: [{ email: 'ada@example.com' }] }],
        from: { email: 'ada@example.com' },
        subject: 'Sending with SendGrid is Fun',
        content: [{ type: 'text/plain', value: 'and easy to do anywhere, even with cURL' }],
      },
    },
  ],
  [
    'https://resend.com/docs/api-reference/emails/send-email',
    `curl -X POST 'https://api.resend.com/emails' \\
  -H 'Authorization: Bearer re_123456789' \\
  -H 'Content-Type: application/json' \\
  -d $'{
    "from": "onboarding@resend.dev",
    "to": "delivered@resend.dev",
    "subject": "Hello World",
    "html": "<p>It\\'s your <strong>first email</strong>!</p>"
  }'`,
    { access_token: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://api.resend.com/emails',
      headers: { authorization: 'Bearer secret-0001' },
      body: {
        from: 'onboarding@resend.dev',
        to: 'delivered@resend.dev',
        subject: 'Hello World',
        html: "<p>It's your <strong>first email</strong>!</p>",
      },
    },
  ],
  [
    'https://postmarkapp.com/developer/user-guide/send-email-with-api',
    `curl "https://api.postmarkapp.com/email" \\
-X POST \\
-H "Accept: application/json" \\
-H "Content-Type: application/json" \\
-H "X-Postmark-Server-Token: \${POSTMARK_SERVER_TOKEN}" \\
-d '{
"From": "info@yourdomain.com",
"To": "user1@domain.com",
"Subject": "Postmark - Service Testing"
}'`,
    { postmark_server_token: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://api.postmarkapp.com/email',
      headers: { 'x-postmark-server-token': 'secret-0001' },
      body: { From: 'info@yourdomain.com', To: 'user1@domain.com', Subject: 'Postmark - Service Testing' },
    },
  ],
  [
    'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
    `curl -X POST -H 'Content-type: application/json' --data '{"text":"Hello, World!"}' https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX`,
    { webhook_url: 'https://hooks.slack.com/services/T01/B01/secret0001' },
    {
      method: 'POST',
      url: 'https://hooks.slack.com/services/T01/B01/secret0001',
      body: { text: 'Hello, World!' },
    },
  ],
  [
    'https://pushover.net/api',
    `curl -s https://api.pushover.net/1/messages.json -d "token=abc123&user=user123" --data-urlencode "message=hello & world"`,
    { token: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://api.pushover.net/1/messages.json',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'token=secret-0001&user=user123&message=hello+%26+world',
    },
  ],
  [
    'https://pushover.net/faq',
    `curl -s \\
  --form-string "token=abc123" \\
  --form-string "user=user123" \\
  --form-string "message=hello world" \\
  https://api.pushover.net/1/messages.json`,
    { token: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://api.pushover.net/1/messages.json',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'token=secret-0001&user=user123&message=hello+world',
    },
  ],
  [
    'https://core.telegram.org/bots/api#making-requests',
    `curl "https://api.telegram.org/bot<token>/sendMessage?chat_id=@channel&text=Hello"`,
    { token: 'secret-0001' },
    { method: 'GET', url: 'https://api.telegram.org/botsecret-0001/sendMessage?chat_id=%40channel&text=Hello' },
  ],
]

const event = {
  type: 'track',
  event: 'Signed Up',
  messageId: 'm1',
  userId: 'u1',
  timestamp: '2026-01-02T03:04:05.000Z',
  properties: { plan: 'pro' },
  context: { traits: { email: 'ada@example.com' } },
}

test.each(commands)(
  'the command of %s becomes a description that sends the same request',
  async (_, command, settings, sent) => {
    const { definition, whole } = described(command)
    const text = JSON.stringify({
      ...whole,
      vectors: { settings, requests: [{ name: 'it', events: [event], requests: [sent] }] },
    })
    expect(await runVectors(text, definition)).toEqual([
      expect.objectContaining({ ok: true, expected: '', actual: '' }),
    ])
  },
)

test('placeholders become settings, and a host of an account has a label', () => {
  const { whole } = described(
    `curl https://{subdomain}.zendesk.com/api/v2/users/{user_id}.json -u {email}/token:{api_token} -d '{"a": 1}' -X PUT`,
  )
  expect(whole.servers.api).toEqual({ setting: 'subdomain', host: '{}.zendesk.com' })
  expect(whole.requests.send).toMatchObject({ method: 'PUT', path: '/api/v2/users/{{ settings.user_id }}.json' })
  expect(whole.auth.default).toEqual([
    { in: 'basic', user: { setting: 'user_name' }, password: { setting: 'password' } },
  ])
})

test('no secret of a command is in the description', () => {
  const { text } = described(
    `curl -u 'key-hidden-1:' 'http://127.0.0.1:9/a?api_key=key-hidden-2&v=1' -H 'X-Auth-Token: key-hidden-3' --json '{"secret":"key-hidden-4","a":true}'`,
  )
  expect(text).not.toContain('hidden')
})

test('data with -G is the query, and each part of it is a field', () => {
  const { whole } = described(`curl -G https://api.example.com/track -d event=Test --data-urlencode 'label=a b' | jq .`)
  expect(whole.requests.send).toEqual({
    method: 'GET',
    server: 'api',
    path: '/track',
    query: { event: '{{ event }}', label: '{{ label }}' },
  })
  expect(whole.actions.send.fields.label.from).toEqual({ type: 'CONSTANT', value: 'a b' })
})

test.each([
  ['', /Paste/],
  ['wget https://a.example', /begin with curl/],
  ['curl', /no URL/],
  ['curl -F a=b -F c=@d.png https://a.example', /Files/],
  ['curl -F "a=<b.txt" https://a.example', /Files/],
  ['curl -F a https://a.example', /has no =/],
  ['curl https://a.example -d @file.json', /file/],
  ['curl "https://a.example" ^\n -H "a: b"', /Windows/],
  ['curl https://a.example?a=1&b=2', /quotes/],
  ["curl 'https://a.example", /not closed/],
  ['curl https://a.example --unheard-of', /not understood/],
  ['curl https://a.example -d "$(cat x)"', /another command/],
  ['curl https://a.example -H "Content-Type: application/xml" -d "<a/>"', /application\/xml/],
  [`curl https://a.example --json '{"a":'`, /no JSON/],
  ['curl ftp://a.example/x', /URL/],
  ['curl https://a:b@a.example/', /-u/],
  ['curl -I https://a.example', /HEAD/],
  ['curl https://a.example; rm x', /more than one/],
  [`curl https://a.example --json '${'['.repeat(20_000)}${']'.repeat(20_000)}'`, /deep/],
  ['curl '.padEnd(maxCurlCharacters + 1, 'x'), /64 KB/],
])('the command %j is refused with a sentence', (command, message) => {
  const reading = descriptionOfCurl(command)
  expect(reading.ok ? '' : reading.message).toMatch(message)
})

test('a long command of many words, quotes, and lines is read at once', () => {
  for (const part of [' \\\n-s', " ''", '\n-s', ' "a"', "$'\\x41'", '%', '{', '&a=1'])
    descriptionOfCurl(`curl 'https://a.example/' ${part.repeat(Math.floor(60_000 / part.length))}`)
})

test('a multipart form without files becomes a URL-encoded form, and keeps its texts', () => {
  const { whole } = described(
    `curl -H 'Content-Type: multipart/form-data' -F 'text=a & b=c;d;type=text/plain' --form-string 'note=@home' https://a.example`,
  )
  expect(whole.requests.send).toEqual({ method: 'POST', server: 'api', path: '/', encoding: 'form' })
  const { text, note } = whole.actions.send.fields
  expect([text.from.value, note.from.value]).toEqual(['a & b=c;d', '@home'])
})

test('a secret inside an object of the body is not in the description', () => {
  const text = `curl https://api.vendor.example/v1 -H 'X-Api-Key: s3cr3t-1' --json '{"user":{"auth":{"token":"s3cr3t-2"}}}'`
  const made = descriptionOfCurl(text)
  expect(JSON.stringify(made)).toContain('user')
  expect(JSON.stringify(made)).not.toMatch(/s3cr3t-[12]/)
})
