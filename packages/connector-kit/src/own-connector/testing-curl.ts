type Sent = { method: string; url: string; headers?: Record<string, string>; body?: unknown }

/** Commands as pages of vendors show them, with values for their settings and what is sent for one event. */
export const curlCommands: [page: string, command: string, settings: Record<string, string>, sent: Sent][] = [
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
    'https://postmarkapp.com/developer/user-guide/sending-email/sending-with-api',
    `curl "https://api.postmarkapp.com/email" \\
-X POST \\
-H "Accept: application/json" \\
-H "Content-Type: application/json" \\
-H "X-Postmark-Server-Token: server token" \\
-d '{
"From": "sender@example.com",
"To": "receiver@example.com",
"Subject": "Postmark test",
"TextBody": "Hello dear Postmark user.",
"HtmlBody": "<html><body><strong>Hello</strong> dear Postmark user.</body></html>",
"MessageStream": "outbound"
}'`,
    { postmark_server_token: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://api.postmarkapp.com/email',
      headers: { 'x-postmark-server-token': 'secret-0001' },
      body: {
        From: 'sender@example.com',
        To: 'receiver@example.com',
        Subject: 'Postmark test',
        TextBody: 'Hello dear Postmark user.',
        HtmlBody: '<html><body><strong>Hello</strong> dear Postmark user.</body></html>',
        MessageStream: 'outbound',
      },
    },
  ],
  [
    'https://github.com/resend/resend-curl-example',
    `curl -X POST 'https://api.resend.com/emails' \\
  -H 'Authorization: Bearer re_123456789' \\
  -H 'Content-Type: application/json' \\
  -d $'{
    "from": "onboarding@resend.dev",
    "to": "delivered@resend.dev",
    "subject": "Hello World",
    "html": "<strong>it works!</strong>"
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
        html: '<strong>it works!</strong>',
      },
    },
  ],
  [
    // The texts have templates of the vendor, which are sent as they are.
    'https://www.twilio.com/docs/email/api/personalization',
    `curl -X POST 'https://comms.twilio.com/v1/Emails' \\
-H 'Content-Type: application/json' \\
-d '{
    "from": {
        "address": "support@example.com",
        "name": "Support Team"
    },
    "content": {
        "subject": "Hello {{ firstName | default: '\\''there'\\'' }}",
        "text": "Hey {{ firstName | default: '\\''there'\\'' }} {{ lastName }}, your order is ready."
    }
}' \\
-u $TWILIO_ACCOUNT_SID:$TWILIO_AUTH_TOKEN`,
    { user_name: 'AC01', password: 'secret-0001' },
    {
      method: 'POST',
      url: 'https://comms.twilio.com/v1/Emails',
      headers: { authorization: `Basic ${btoa('AC01:secret-0001')}` },
      body: {
        from: { address: 'support@example.com', name: 'Support Team' },
        content: {
          subject: "Hello {{ firstName | default: 'there' }}",
          text: "Hey {{ firstName | default: 'there' }} {{ lastName }}, your order is ready.",
        },
      },
    },
  ],
  [
    'https://api.slack.com/incoming-webhooks',
    `curl -X POST -H 'Content-type: application/json' --data '{"text":"This is a line of text.\\nAnd this is another one."}' https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX`,
    { webhook_url: 'https://hooks.slack.com/services/T01/B01/secret0001' },
    {
      method: 'POST',
      url: 'https://hooks.slack.com/services/T01/B01/secret0001',
      body: { text: 'This is a line of text.\nAnd this is another one.' },
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
