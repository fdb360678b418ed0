import { ConfigurationError, type DeliveryError } from '@tributary/connector-kit'
import { deliveryError as postgresqlError, stateOf, wordsOf } from '../postgresql/failures.ts'

/** Converts an error of the driver, the server or the network to a DeliveryError. */
export const deliveryError = (error: unknown): DeliveryError => {
  if (!stateOf(error).startsWith('28')) return postgresqlError(error)
  // A wrong password has 28000 here, as in PostgreSQL 8, from which Redshift comes.
  const hint = /password authentication failed/i.test(wordsOf(error))
    ? 'Wrong user or password'
    : 'The server does not allow this user to connect'
  return new ConfigurationError(`${hint}: ${wordsOf(error)}`, undefined, error)
}

/** Whether an error during a query has its cause in the connection, or in a cluster without free resources. */
export const isLost = (state: string): boolean => /^(08(?!P01)|28|3D|53300|57P|58)/.test(state)

/**
 * The words for a query that was canceled: by the time limit of the session, or by a rule of the cluster, which says so.
 * Source of the rules: https://docs.aws.amazon.com/redshift/latest/dg/cm-c-wlm-query-monitoring-rules.html
 */
export const canceledWords = (error: unknown, statementMs: number): string | undefined => {
  if (stateOf(error) !== '57014') return undefined
  return /WLM|monitoring rule/i.test(wordsOf(error))
    ? `A rule of the cluster ended the query: ${wordsOf(error)}`
    : `The query did not finish within ${statementMs / 1000} seconds`
}
