import { createHash } from 'node:crypto'
import { ConfigurationError, type OutgoingEvent } from '@tributary/connector-kit'
import { runConnector, startPeer } from '@tributary/connector-kit/testing'
import { testDestination } from '@tributary/connector-kit/testing-destination'
import { expect, it, onTestFinished } from 'vitest'
import {
  awsAnswer,
  awsCase,
  awsCredentials,
  awsError,
  awsService,
  eventOfBytes,
  twoEvents,
} from '../../wire/aws/testing-aws.ts'
import { sqs } from './definition.ts'

const [track, identify] = twoEvents
const queue = 'https://sqs.eu-central-1.amazonaws.com/123456789012/events'
const withJson = (json: string): OutgoingEvent => ({ ...track, json })

type Entry = { Id: string; MessageBody: string }

// The form of requests and responses: API reference of SQS, "SendMessageBatch" and "BatchResultErrorEntry".
const vendor = awsService('sqs', {
  'AmazonSQS.SendMessageBatch': ({ QueueUrl, Entries }) => {
    if (QueueUrl !== queue) return awsError('QueueDoesNotExist')
    const entries = Entries as Entry[]
    const fault = ({ Id, MessageBody: body }: Entry) => {
      if (body === '{"is":"refused"}')
        return { Id, SenderFault: true, Code: 'InvalidMessageContents', Message: 'Invalid.' }
      return body === '{"is":"failing"}' ? { Id, SenderFault: false, Code: 'InternalError', Message: 'Later.' } : []
    }
    const failed = entries.flatMap(fault)
    const sent = entries
      .filter(({ Id }) => failed.every((each) => each.Id !== Id))
      .map(({ Id, MessageBody: body }) => {
        const md5 = createHash('md5').update(body).digest('hex')
        return { Id, MessageId: `message-${Id}`, MD5OfMessageBody: md5 }
      })
      // The order of results is not that of the entries.
      .reverse()
    return awsAnswer({ Successful: sent, ...(failed.length === 0 ? {} : { Failed: failed }) })
  },
  'AmazonSQS.GetQueueAttributes': ({ QueueUrl }) =>
    QueueUrl === queue
      ? awsAnswer({ Attributes: { QueueArn: 'arn:aws:sqs:eu-central-1:123456789012:events' } })
      : awsError('QueueDoesNotExist'),
})

testDestination(sqs, {
  ...awsCase({ queue_url: queue }),
  vendor,
  events: twoEvents,
  requests: [
    {
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessageBatch' },
      body: {
        QueueUrl: queue,
        Entries: [
          { Id: '0', MessageBody: track.json },
          { Id: '1', MessageBody: identify.json },
        ],
      },
    },
  ],
  connected: 'The queue events can be reached.',
  partialFailure: {
    events: [withJson('{"is":"refused"}'), track, withJson('{"is":"failing"}'), identify],
    outcomes: [
      { kind: 'rejected', reason: 'InvalidMessageContents: Invalid.' },
      { kind: 'delivered' },
      { kind: 'retry', reason: 'InternalError: Later.' },
      { kind: 'delivered' },
    ],
  },
  // SendMessageBatch: a message has at most 1 MiB.
  oversize: {
    events: [track, eventOfBytes(1_048_576)],
    outcomes: [{ kind: 'delivered' }, { kind: 'rejected', reason: expect.stringContaining('1048576') as string }],
    requests: 1,
  },
})

const startQueue = async () => {
  const peer = await startPeer((raw) => {
    const headers = { 'x-amz-target': String(raw.headers['x-amz-target']), 'content-type': '' }
    return vendor({ method: 'POST', host: '', path: '/', query: {}, headers, body: JSON.parse(raw.body), raw })
  })
  onTestFinished(() => peer.close())
  return peer
}

it('a message to a FIFO queue has the person as its group, and an ID that is the same on each attempt', async () => {
  const peer = await startQueue()
  const settings = { ...awsCredentials, region: 'eu-central-1', endpoint: peer.url, queue_url: `${queue}.fifo` }
  const events = [track, withJson(track.json.replace('user-1', 'Ада Л')), withJson('{"anonymousId":"a-1"}')]
  for (let time = 0; time < 2; time++) await runConnector(sqs, settings, events).catch(() => undefined)
  const sent = peer.requests.map(({ body }) => (JSON.parse(body) as { Entries: Record<string, string>[] }).Entries)
  expect(sent[0]?.map((entry) => entry['MessageGroupId'])).toEqual([
    'user-1',
    createHash('sha256').update('Ада Л').digest('hex'),
    'a-1',
  ])
  expect(sent[0]?.[0]?.['MessageDeduplicationId']).toMatch(/^[0-9a-f]{64}$/)
  expect(sent[1]).toEqual(sent[0])
  expect(sqs.ordered?.(settings)).toBe(true)
  expect(sqs.ordered?.({ ...settings, queue_url: queue })).toBe(false)
})

it('a message has no character that SQS refuses, and the same JSON', async () => {
  const peer = await startQueue()
  const settings = { ...awsCredentials, region: 'eu-central-1', endpoint: peer.url, queue_url: queue }
  await runConnector(sqs, settings, [withJson('{"a":"\uffff\ufffe😀"}')])
  const [entry] = (JSON.parse(peer.requests[0]?.body ?? '') as { Entries: Entry[] }).Entries
  expect(entry?.MessageBody).toBe('{"a":"\\uffff\\ufffe😀"}')
  expect(JSON.parse(entry?.MessageBody ?? '')).toEqual({ a: '\uffff\ufffe😀' })
})

it('events for a queue that does not exist wait for a user', async () => {
  const peer = await startQueue()
  const settings = { ...awsCredentials, region: 'eu-central-1', endpoint: peer.url, queue_url: `${queue}-2` }
  const failure = await runConnector(sqs, settings, [track]).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ConfigurationError)
  expect((failure as Error).message).toBe('QueueDoesNotExist: About QueueDoesNotExist.')
})
