import { z } from 'zod'
import { vectorAnswer, vectorEvent, vectorOutcome, vectorRequest } from '../description/format/vectors.ts'

const values = z.record(z.string(), z.json())
/** A page that shows the values; here, it may be absent. */
const source = z.json().optional()
const name = z.string().max(200).default('')
const events = z.array(vectorEvent).min(1).max(20)
const answers = z.array(vectorAnswer).max(100).default([])

const requestVector = z.looseObject({
  name,
  source,
  settings: values.default({}),
  events,
  answers,
  requests: z.array(vectorRequest).max(100),
})

const answerVector = z.looseObject({
  name,
  source,
  settings: values.default({}),
  events,
  answers,
  outcomes: z.array(vectorOutcome).min(1).max(20),
})

const deletionVector = z.looseObject({
  source,
  settings: values.default({}),
  userIds: z.array(z.string()).max(100).default([]),
  anonymousIds: z.array(z.string()).max(100).default([]),
  answers,
  requests: z.array(vectorRequest).max(100),
})

/** Rows of one object as a sync writes them. */
const rowVector = z.looseObject({
  name,
  source,
  settings: values.default({}),
  object: z.string().max(200),
  operation: z.enum(['upsert', 'insert', 'update', 'delete']).default('upsert'),
  identifier: z.string().max(200),
  /** The name of an object that users name. */
  list: z.string().max(200).default(''),
  rows: z.array(values).min(1).max(20),
  answers,
  requests: z.array(vectorRequest).max(100),
  /** By default, all rows are delivered. */
  outcomes: z.array(vectorOutcome).min(1).max(20).optional(),
})

/** The vectors of an own description: those of the product's descriptions, in which everything may be absent. */
export const ownVectors = z.looseObject({
  settings: values.default({}),
  accepts: z.looseObject({ source, answer: vectorAnswer }).optional(),
  sample: vectorEvent.optional(),
  requests: z.array(requestVector).default([]),
  answers: z.array(answerVector).default([]),
  rows: z.array(rowVector).default([]),
  deletion: deletionVector.optional(),
})
export type OwnVectors = z.output<typeof ownVectors>
