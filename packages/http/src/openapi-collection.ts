import { type EventType, eventTypes } from '@tributary/contract'
import { type Json, schemaRef } from './openapi-schemas.ts'

const text = { type: 'string' }
const object = { type: 'object', additionalProperties: true }
const id = { type: ['string', 'number', 'null'] }

const common: Json = {
  messageId: { ...id, description: 'An event whose messageId its source has had within 24 hours is not stored again.' },
  userId: id,
  anonymousId: id,
  timestamp: { ...text, description: 'When it happened, RFC 3339.' },
  originalTimestamp: text,
  sentAt: { ...text, description: 'When it was sent, by the same clock as `timestamp`.' },
  context: object,
  integrations: object,
}

/** The fields that each type has in addition to the common ones, and its required fields. */
const own: Readonly<Record<EventType, { properties: Json; required?: readonly string[] }>> = {
  track: { properties: { event: text, properties: object }, required: ['event'] },
  page: { properties: { name: text, properties: object } },
  screen: { properties: { name: text, properties: object } },
  identify: { properties: { traits: object } },
  group: { properties: { groupId: id, traits: object }, required: ['groupId'] },
  alias: { properties: { previousId: id }, required: ['userId', 'previousId'] },
}

const title = (type: string): string => `${type.charAt(0).toUpperCase()}${type.slice(1)}`

const callName = (type: EventType): string => `${title(type)}Call`

/** Returns the schemas of the requests and responses of collection. */
export const collectionSchemas = (): Record<string, Json> => ({
  ...Object.fromEntries(
    eventTypes.map((type) => [
      callName(type),
      {
        type: 'object',
        properties: { ...common, ...own[type].properties },
        ...(own[type].required === undefined ? {} : { required: own[type].required }),
        additionalProperties: true,
      },
    ]),
  ),
  BatchCall: {
    type: 'object',
    properties: {
      batch: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { ...common, type: { enum: [...eventTypes] } },
          additionalProperties: true,
          description: 'A call with the fields of its `type`.',
        },
      },
      context: { ...object, description: "Applies to each event; the event's own keys win." },
      integrations: object,
      sentAt: text,
      writeKey: text,
    },
    required: ['batch'],
  },
  Accepted: { type: 'object', properties: { success: { const: true } }, required: ['success'] },
})

const refusals: Readonly<Record<string, string>> = {
  '400': 'The body is invalid, empty, too deeply nested, or missing required fields; `message` says what to fix.',
  '401': '`WRITE_KEY_MISSING`, `WRITE_KEY_UNKNOWN` or `WRITE_KEY_REVOKED`.',
  '403': '`SIGNED_WEBHOOK_ONLY`: the source accepts only signed webhooks.',
  '404': '`SOURCE_DISABLED`: the source is disabled.',
  '413': '`BODY_TOO_LARGE`: over 4 MiB after decompression.',
  '429': '`WORKSPACE_BACKLOG`: the workspace has too many unprocessed events; send again after `Retry-After`.',
  '503': "The server is starting, stopping, or can't store events right now; send again after `Retry-After`.",
}

const content = (schema: Json): Json => ({ 'application/json': { schema } })

const retryAfter = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } }

const refused = (): Json =>
  Object.fromEntries(
    Object.entries(refusals).map(([code, description]) => [
      code,
      {
        description,
        ...(code === '429' || code === '503' ? { headers: retryAfter } : {}),
        content: content(schemaRef('Error')),
      },
    ]),
  )

/** The security scheme for a write key that is sent outside of the body. */
export const collectionSecurity: Json = {
  writeKeyBasic: { type: 'http', scheme: 'basic', description: 'The write key as user name, an empty password.' },
  writeKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Write-Key' },
  writeKeyQuery: { type: 'apiKey', in: 'query', name: 'writeKey' },
}

const security = [{ writeKeyBasic: [] }, { writeKeyHeader: [] }, { writeKeyQuery: [] }]
const tags = ['collection']

const post = (operationId: string, summary: string, schema: Json): Json => ({
  operationId,
  summary,
  tags,
  security,
  requestBody: { required: true, content: content(schema) },
  responses: {
    '200': { description: 'The request is on disk.', content: content(schemaRef('Accepted')) },
    ...refused(),
  },
})

const pixel = (operationId: string, summary: string, parameters: readonly Json[]): Json => ({
  operationId,
  summary,
  tags,
  security: [{ writeKeyQuery: [] }],
  parameters: [
    { name: 'type', in: 'path', required: true, schema: { enum: [...eventTypes] } },
    { name: 'writeKey', in: 'query', required: true, schema: text },
    ...parameters,
  ],
  responses: {
    '200': {
      description: 'A transparent image, whatever the outcome. Refused events are listed with the source.',
      content: { 'image/gif': {} },
    },
  },
})

const anything = { description: 'Any JSON value.' }
const received = { ...schemaRef('Accepted') }

/** Returns the calls of collection. Their paths are at the root of the server, not below `/api`. */
export const collectionPaths = (): Record<string, Json> => {
  const paths: Record<string, Json> = {
    ...Object.fromEntries(
      eventTypes.map((type) => [
        `/v1/${type}`,
        { post: post(`collection.${type}`, `Takes one ${type} event.`, schemaRef(callName(type))) },
      ]),
    ),
    '/v1/batch': { post: post('collection.batch', 'Accepts a batch of events.', schemaRef('BatchCall')) },
    '/v1/import': { post: post('collection.import', 'Accepts a batch of past events.', schemaRef('BatchCall')) },
    '/v1/webhook': {
      post: post(
        'collection.webhook',
        'Accepts webhooks from services without an SDK; the source turns them into events.',
        anything,
      ),
      get: {
        operationId: 'collection.webhookGet',
        summary: 'Accepts a call without a body; its query parameters are the event.',
        tags,
        security,
        responses: { '200': { description: 'The request is on disk.', content: content(received) }, ...refused() },
      },
    },
    '/v1/forward': {
      post: post('collection.forward', "Accepts events from another platform's webhook destination.", anything),
    },
    '/v1/pixel/{type}': {
      get: pixel('collection.dataPixel', 'Accepts an event as base64-encoded JSON.', [
        { name: 'data', in: 'query', required: true, schema: text },
      ]),
    },
    '/pixel/v1/{type}': {
      get: pixel('collection.queryPixel', 'Accepts an event as query parameters.', [
        { name: 'userId', in: 'query', schema: text },
        { name: 'anonymousId', in: 'query', schema: text },
        { name: 'event', in: 'query', schema: text },
      ]),
    },
  }
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, { servers: [{ url: '/' }], ...item }]))
}
