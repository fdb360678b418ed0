import { eventTypes } from '@tributary/contract'
import { z } from 'zod'
import { descriptionParts } from './schema.ts'
import { withUsualSources } from './schema-sources.ts'

const isText = (given: unknown): given is string => typeof given === 'string'

/** Pages; a single one can be a text. */
const source = z.preprocess(
  (given) => (isText(given) ? [given] : given),
  z
    .url({ protocol: /^https$/ })
    .array()
    .min(1),
)
const values = z.record(z.string(), z.json())

const longEvent = z.strictObject({
  type: z.enum(eventTypes).optional(),
  event: z.string().optional(),
  messageId: z.string().optional(),
  userId: z.string().nullable().optional(),
  anonymousId: z.string().optional(),
  groupId: z.string().optional(),
  previousId: z.string().optional(),
  timestamp: z.string().optional(),
  properties: values.optional(),
  traits: values.optional(),
  context: values.optional(),
  pad: z
    .union([
      z.strictObject({ property: z.string(), bytes: z.int().min(1) }),
      z.strictObject({ path: z.string().max(200), bytes: z.int().min(1) }),
    ])
    .optional(),
})

/**
 * An event of a vector; a text is the name of one. It adds to `sample`. The member `pad` puts a text of so many bytes at
 * a property, or at a path of the event such as `traits.name`.
 */
export const vectorEvent = z.preprocess((given) => (isText(given) ? { event: given } : given), longEvent)
export type VectorEvent = z.output<typeof vectorEvent>

export const vectorRequest = z.strictObject({
  method: z.string(),
  url: z.string(),
  /** Headers that the request must have, among others. */
  headers: z.record(z.string(), z.string()).default({}),
  /** The exact body. */
  body: z.json().optional(),
})

/** An answer; a number is its status code. */
export const vectorAnswer = z.preprocess(
  (given) => (typeof given === 'number' ? { status: given } : given),
  z.strictObject({
    status: z.int(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.json().optional(),
    /** A body that is no JSON. */
    text: z.string().optional(),
  }),
)
export type VectorAnswer = z.output<typeof vectorAnswer>

const longOutcome = (given: unknown): unknown => {
  if (!isText(given)) return given
  const [, word = given, text] = /^(\w+): (.*)$/s.exec(given) ?? []
  if (word === 'misconfigured') return { kind: 'retry', reason: text, misconfigured: true }
  return { kind: word, ...(text === undefined ? {} : { [word === 'delivered' ? 'note' : 'reason']: text }) }
}

/** An outcome, or a text such as `delivered`, `rejected: HTTP 400`, `retry: HTTP 503`, or `misconfigured: HTTP 401`. */
export const vectorOutcome = z.preprocess(
  longOutcome,
  z.strictObject({
    kind: z.enum(['delivered', 'skipped', 'rejected', 'retry']),
    reason: z.string().optional(),
    note: z.string().optional(),
    retryAfterMs: z.number().optional(),
    misconfigured: z.literal(true).optional(),
  }),
)

/** The exact requests of events, by a page, a library, or a specification that shows them. */
const requestVector = z.strictObject({
  name: z.string(),
  source,
  settings: values.default({}),
  events: z.array(vectorEvent).min(1),
  /** Answers to the requests in their order; the answer of `accepts` to all others. */
  answers: z.array(vectorAnswer).default([]),
  requests: z.array(vectorRequest).min(1),
})

/** The outcomes of answers. */
const answerVector = z.strictObject({
  name: z.string(),
  source,
  /** The case that every description shows. */
  shows: z.enum(['bad_credentials', 'rate_limit', 'refused_item', 'too_large']).optional(),
  events: z.array(vectorEvent).min(1),
  answers: z.array(vectorAnswer).default([]),
  outcomes: z.array(vectorOutcome).min(1),
  /** The number of requests. */
  sent: z.int().optional(),
})

/** A deletion of a person, and its requests. */
const deletionVector = z.strictObject({
  source,
  settings: values.default({}),
  userIds: z.array(z.string()),
  anonymousIds: z.array(z.string()).default([]),
  answers: z.array(vectorAnswer).default([]),
  requests: z.array(vectorRequest).min(1),
})

/** Rows of one object, and their requests, where these differ from those of events. */
const rowVector = z.strictObject({
  name: z.string(),
  source,
  settings: values.default({}),
  object: z.string(),
  operation: z.enum(['upsert', 'insert', 'update', 'delete']),
  identifier: z.string(),
  /** The name of an object that users name. */
  list: z.string().default(''),
  rows: z.array(values).min(1),
  answers: z.array(vectorAnswer).default([]),
  requests: z.array(vectorRequest).min(1),
  outcomes: z.array(vectorOutcome).optional(),
})

/**
 * The tests of a description, run by `testDescription`. A grant has the token `access-token-1`, and `access-token-2` after
 * an answer 401. A second 401 ends it.
 */
export const vectors = z.strictObject({
  settings: values,
  /** What the vendor answers to an accepted request. */
  accepts: z.strictObject({ source, answer: vectorAnswer }),
  /** What the vendor answers to a successful test of the connection, if it is another answer. */
  connects: z.strictObject({ source, answer: vectorAnswer }).optional(),
  /** Why no preset sends identify calls. */
  no_identify: z.string().optional(),
  sample: vectorEvent,
  requests: z.array(requestVector).min(1),
  answers: z.array(answerVector).min(1),
  rows: z.array(rowVector).default([]),
  deletion: deletionVector.optional(),
})

/** A description with its test vectors. */
export const testedDescription = descriptionParts.extend({ vectors }).transform(withUsualSources)
export type TestedDescription = z.output<typeof testedDescription>
