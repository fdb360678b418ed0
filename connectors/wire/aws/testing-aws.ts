import type { OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer } from '@tributary/connector-kit/testing'
import type { DestinationCase, VendorRequest } from '@tributary/connector-kit/testing-destination'
import { signatureRefusal } from '../s3/testing-signature.ts'

export const awsCredentials = {
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const region = 'eu-central-1'

/** Returns the error of AWS JSON in the form that "Interpreting Amazon SQS JSON API responses" shows. */
export const awsError = (code: string, status = 400): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: JSON.stringify({ __type: `com.amazonaws.service#${code}`, message: `About ${code}.` }),
})

export const awsAnswer = (output: unknown): PeerAnswer => ({ status: 200, body: JSON.stringify(output) })

/** Returns a service that refuses an invalid signature, and answers each operation by its name. */
export const awsService =
  (
    service: string,
    answers: Readonly<Record<string, (input: Record<string, unknown>) => PeerAnswer>>,
  ): DestinationCase['vendor'] =>
  ({ method, path, headers, body, raw }: VendorRequest) => {
    const refusal = signatureRefusal(raw, awsCredentials, region, service)
    // The codes of "Common Errors" in the API references.
    if (refusal === 'InvalidAccessKeyId') return awsError('UnrecognizedClientException')
    if (refusal !== undefined) return awsError('InvalidSignatureException')
    const answer = answers[headers['x-amz-target'] ?? '']
    if (method !== 'POST' || path !== '/' || answer === undefined) return awsError('UnknownOperationException')
    return answer(body as Record<string, unknown>)
  }

/** The parts of the tests that are the same for all services. */
export const awsCase = (own: Readonly<Record<string, unknown>>) =>
  ({
    settings: (endpoint: string) => ({ ...awsCredentials, region, endpoint, ...own }),
    secrets: [awsCredentials.secret_access_key],
    badCredentials: {
      settings: (endpoint: string) => ({
        access_key_id: awsCredentials.access_key_id,
        secret_access_key: 'another-secret-access-key',
        region,
        endpoint,
        ...own,
      }),
      message: 'InvalidSignatureException: About InvalidSignatureException.',
    },
    // "Common Errors" of the API references: throttling has status 400.
    rateLimit: { answer: awsError('ThrottlingException') },
  }) as const satisfies Partial<DestinationCase>

/** A track event and an identify event. */
export const twoEvents: readonly [OutgoingEvent, OutgoingEvent] = [
  outgoingEvent({ eventId: '0-1-0', messageId: 'message-1', properties: { note: 'ü' } }),
  outgoingEvent({
    eventId: '0-2-0',
    messageId: 'message-2',
    type: 'identify',
    event: '',
    userId: 'user-2',
    traits: { plan: 'pro' },
  }),
]

/** Returns an event whose JSON has at least this many bytes. */
export const eventOfBytes = (bytes: number): OutgoingEvent =>
  outgoingEvent({ eventId: '0-3-0', messageId: 'message-3', properties: { text: 'x'.repeat(bytes) } })
