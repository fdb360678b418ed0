import { ConfigurationError, RetryableError, validateSettings } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnector, startPeer } from '@tributary/connector-kit/testing'
import { expect, it, onTestFinished } from 'vitest'
import { kinesis } from '../../destinations/kinesis/definition.ts'
import { sqs } from '../../destinations/sqs/definition.ts'
import { awsErrorOf } from './call.ts'
import { signAws } from './sign.ts'
import { awsAnswer, awsCredentials, awsError } from './testing-aws.ts'

const access = { ...awsCredentials, region: 'us-east-1' }

it("a request has the signature of the vendor's test suite (aws-c-auth, v4/post-x-www-form-urlencoded)", async () => {
  const headers = await signAws(
    access,
    'service',
    {
      url: 'https://example.amazonaws.com/',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '13' },
      body: 'Param1=value1',
    },
    Date.parse('2015-08-30T12:36:00Z'),
  )
  expect(headers).toMatchObject({
    'x-amz-date': '20150830T123600Z',
    'x-amz-content-sha256': '9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=content-length;content-type;host;x-amz-content-sha256;x-amz-date, Signature=d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b',
  })
})

// The forms of a code in the Smithy specification, "Operation error serialization".
it.each([
  ['{"__type":"FooError"}', {}],
  ['{"__type":"FooError:http://internal.amazon.com/coral/com.amazon.coral.validate/"}', {}],
  ['{"__type":"aws.protocoltests.restjson#FooError"}', {}],
  ['{"__type":"aws.protocoltests.restjson#FooError:http://internal.amazon.com/coral/com.amazon.coral.validate/"}', {}],
  ['{"code":"FooError"}', {}],
  ['', { 'x-amzn-errortype': 'FooError:http://internal.amazon.com/coral/com.amazon.coral.validate/' }],
])('the code of the error %s with the headers %j is read', (body, headers) => {
  expect(awsErrorOf({ answer: { status: 400, headers, body, latencyMs: 1 } }).code).toBe('FooError')
})

const settings = { ...awsCredentials, region: 'eu-central-1', stream_name: 'events' }

const events = (count: number, bytes = 10) =>
  Array.from({ length: count }, (_, at) =>
    outgoingEvent({ eventId: `0-${at}-0`, messageId: `m${at}`, properties: { text: 'x'.repeat(bytes) } }),
  )

const put = (count: unknown): PeerAnswer =>
  awsAnswer({ FailedRecordCount: 0, Records: Array.from({ length: Number(count) }, () => ({ SequenceNumber: '1' })) })

const startStream = async (answer: (records: unknown[], at: number) => PeerAnswer) => {
  const sizes: number[] = []
  const peer = await startPeer(({ body }, at) => {
    const { Records: records } = JSON.parse(body) as { Records: unknown[] }
    sizes.push(records.length)
    return answer(records, at)
  })
  onTestFinished(() => peer.close())
  return { sizes, settings: { ...settings, endpoint: peer.url } }
}

it('a batch over the size of a request is sent in several requests', async () => {
  const stream = await startStream((records) => put(records.length))
  const { outcomes } = await runConnector(kinesis, stream.settings, events(6, 900_000))
  expect(stream.sizes).toEqual([4, 2])
  expect(outcomes).toEqual(events(6).map(() => ({ kind: 'delivered' })))
})

it('records that a response accepted are not sent again if a later request of the batch fails', async () => {
  const stream = await startStream((records, at) =>
    at === 0 ? put(records.length) : awsError('AccessDeniedException'),
  )
  const { outcomes } = await runConnector(kinesis, stream.settings, events(11, 900_000))
  const waiting = {
    kind: 'retry',
    reason: 'AccessDeniedException: About AccessDeniedException.',
    misconfigured: true,
    ofEvent: true,
  }
  expect(stream.sizes).toEqual([4, 4])
  expect(outcomes).toEqual(events(11).map((_, at) => (at < 4 ? { kind: 'delivered' } : waiting)))
})

it.each([
  ['AccessDeniedException', 400, ConfigurationError],
  ['ResourceNotFoundException', 400, ConfigurationError],
  ['UnrecognizedClientException', 400, ConfigurationError],
  ['KMSThrottlingException', 400, RetryableError],
  ['ProvisionedThroughputExceededException', 400, RetryableError],
  ['InternalFailure', 500, RetryableError],
  ['RequestExpired', 400, RetryableError],
])('the error %s with status %i holds or repeats all events', async (code, status, kind) => {
  const stream = await startStream(() => awsError(code, status))
  const failure = await runConnector(kinesis, stream.settings, events(2)).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(kind)
  expect((failure as Error).message).toContain(code)
})

it('a response without a result for each record delivers nothing', async () => {
  const stream = await startStream(() => put(1))
  await expect(runConnector(kinesis, stream.settings, events(2))).rejects.toThrow(RetryableError)
})

it('a request that is too large is sent in halves', async () => {
  const stream = await startStream((records) => (records.length > 1 ? { status: 413 } : put(1)))
  const { outcomes } = await runConnector(kinesis, stream.settings, events(3))
  expect(stream.sizes).toEqual([3, 2, 1, 1, 1])
  expect(outcomes).toEqual(events(3).map(() => ({ kind: 'delivered' })))
})

it('a reason that all records share costs few requests, and the records that were not sent alone wait', async () => {
  const stream = await startStream(() => ({ status: 413 }))
  const { outcomes } = await runConnector(kinesis, stream.settings, events(100))
  expect(stream.sizes.length).toBeLessThan(50)
  const kinds = (outcomes as { kind: string }[]).map(({ kind }) => kind)
  expect(kinds.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'rejected'))
  expect(new Set(kinds.slice(20))).toEqual(new Set(['retry']))
})

const host = async (region: string): Promise<string> => {
  let called = ''
  const rebase = (url: string): string => {
    called = url
    return 'http://127.0.0.1:1/'
  }
  await runConnector(kinesis, { ...settings, region }, events(1), { rebase }).catch(() => undefined)
  return called
}

// The host names of @aws-sdk/client-kinesis 3.1143.0, endpoint rules.
it.each([
  ['eu-central-1', 'https://kinesis.eu-central-1.amazonaws.com/'],
  ['cn-north-1', 'https://kinesis.cn-north-1.amazonaws.com.cn/'],
  ['us-gov-west-1', 'https://kinesis.us-gov-west-1.amazonaws.com/'],
])('requests in the region %s go to %s', async (region, url) => {
  expect(await host(region)).toBe(url)
})

it.each(['evil.example/', 'eu-central-1.evil.example', 'eu-central-1@evil', 'x', 'eu-central-1#', 'EU-central-1'])(
  'the region %s is rejected, because it is part of the host',
  (region) => {
    expect(validateSettings(kinesis, { ...settings, region })).toMatchObject({
      ok: false,
      errors: { region: expect.any(String) },
    })
  },
)

it.each([
  ['https://sqs.eu-central-1.amazonaws.com/123456789012/events', undefined],
  ['https://sqs.eu-central-1.amazonaws.com/123456789012/events.fifo', undefined],
  ['https://sqs.us-east-1.amazonaws.com/123456789012/events', 'The queue is in us-east-1, not in the region'],
  ['https://evil.example/123456789012/events', 'Enter the URL of a queue on AWS'],
  ['https://sqs.eu-central-1.amazonaws.com/123456789012/a b', 'Enter the URL of a queue, as its page shows it'],
  ['events', 'Enter the URL of a queue, as its page shows it'],
])('the queue %s has the problem %s', (url, problem) => {
  const checked = validateSettings(sqs, { ...awsCredentials, region: 'eu-central-1', queue_url: url })
  expect(checked).toMatchObject(problem === undefined ? { ok: true } : { ok: false, errors: { queue_url: problem } })
})
