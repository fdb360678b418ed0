import { defineDestination } from '@tributary/connector-kit'
import { putEvent } from './actions/put-event.ts'
import { deliver, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const policy = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["events:PutEvents", "events:DescribeEventBus"],
      "Resource": "arn:aws:events:eu-central-1:123456789012:event-bus/default"
    }
  ]
}`

const pattern = `{
  "source": ["tributary"],
  "detail-type": ["Order Completed"]
}`

/** Puts events on an event bus of Amazon EventBridge. */
export const eventbridge = defineDestination({
  slug: 'eventbridge',
  title: 'Amazon EventBridge',
  description: 'Puts events on an event bus of Amazon EventBridge, where rules pass them on.',
  docs: {
    url: 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html',
    steps: [
      {
        title: 'Choose an event bus',
        text: 'In Amazon EventBridge, create an event bus, or use the one named default. Note its region.',
      },
      {
        title: 'Create a user that can put events on it',
        text: 'In IAM, create a user with this policy, using your event bus, and create an access key for it. The second action is only for testing the connection.',
        code: policy,
        language: 'json',
      },
      {
        title: 'Create a rule',
        text: 'Rules match the source of the settings, and the name of the event as detail type. Events without a name have their type, such as `identify`. The detail is the whole event, or an object of the fields you map.',
        code: pattern,
        language: 'json',
      },
      {
        title: 'Limits',
        text: 'Events of 1 MB or more are rejected. Every event arrives at least once: use `eventId` in the detail to drop repeats.',
      },
    ],
  },
  category: 'Automation',
  kinds: ['Event Streams'],
  auth: 'key',
  settings,
  check,
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'One event of the bus per event.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['put_event'],
    },
  ],
  actions: [putEvent],
  presets: [{ action: 'put_event', fields: {} }],
  // The limits of PutEvents. Mapped payloads have other sizes, so the connector forms the requests.
  batching: () => ({ maxEvents: 10, maxBytes: 999_999, maxWaitMs: 1000 }),
  testConnection,
  deliver,
})
