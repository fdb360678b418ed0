import { defineDestination } from '@tributary/connector-kit'
import { sendRecord } from './actions/send-record.ts'
import { deliver, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const commands = `kafka-topics.sh --bootstrap-server kafka.example.com:9092 --create --topic events --partitions 6
kafka-configs.sh --bootstrap-server kafka.example.com:9092 --alter --entity-type users \\
  --entity-name tributary --add-config 'SCRAM-SHA-512=[password=your-password]'
kafka-acls.sh --bootstrap-server kafka.example.com:9092 --add --allow-principal User:tributary \\
  --operation Write --operation Describe --topic events`

/** Sends events as records to a topic of Kafka. */
export const kafka = defineDestination({
  slug: 'kafka',
  title: 'Apache Kafka',
  description: 'Sends events as records to a topic of Apache Kafka, or of a service with its protocol.',
  docs: {
    url: 'https://kafka.apache.org/documentation/',
    steps: [
      {
        title: 'Create a topic and a user',
        text: 'Create the topic, and a user that may write to it and describe it. With a hosted Kafka such as Confluent Cloud, create an API key instead and choose PLAIN.',
        code: commands,
        language: 'shell',
      },
      {
        title: 'Make the brokers reachable',
        text: 'Tributary connects to the brokers of the settings, and then to the advertised listeners of the leaders. To reach brokers inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`.',
      },
      {
        title: 'Read the records',
        text: 'The value is the whole event as JSON, or an object of the fields you map. The key is the user ID, else the anonymous ID, so the events of one person are in one partition, in their order. The time of a record is that of sending.',
      },
      {
        title: 'Guarantees',
        text: 'A record is delivered when all in-sync replicas have it. Every event arrives at least once: use `eventId` to drop repeats. Only a record that is larger than the topic allows is rejected. Tested with Kafka 3.9.',
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
      name: 'records',
      title: 'Records',
      description: 'One record per event.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send_record'],
    },
  ],
  actions: [sendRecord],
  presets: [{ action: 'send_record', fields: {} }],
  // A request stays below the usual limit of a batch (message.max.bytes, 1,048,588), also if all its records have one key.
  batching: () => ({ maxEvents: 1000, maxBytes: 900_000, maxWaitMs: 500 }),
  concurrency: 1,
  ordered: ({ key }) => key === 'person',
  testConnection,
  deliver,
})
