import { seeItArrive } from '../arrival.ts'
import { goEvents } from '../code-steps.ts'

/** Source: Go programs with analytics-go. */
export const go = {
  slug: 'go',
  title: 'Go',
  description:
    'Send events from your Go services with the analytics-go library. One client serves the whole process, batches calls, and sends them from its own goroutines.',
  type: 3,
  docsUrl: 'https://github.com/segmentio/analytics-go',
  guide: [
    {
      title: 'Install the library',
      text: 'Go 1.17 or newer, with modules.',
      code: 'go get github.com/segmentio/analytics-go/v3',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: 'Use the URL without a trailing slash. The library adds `/v1/batch`. Closing the client flushes it.',
      code: `package main

import (
	"log"

	"github.com/segmentio/analytics-go/v3"
)

func main() {
	client, err := analytics.NewWithConfig("{{writeKey}}", analytics.Config{
		Endpoint: "{{origin}}",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	sendEvents(client)
}`,
      language: 'go',
    },
    goEvents,
    seeItArrive('A batch is sent within five seconds, or when you close the client.'),
  ],
}
