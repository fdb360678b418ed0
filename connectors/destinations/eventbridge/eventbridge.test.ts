import { testDestination } from '@tributary/connector-kit/testing-destination'
import { expect } from 'vitest'
import { awsAnswer, awsCase, awsError, awsService, eventOfBytes, twoEvents } from '../../wire/aws/testing-aws.ts'
import { eventbridge } from './definition.ts'

const [track, identify] = twoEvents
/** 2026-01-02T03:04:05Z. A time in AWS JSON 1.1 is a number of seconds (Smithy specification). */
const time = 1_767_323_045

// The form of requests and responses: API reference of EventBridge, "PutEvents" and "PutEventsResultEntry".
testDestination(eventbridge, {
  ...awsCase({ event_bus: 'orders', source: 'shop' }),
  vendor: awsService('events', {
    'AWSEvents.PutEvents': ({ Entries }) => {
      const results = (Entries as { Detail: string; DetailType: string }[]).map(({ DetailType: type }) => {
        if (type === 'malformed') return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' }
        if (type === 'denied') return { ErrorCode: 'NotAuthorizedForDetailTypeException', ErrorMessage: 'Denied.' }
        if (type === 'throttled') return { ErrorCode: 'ThrottlingException', ErrorMessage: 'Rate exceeded.' }
        return { EventId: '17793124-05d4-b198-2fde-7ededc63b103' }
      })
      const failed = results.filter((result) => 'ErrorCode' in result).length
      return awsAnswer({ FailedEntryCount: failed, Entries: results })
    },
    'AWSEvents.DescribeEventBus': ({ Name }) =>
      Name === 'orders' ? awsAnswer({ Name }) : awsError('ResourceNotFoundException'),
  }),
  events: twoEvents,
  requests: [
    {
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSEvents.PutEvents' },
      body: {
        Entries: [
          {
            EventBusName: 'orders',
            Source: 'shop',
            DetailType: 'Order Completed',
            Detail: track.json,
            Time: time,
          },
          { EventBusName: 'orders', Source: 'shop', DetailType: 'identify', Detail: identify.json, Time: time },
        ],
      },
    },
  ],
  connected: 'The event bus orders can be reached.',
  partialFailure: {
    events: ['malformed', 'denied', 'throttled', 'Order Completed'].map((event) => ({ ...track, event })),
    outcomes: [
      { kind: 'rejected', reason: 'MalformedDetail: Detail is malformed.' },
      {
        kind: 'retry',
        reason: 'NotAuthorizedForDetailTypeException: Denied.',
        misconfigured: true,
        ofEvent: true,
      },
      { kind: 'retry', reason: 'ThrottlingException: Rate exceeded.' },
      { kind: 'delivered' },
    ],
  },
  // PutEvents: the entries have less than 1 MB together.
  oversize: {
    events: [track, eventOfBytes(999_999)],
    outcomes: [{ kind: 'delivered' }, { kind: 'rejected', reason: expect.stringContaining('999999') as string }],
    requests: 1,
  },
})
