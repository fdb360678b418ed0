import {
  type ConnectorDeps,
  callConnector,
  type DestinationRow,
  readDestination,
  requireDefinition,
} from '@tributary/configuration'
import {
  ConfigurationError,
  type DeliverContext,
  DeliveryError,
  type DestinationDefinition,
  hideSecrets,
  type PeopleLists,
  RejectedError,
  RetryableError,
} from '@tributary/connector-kit'
import { AppError, badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { countTry } from '../users/sign-in/count-tries.ts'

export type PeopleListDeps = ConnectorDeps & Pick<ControlDeps, 'db' | 'catalog' | 'counters'>

/** Longest wait for the platform, ms. */
const withinMs = 20_000

/** Maximum number of questions of one workspace in 15 minutes. */
const maxQuestions = 300

/** A destination with lists of people at its platform. */
export type WithLists = { row: DestinationRow; definition: DestinationDefinition; lists: PeopleLists }

/** Returns a destination with its lists of people. Throws 404 if it does not exist, and 400 if it has no lists. */
export const peopleListsOf = async (
  { db, catalog }: PeopleListDeps,
  workspaceId: string,
  destination: string,
): Promise<WithLists> => {
  const row = await readDestination(db, workspaceId, destination)
  const definition = await requireDefinition(catalog, row, 'destination')
  const { peopleLists: lists, title } = definition
  if (lists === undefined) throw badRequest('NO_PEOPLE_LISTS', `${title} has no lists of people`)
  return { row, definition, lists }
}

/** Counts a question to a platform. Throws 429 after too many questions of a workspace. */
export const countQuestion = async ({ counters }: PeopleListDeps, workspaceId: string): Promise<void> => {
  await countTry(
    counters,
    [[`people-lists:${workspaceId}`, maxQuestions]],
    'Too many questions to destinations. Try again in 15 minutes',
  )
}

/** Returns an error of the same kind, whose message shows no secrets. */
const withoutSecrets = (cause: DeliveryError, secrets: readonly string[]): DeliveryError => {
  const words = hideSecrets(cause.message, secrets)
  if (cause instanceof RejectedError) return new RejectedError(words, undefined, cause)
  if (cause instanceof ConfigurationError) return new ConfigurationError(words, undefined, cause)
  return new RetryableError(words, { cause })
}

/**
 * Calls the connector of a destination with lists. The call ends with its time limit and not with its caller, because
 * others may wait for the same answer, and a list may already exist. Errors of the platform show no secrets.
 */
export const askPlatform = async <T>(
  deps: PeopleListDeps,
  { row, definition }: WithLists,
  call: (context: DeliverContext) => Promise<T>,
): Promise<T> => {
  const { signal } = new AbortController()
  return await callConnector(deps, row, definition, { withinMs, signal }, (context, secrets) =>
    call(context).catch((error: unknown) => {
      if (!(error instanceof DeliveryError)) throw error
      throw withoutSecrets(error, secrets)
    }),
  )
}

/** Returns the words of a failed call for users, and logs a fault of the connector. Rethrows errors of the API. */
export const failureWords = (error: unknown, { logger }: PeopleListDeps): string => {
  if (error instanceof AppError) throw error
  if (error instanceof DeliveryError) return error.message
  logger.error({ err: error }, 'a connector failed with a list of people')
  return 'The destination could not be asked'
}
