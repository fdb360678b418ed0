import type { PeerAnswer } from '@tributary/connector-kit/testing'

/** An error that becomes an answer. */
export class Refusal extends Error {
  readonly answer: PeerAnswer
  readonly reason: string
  constructor(answer: PeerAnswer, { reason, message }: { reason: string; message: string }) {
    super(message)
    this.answer = answer
    this.reason = reason
  }
}

/** The body of an error (docs.cloud.google.com/bigquery/docs/error-messages). */
export const errorBody = (code: number, reason: string, message: string): string =>
  JSON.stringify({ error: { code, message, errors: [{ message, domain: 'global', reason }], status: 'SOME_STATUS' } })

/** Refuses a request with a documented error. */
export const refuse = (code: number, reason: string, message: string, headers: Record<string, string> = {}): never => {
  throw new Refusal({ status: code, headers, body: errorBody(code, reason, message) }, { reason, message })
}

const missingTable = /Table with name "?([^"\s!]+)"? does not exist/

/** Converts an error of DuckDB to one of BigQuery. Conflicts are those of snapshots that changed the same rows. */
export const refuseStatement = (error: unknown, project: string): never => {
  if (error instanceof Refusal) throw error
  const message = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
  const [, table] = missingTable.exec(message) ?? []
  if (table !== undefined)
    return refuse(404, 'notFound', `Not found: Table ${project}:${table} was not found in location europe-west3`)
  if (isConflict(error))
    return refuse(
      400,
      'invalidQuery',
      `Query error: Transaction is aborted due to concurrent update against table ${project}:x. at [1:1]`,
    )
  return refuse(400, 'invalidQuery', /Parser Error/.test(message) ? `Syntax error: ${message} at [1:1]` : message)
}

/** Whether two statements of DuckDB changed the same at the same time. */
export const isConflict = (error: unknown): boolean => error instanceof Error && /conflict/i.test(error.message)
