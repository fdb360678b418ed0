import { defineDestination } from '@tributary/connector-kit'
import { sendMessage } from './actions/send-message.ts'
import { deliver, testConnection } from './deliver.ts'
import { check, isFifo, settings } from './settings.ts'

const policy = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["sqs:SendMessage", "sqs:GetQueueAttributes"],
      "Resource": "arn:aws:sqs:eu-central-1:123456789012:events"
    }
  ]
}`

/** Sends events as messages to a queue of Amazon SQS. */
export const sqs = defineDestination({
  slug: 'sqs',
  title: 'Amazon SQS',
  description: 'Sends events as messages to a standard or FIFO queue of Amazon SQS.',
  docs: {
    url: 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html',
    steps: [
      {
        title: 'Create a queue',
        text: 'In Amazon SQS, create a queue and copy its URL. If it is encrypted with your own key, the user below also needs `kms:GenerateDataKey` and `kms:Decrypt`.',
      },
      {
        title: 'Create a user that can send to it',
        text: 'In IAM, create a user with this policy, using your queue, and create an access key for it. The second action is only for testing the connection.',
        code: policy,
        language: 'json',
      },
      {
        title: 'Read the messages',
        text: 'The body of a message is the whole event as JSON, or an object of the fields you map. Every event arrives at least once: use `eventId` to drop repeats.',
      },
      {
        title: 'FIFO queues',
        text: 'In a queue whose name ends in `.fifo`, the events of one person arrive in their order. The group is the user ID, else the anonymous ID. SQS itself drops repeats within five minutes.',
      },
    ],
  },
  category: 'Databases and storage',
  kinds: ['Event Streams'],
  auth: 'key',
  settings,
  check,
  objects: [
    {
      name: 'messages',
      title: 'Messages',
      description: 'One message per event.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send_message'],
    },
  ],
  actions: [sendMessage],
  presets: [{ action: 'send_message', fields: {} }],
  // The limits of SendMessageBatch. Mapped payloads have other sizes, so the connector forms the requests.
  batching: () => ({ maxEvents: 10, maxBytes: 1_048_576, maxWaitMs: 1000 }),
  ordered: isFifo,
  testConnection,
  deliver,
})
