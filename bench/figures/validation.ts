import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { eventually } from '@tributary/test-kit'
import { type Figure, percentile } from '../harness.ts'
import { startBench } from '../product.ts'

const steps = fileURLToPath(new URL('../../packages/pipeline/bench/steps.ts', import.meta.url))
const maxShare = 0.1
const maxDelayMs = 1000
const changes = 20

/**
 * Measures the processor time that a schema of 50 events with 20 properties adds to the steps of the pipeline, in
 * alternation for each event.
 */
const measureShare = async (): Promise<Figure> => {
  const { stdout } = await promisify(execFile)(process.execPath, [steps, '20000', 'validation'])
  const cost: { without: number; with: number } = JSON.parse(stdout)
  const ratio = cost.with / cost.without - 1
  return {
    figure: 'validation by a schema of 50 events, share of the steps',
    target: `< ${maxShare} of ${cost.without.toFixed(1)} µs/event`,
    measured: `${(cost.with - cost.without).toFixed(1)} µs/event`,
    ratio,
    pass: ratio < maxShare,
  }
}

const schemaOf = (type: string): string =>
  JSON.stringify({ events: { Changed: { properties: { value: { type } }, required: ['value'] } } })

/**
 * Measures the time from the request to change a schema until the next event is accepted, which must be validated by
 * the new version.
 */
const measureChange = async (): Promise<Figure> => {
  const bench = await startBench({})
  await using _ = bench.product
  const { api, url } = bench.product
  const source = `/${bench.workspace}/sources/${bench.sourceId}`
  const delays: number[] = []
  const wanted = new Map<string, unknown>()
  for (let n = 0; n < changes; n++) {
    const began = performance.now()
    const { schema_version } = await api.ok('PATCH', source, { schema: schemaOf(n % 2 === 0 ? 'number' : 'string') })
    const event = { type: 'track', event: 'Changed', userId: 'u', messageId: `change-${n}`, properties: { value: 1 } }
    const answer = await fetch(`${url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${bench.key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify(event),
    })
    if (!answer.ok) throw new Error(`An event was answered ${answer.status}`)
    delays.push(performance.now() - began)
    wanted.set(event.messageId, schema_version)
  }
  const stored = await eventually('all stored', async () => {
    const { events } = await api.ok('GET', `${source}/events?page_size=100`)
    const found = events as { message_id: string; schema_version: number }[]
    return found.length >= changes && found
  })
  const late = stored.filter((event) => wanted.get(event.message_id) !== event.schema_version).length
  const p95 = percentile(delays, 0.95)
  return {
    figure: 'schema change to its effect on the next event',
    target: `p95 < ${maxDelayMs} ms`,
    measured: `${Math.round(p95)} ms of ${changes} changes${late === 0 ? '' : ` (${late} events validated by an older version)`}`,
    pass: late === 0 && p95 < maxDelayMs,
  }
}

/** Measures the cost of validating events by schemas, and the time until a changed schema is used. */
export const measureValidation = async (): Promise<Figure[]> => [await measureShare(), await measureChange()]
