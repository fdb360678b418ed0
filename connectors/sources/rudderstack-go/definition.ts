import { seeItArrive } from '../arrival.ts'
import { goEvents } from '../code-steps.ts'

/** Source: Go programs with RudderStack's SDK. */
export const rudderstackGo = {
  slug: 'rudderstack-go',
  title: 'RudderStack Go SDK',
  description:
    "Keep RudderStack's Go SDK in your services and point it at this server. Batches, compression and retries work as before.",
  type: 3,
  docsUrl: 'https://www.rudderstack.com/docs/sources/event-streams/sdks/rudderstack-go-sdk/',
  guide: [
    {
      title: 'Install the SDK',
      text: 'Version 4, with modules.',
      code: 'go get github.com/rudderlabs/analytics-go/v4',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: 'Use the URL without a trailing slash. The SDK adds `/v1/batch`. Closing the client flushes it.',
      code: `package main

import (
	"github.com/rudderlabs/analytics-go/v4"
)

func main() {
	client := analytics.New("{{writeKey}}", "{{origin}}")
	defer client.Close()

	sendEvents(client)
}`,
      language: 'go',
    },
    goEvents,
    seeItArrive('A batch is sent within five seconds, or when you close the client.'),
  ],
}
