import { isDeepStrictEqual } from 'node:util'
import { ownConnectorLimits, type PipelineEvent } from '@tributary/contract'
import { isJsonObject, silentLogger } from '@tributary/kernel'
import type {
  DeliverContext,
  DeliverResult,
  DestinationDefinition,
  EventOutcome,
  OutgoingEvent,
  OutgoingRow,
  Settings,
} from '../definition/definition.ts'
import { validateSettings } from '../definition/settings.ts'
import type { VectorAnswer, VectorEvent } from '../description/format/vectors.ts'
import { vectorEventOf, vectorGrant, vectorNow, vectorOutcomeOf } from '../description/vector-parts.ts'
import { ConfigurationError, DeliveryError } from '../errors.ts'
import { callOnce } from '../http/lifetime.ts'
import type { HttpAnswer, OutgoingRequest } from '../http/request-client.ts'
import { compileMappings } from '../mapping/compile.ts'
import { presetMappings } from '../mapping/presets.ts'
import { type OwnVectors, ownVectors } from './own-vectors.ts'
import { rowOf } from './row-of.ts'

/** A vector with its result. `expected` and `actual` are JSON texts, '' if it passes. */
export type VectorResult = {
  readonly path: string
  readonly name: string
  readonly ok: boolean
  readonly message: string
  readonly expected: string
  readonly actual: string
}

/** Maximum characters of a shown value. */
const maxShown = 20_000

/** Maximum bytes that a vector adds to an event. */
const maxPad = 2_000_000

/** A vector that cannot run, with the reason. */
class VectorProblem extends Error {}

const eventOf = (sample: VectorEvent, own: VectorEvent, at: number): PipelineEvent => {
  if (own.pad !== undefined && own.pad.bytes > maxPad) throw new VectorProblem(`A pad has more than ${maxPad} bytes`)
  return vectorEventOf(sample, own, at)
}

/** Returns events as the presets map them, also those of disabled presets. */
const mapped = (
  definition: DestinationDefinition,
  events: readonly PipelineEvent[],
  settings: Settings,
): OutgoingEvent[] => {
  const presets = definition.presets.map((preset) => ({ ...preset, enabled: true as const }))
  const place = { workspaceId: 'w', destinationId: 'd', settings }
  const map = compileMappings(definition, presetMappings({ ...definition, presets } as never), place)
  return events.map((event) => {
    const json = JSON.stringify(event)
    const made = map(event, 's', json)
    if (made.kind !== 'mapped')
      throw new VectorProblem(
        made.kind === 'failed' ? made.reason : `No preset fits the event ${event.event || event.type}`,
      )
    const { action, payload } = made
    const { eventId, messageId, type, event: name } = event
    return { eventId, messageId, type, event: name, json, action, ...(payload === undefined ? {} : { payload }) }
  })
}

const answerOf = ({ status, headers, body, text }: VectorAnswer): HttpAnswer => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  body: text ?? (body === undefined ? '' : JSON.stringify(body)),
  latencyMs: 0,
})

type Vector = { settings: OwnVectors['settings']; answers: readonly VectorAnswer[] }
type Ran = { asked: OutgoingRequest[]; outcomes: readonly EventOutcome[] }

/** Runs a delivery with the answers of a vector. Nothing leaves the process. */
const run = async (
  { definition, vectors }: { definition: DestinationDefinition; vectors: OwnVectors },
  vector: Vector,
  deliver: (context: DeliverContext, settings: Settings) => Promise<{ result: DeliverResult; count: number }>,
): Promise<Ran> => {
  const validated = validateSettings(definition, { ...vectors.settings, ...vector.settings })
  if (!validated.ok)
    throw new VectorProblem(
      `The settings of the vectors are not valid: ${Object.entries(validated.errors)
        .map(([name, text]) => `${name}: ${text}`)
        .join('; ')}`,
    )
  const { settings } = validated
  const usual = vectors.accepts?.answer ?? { status: 200, headers: {} }
  const asked: OutgoingRequest[] = []
  const client = {
    request: async (request: OutgoingRequest): Promise<HttpAnswer> => {
      asked.push(request)
      return answerOf(vector.answers[asked.length - 1] ?? usual)
    },
    connect: () => Promise.reject(new ConfigurationError('Vectors open no connections')),
  }
  const signal = AbortSignal.timeout(ownConnectorLimits.vectorMs)
  const context = { client, settings, clock: () => vectorNow, logger: silentLogger, signal, ...vectorGrant }
  const { result, count } = await callOnce(context, (opened) => deliver(opened, settings))
  const { outcomes } = result
  if (!('kind' in outcomes)) return { asked, outcomes }
  const one: EventOutcome = outcomes.kind === 'split' ? { kind: 'rejected', reason: outcomes.reason } : outcomes
  return { asked, outcomes: Array.from({ length: count }, () => one) }
}

const deliverEvents = (
  tested: { definition: DestinationDefinition; vectors: OwnVectors },
  vector: Vector & { events: readonly VectorEvent[] },
): Promise<Ran> => {
  const { definition, vectors } = tested
  return run(tested, vector, async (context, settings) => {
    const events = vector.events.map((event, at) => eventOf(vectors.sample ?? {}, event, at))
    const outgoing = mapped(definition, events, settings)
    const result = await definition.deliver(outgoing, context).catch(
      (error: unknown): DeliverResult => ({
        outcomes: outgoing.map(() => vectorOutcomeOf(error)),
        httpStatus: 0,
        latencyMs: 0,
      }),
    )
    return { result, count: outgoing.length }
  })
}

const deliverRows = (
  tested: { definition: DestinationDefinition; vectors: OwnVectors },
  vector: OwnVectors['rows'][number],
): Promise<Ran> => {
  const { definition } = tested
  const { rows: values, object, operation, identifier, list } = vector
  return run(tested, vector, async (context) => {
    const rows = values.map((row, at): OutgoingRow => {
      const made = rowOf(definition, { object, operation, identifier, list }, row, at)
      if ('problem' in made) throw new VectorProblem(made.problem)
      return made
    })
    const result = await definition.deliverRows?.(rows, context).catch(
      (error: unknown): DeliverResult => ({
        outcomes: rows.map(() => vectorOutcomeOf(error)),
        httpStatus: 0,
        latencyMs: 0,
      }),
    )
    if (result === undefined) throw new VectorProblem('The description takes no rows')
    return { result, count: rows.length }
  })
}

const deletePerson = (
  tested: { definition: DestinationDefinition; vectors: OwnVectors },
  { userIds, anonymousIds, ...vector }: NonNullable<OwnVectors['deletion']>,
): Promise<Ran> =>
  run(tested, vector, async (context) => {
    const { deliverRows } = tested.definition
    if (deliverRows === undefined) throw new VectorProblem('The description has no deletion')
    const row = {
      operation: 'delete',
      object: 'users',
      json: JSON.stringify({ userIds, anonymousIds, externalIds: [] }),
    } as unknown as OutgoingRow
    return { result: await deliverRows([row], context), count: 1 }
  })

const bodyOf = (body: OutgoingRequest['body']): unknown => {
  const text = body === undefined ? '' : Buffer.from(body as string).toString()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const shownRequest = ({ method, url, headers, body }: OutgoingRequest, names: readonly string[]) => {
  const own = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const shown = bodyOf(body)
  return {
    method,
    url,
    headers: Object.fromEntries(names.map((name) => [name, own.get(name.toLowerCase()) ?? null])),
    ...(shown === undefined ? {} : { body: shown }),
  }
}

const shownText = (value: unknown): string => {
  const text = JSON.stringify(value, null, 2)
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`
}

const compared = (expected: unknown, actual: unknown, what: string): Omit<VectorResult, 'path' | 'name'> => {
  // Only what JSON shows is compared, and members without a value are none.
  const [wanted, got]: unknown[] = [expected, actual].map((value) => JSON.parse(JSON.stringify(value)))
  if (isDeepStrictEqual(wanted, got)) return { ok: true, message: '', expected: '', actual: '' }
  return { ok: false, message: what, expected: shownText(wanted), actual: shownText(got) }
}

const compareRequests = ({ asked }: Ran, expected: OwnVectors['requests'][number]['requests']) =>
  compared(
    expected,
    asked.map((request, at) => shownRequest(request, Object.keys(expected[at]?.headers ?? {}))),
    'The requests differ',
  )

const compareOutcomes = ({ outcomes }: Ran, expected: readonly EventOutcome[]) =>
  compared(
    expected.map((outcome) => ({ ...outcome, ofEvent: undefined })),
    outcomes.map((outcome) => ({ ...outcome, ofEvent: undefined })),
    'The outcomes differ',
  )

const compareRows = (ran: Ran, { requests, outcomes, rows }: OwnVectors['rows'][number]) => {
  const ofRequests = compareRequests(ran, requests)
  if (!ofRequests.ok) return ofRequests
  const wanted = (outcomes ?? rows.map(() => ({ kind: 'delivered' }))) as readonly EventOutcome[]
  return compareOutcomes(ran, wanted)
}

type Task = { path: string; name: string; run: () => Promise<Omit<VectorResult, 'path' | 'name'>> }

const tasksOf = (definition: DestinationDefinition, vectors: OwnVectors): Task[] => {
  const tested = { definition, vectors }
  const { requests, answers, rows, deletion } = vectors
  return [
    ...requests.map((vector, at) => ({
      path: `vectors.requests.${at}`,
      name: vector.name,
      run: async () => compareRequests(await deliverEvents(tested, vector), vector.requests),
    })),
    ...answers.map((vector, at) => ({
      path: `vectors.answers.${at}`,
      name: vector.name,
      run: async () => compareOutcomes(await deliverEvents(tested, vector), vector.outcomes as readonly EventOutcome[]),
    })),
    ...rows.map((vector, at) => ({
      path: `vectors.rows.${at}`,
      name: vector.name,
      run: async () => compareRows(await deliverRows(tested, vector), vector),
    })),
    ...(deletion === undefined
      ? []
      : [
          {
            path: 'vectors.deletion',
            name: 'Deletion of a person',
            run: async () => compareRequests(await deletePerson(tested, deletion), deletion.requests),
          },
        ]),
  ]
}

const failed = (message: string): Omit<VectorResult, 'path' | 'name'> => ({
  ok: false,
  message,
  expected: '',
  actual: '',
})

const runTask = async (task: Task): Promise<VectorResult> => {
  const { path, name } = task
  try {
    return { path, name, ...(await task.run()) }
  } catch (error) {
    if (error instanceof VectorProblem || error instanceof DeliveryError)
      return { path, name, ...failed(error.message) }
    throw error
  }
}

const vectorsIn = (description: string): unknown => {
  const whole: unknown = JSON.parse(description)
  return isJsonObject(whole) ? whole.vectors : undefined
}

const read = (given: unknown) => {
  try {
    return ownVectors.safeParse(given)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * Runs the test vectors in the text of a description that `readOwn` accepts. Requests go to the answers of the vectors.
 * Other work of the thread runs between them. Vectors that are too many, or too slow together, do not run and fail.
 */
export const runVectors = async (
  description: string,
  definition: DestinationDefinition,
  elapsedMs: () => number = () => performance.now(),
): Promise<VectorResult[]> => {
  const given = vectorsIn(description)
  if (given === undefined || given === null) return []
  const parsed = read(given)
  if (parsed === undefined) return [{ path: 'vectors', name: '', ...failed('The vectors are too deep') }]
  if (!parsed.success)
    return parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
      path: ['vectors', ...path].join('.'),
      name: '',
      ...failed(message),
    }))
  const { vectorMs, vectors: most } = ownConnectorLimits
  const began = elapsedMs()
  const results: VectorResult[] = []
  for (const [at, task] of tasksOf(definition, parsed.data).entries()) {
    if (at >= most || elapsedMs() - began > vectorMs) {
      const why = at >= most ? `more than ${most}` : `longer than ${vectorMs / 1000} seconds`
      results.push({ path: task.path, name: task.name, ...failed(`Not run, because all vectors are ${why}`) })
      break
    }
    results.push(await runTask(task))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return results
}
