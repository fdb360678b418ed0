import { type DestinationDefinition, RetryableError } from '@tributary/connector-kit'
import { type BigQueryPeer, keyFileOf, keys } from '../../wire/bigquery/testing-bigquery.ts'
import type { ConformancePeer } from '../../wire/warehouse/testing-conformance.ts'
import { defineBigQuery } from './definition.ts'

/** A key file that the stand-in accepts. */
export const keyFile = keyFileOf(keys.known.privateKey)

/** Returns the destination with the addresses of a stand-in, and without waits. */
export const destinationAt = (url: () => string, onWait: (ms: number) => void = () => {}): DestinationDefinition =>
  defineBigQuery({
    get api() {
      return url()
    },
    get tokenUrl() {
      return `${url()}/token`
    },
    wait: async (ms, ended) => {
      onWait(ms)
      if (ended.aborted) throw new RetryableError('Interrupted')
    },
  })

/** Returns the ID of the job that a request starts or asks for; undefined if it is about no job. */
const jobIn = (path: string, body: string): string | undefined =>
  /\/(?:jobs|queries)\/(tributary_[\w-]+)/.exec(path)?.[1] ?? /"jobId":"(tributary_[\w-]+)"/.exec(body)?.[1]

/**
 * Makes the n-th job fail: it is lost before it begins, or each response about it is lost. The connector repeats calls,
 * so all calls about the job fail.
 */
export const failJobs = (peer: BigQueryPeer) => {
  let left = Number.POSITIVE_INFINITY
  let when: 'before' | 'after' = 'before'
  let statements = 0
  const begun = new Set<string>()
  const lost = new Map<string, 'before' | 'after'>()
  peer.answerInstead = (request, at) => {
    const job = jobIn(at, request.body)
    if (job === undefined) return undefined
    if (at.startsWith('POST') && at.endsWith('/jobs') && !begun.has(job)) {
      begun.add(job)
      statements++
      if (--left === 0) lost.set(job, when)
      return lost.get(job) === 'before' ? 'reset' : undefined
    }
    return lost.has(job) ? 'reset' : undefined
  }
  peer.losesAnswer = (request, at) => lost.has(jobIn(at, request.body) ?? '')
  return {
    failAt: (statement: number, moment: 'before' | 'after') => {
      left = statement
      when = moment
    },
    statements: () => {
      const found = statements
      statements = 0
      return found
    },
  }
}

/** Opens the stand-in for the suite of warehouses. */
export const openConformance = async (peer: BigQueryPeer): Promise<ConformancePeer> => {
  const { failAt, statements } = failJobs(peer)
  let datasets = 0
  return {
    settings: async () => {
      const dataset = `d${++datasets}`
      await peer.duck.run(`create schema "my-project".${dataset}`)
      return { project: 'my-project', dataset, service_account_key: keyFile }
    },
    query: async (settings, sql) => {
      const text = sql
        .replace(/\{(\w+)\}/g, (_, table) => `"my-project".${String(settings.dataset)}."${table}"`)
        // AT is a reserved word of GoogleSQL, too, so analysts quote it.
        .replace(/\bat\b/g, '"at"')
      const { columns, rows } = await peer.duck.run(text)
      return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))
    },
    failAt,
    statements,
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  }
}
