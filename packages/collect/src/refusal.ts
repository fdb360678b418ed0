import { cutText } from '@tributary/kernel'
/**
 * A response other than success, for the error body with code, reason, message and metadata. `message` says what to
 * fix.
 */
export type Refusal = {
  code: number
  reason: string
  message: string
  metadata?: Record<string, string>
  /** Seconds after which clients can retry, because the server is overloaded. Such a refusal loses no event. */
  retryAfter?: number
}

const refusal = (code: number, reason: string, message: string, metadata?: Record<string, string>): Refusal => ({
  code,
  reason,
  message,
  ...(metadata === undefined ? {} : { metadata }),
})

/**
 * Returns the refusal of a request that blocked the thread twice and is no longer processed; `message` says until when.
 */
export const held = (message: string): Refusal => refusal(422, 'HELD', message)

export const missingKey = refusal(
  401,
  'WRITE_KEY_MISSING',
  'The request has no write key. Send it as the user name of Basic authorization with an empty password, or as `writeKey` in the body.',
)
export const unknownKey = refusal(
  401,
  'WRITE_KEY_UNKNOWN',
  "The write key is not valid. Copy the key from the source's setup page.",
)
export const foreignDomain = refusal(
  403,
  'DOMAIN_OF_ANOTHER_WORKSPACE',
  "This domain belongs to another workspace. Send events to the address on the source's setup page.",
)
export const revokedKey = refusal(
  401,
  'WRITE_KEY_REVOKED',
  "The write key was revoked. Replace it with a key from the source's setup page.",
)
export const unknownPathKey = refusal(
  404,
  'WRITE_KEY_UNKNOWN',
  "The write key in this URL belongs to no source. Copy the key from the source's setup page.",
)
export const sourceDisabled = refusal(
  404,
  'SOURCE_DISABLED',
  'source is disabled: enable it in its settings to send events',
)
export const signedOnly = refusal(
  403,
  'SIGNED_WEBHOOK_ONLY',
  'This source accepts only signed webhooks at /v1/webhook. For other events, create another source.',
)
export const emptyBody = refusal(400, 'EMPTY_BODY', 'The body is empty. Send one JSON object.')
export const notAnObject = refusal(
  400,
  'NOT_AN_OBJECT',
  'The body must be one JSON object, not a list or a single value.',
)
export const noBatch = refusal(
  400,
  'BATCH_MISSING',
  'The body needs `batch`, a list of events. Send single events to /v1/track, /v1/identify, and so on.',
)
export const emptyBatch = refusal(400, 'EMPTY_BATCH', 'The `batch` is empty. Send at least one event.')
export const badCompression = refusal(
  400,
  'INVALID_COMPRESSION',
  "The body can't be decompressed. Check that Content-Encoding matches how it was compressed.",
)
export const badPixel = refusal(400, 'INVALID_PIXEL', 'The `data` parameter must be a base64-encoded JSON object.')
export const tooDeep = (limit: number): Refusal =>
  refusal(400, 'TOO_DEEP', `The event is nested deeper than ${limit} levels. Flatten it.`, { limit: String(limit) })

export const badJson = (position: string | undefined): Refusal =>
  refusal(
    400,
    'INVALID_JSON',
    'The body is not valid JSON. Send one JSON object in UTF-8.',
    position === undefined ? undefined : { position },
  )

export const badEncoding = (encoding: string): Refusal =>
  refusal(400, 'UNSUPPORTED_ENCODING', 'The Content-Encoding is not supported. Use gzip, deflate, br, zstd, or none.', {
    encoding: encoding.slice(0, 40),
  })

/** The refusal of bytes that are invalid in the charset. Decoding them anyway could turn two users into one. */
export const wrongBytes = refusal(
  400,
  'NOT_UTF8',
  'The bytes of the request are not valid in its charset. Send UTF-8, or name the charset in Content-Type.',
)
export const unknownCharset = (contentType: string): Refusal =>
  refusal(400, 'UNKNOWN_CHARSET', 'The charset in Content-Type is not known, and the body is not UTF-8. Send UTF-8.', {
    content_type: contentType.slice(0, 80),
  })

export const bodyTooLarge = (limit: number): Refusal =>
  refusal(413, 'BODY_TOO_LARGE', `The body is over ${limit} bytes (after decompression). Send smaller batches.`, {
    limit: String(limit),
  })

export const keylessBodyTooLarge = (limit: number): Refusal =>
  refusal(
    413,
    'BODY_TOO_LARGE',
    `A body that contains the key can be at most ${limit} bytes (after decompression). Send the key as the user name of Basic authorization, or send smaller batches.`,
    { limit: String(limit) },
  )

export const tooManyValues = (limit: number): Refusal =>
  refusal(400, 'TOO_MANY_VALUES', `The body has more than ${limit} values. Send smaller batches.`, {
    limit: String(limit),
  })

export const eventTooLarge = (size: number, limit: number): Refusal =>
  refusal(
    400,
    'EVENT_TOO_LARGE',
    `The event is over ${limit} bytes. Remove fields you don't need, or replace large values with a link.`,
    {
      limit: String(limit),
      size: String(size),
    },
  )

export const unknownType = (type: string): Refusal =>
  refusal(
    400,
    'UNKNOWN_TYPE',
    'The event `type` is not supported. Use track, page, screen, identify, group, or alias.',
    {
      type: cutText(type, 40),
    },
  )

/** Returns the refusal of an event that lacks a field that its type requires. */
export const missingField = (type: string, field: string, message: string): Refusal =>
  refusal(400, 'MISSING_FIELD', message, { type, field })

export const unknownPath = refusal(
  404,
  'PATH_UNKNOWN',
  'This endpoint does not exist. Send events to /v1/batch, or to /v1/track, /v1/identify, and so on.',
)
export const notHosted = refusal(404, 'NOT_HOSTED', 'This file is not served here.')
export const wrongMethod = (allowed: readonly string[]): Refusal =>
  refusal(405, 'METHOD_NOT_ALLOWED', `Use ${allowed.join(' or ')} for this call.`, { allowed: allowed.join(', ') })
export const fault = refusal(
  500,
  'INTERNAL',
  'Something went wrong on our side. The request was not accepted. Send it again.',
)

/** Returns the refusals after which the client should retry, not before this many seconds. */
export const retryLaterAfter = (retryAfter: number) => {
  const later = (code: number, reason: string, message: string): Refusal => ({ code, reason, message, retryAfter })
  return {
    starting: later(503, 'STARTING', 'The server is starting. Send the request again later.'),
    stopping: later(503, 'STOPPING', 'The server is stopping. Send the request again later.'),
    diskFull: later(
      503,
      'STORAGE_FULL',
      "The server can't accept more events right now. Send the request again later.",
    ),
    overloaded: later(503, 'OVERLOADED', "The server's queue is full. Send the request again later."),
    keylessOverloaded: later(
      503,
      'OVERLOADED',
      'Too many requests without a key in the header are in progress. Send the key as the user name of Basic authorization, or send the request again later.',
    ),
    tooSlow: later(408, 'REQUEST_TIMEOUT', 'The body did not arrive in time. Send the request again.'),
    unavailable: later(
      503,
      'LOG_UNAVAILABLE',
      "The server can't store events right now. Send the request again later.",
    ),
    moving: later(
      503,
      'WORKSPACE_MOVING',
      'Events of this workspace are being moved to other partitions. Send the request again later.',
    ),
    settingsUnreadable: later(
      503,
      'SETTINGS_UNREADABLE',
      "The source's secrets can't be decrypted with the server's secret key. Send the request again later.",
    ),
    quota: later(
      429,
      'WORKSPACE_BACKLOG',
      'The workspace has more unprocessed events than its share of the queue. Send the request again later.',
    ),
    slowed: later(
      429,
      'OVERLOADED',
      'The server accepts fewer events now, because earlier ones are not delivered yet. Send the request again later.',
    ),
    busy: later(
      429,
      'WORKSPACE_BUSY',
      "The workspace's source templates use more time than its share. Simplify them, and send the request again later.",
    ),
    largeBusy: later(
      429,
      'WORKSPACE_BUSY',
      'Large requests use more time than their share. Send batches of at most 256 KiB, or send the request again later.',
    ),
  }
}

/** Refusals after which the client should retry later. */
export type RetryLater = ReturnType<typeof retryLaterAfter>
