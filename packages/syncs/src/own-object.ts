import { type ConnectorDeps, callConnector, readDestination, requireDefinition } from '@tributary/configuration'
import { ConfigurationError, DeliveryError } from '@tributary/connector-kit'
import type { SyncMode } from '@tributary/contract'
import { AppError, badRequest } from '@tributary/kernel'
import type { SyncServices } from './services.ts'
import type { SyncStore } from './store.ts'

export type ListDeps = ConnectorDeps & Pick<SyncServices, 'catalog'>

/** Maximum keys that are stored at once. */
const keysAtOnce = 50_000

type Owning = { mode: SyncMode; owns_object: boolean }

/** Whether rows of the sync's object that are not in the model are removed, whatever their origin. */
export const ownsObject = ({ mode, owns_object }: Owning): boolean => owns_object && mode === 'FULL_SYNC'

/** Whether a sync owns its object after a change. In another mode than FULL_SYNC, it cannot own the object. */
export const ownershipAfter = (row: Owning, change: { [Name in keyof Owning]?: Owning[Name] | undefined }): boolean =>
  change.owns_object ?? ((change.mode ?? row.mode) === 'FULL_SYNC' && row.owns_object)

/**
 * Returns the API error for a failure: 400 for an object that cannot be listed, 412 if the destination cannot be
 * reached.
 */
const answerOf = (error: unknown): unknown => {
  if (error instanceof ConfigurationError) return badRequest('OBJECT_NOT_LISTED', error.message)
  if (!(error instanceof DeliveryError)) return error
  return new AppError(412, 'DESTINATION_UNREACHABLE', 'The rows of the destination could not be listed.', {
    detail: error.message,
  })
}

/**
 * Lists the keys in the object of a sync at its destination, and stores them under an ID. Rejects with 400 if the
 * object cannot be listed, with 412 if the destination cannot be reached, and with the errors of `callConnector`.
 */
export const listObject = async (
  deps: ListDeps,
  store: Pick<SyncStore, 'list'>,
  run: string,
  given: {
    workspace_id: string
    destination_id: string | null
    object: string
    object_name: string
    identifier: string
    signal: AbortSignal
    withinMs: number
  },
): Promise<void> => {
  const row = await readDestination(deps.db, given.workspace_id, given.destination_id ?? '')
  const definition = await requireDefinition(deps.catalog, row, 'destination')
  const object = definition.rowObjects?.find(({ name }) => name === given.object)
  const { listKeys } = definition
  if (object === undefined || listKeys === undefined)
    throw badRequest('OBJECT_NOT_LISTED', 'The destination has no such object that can be listed')
  const address = object.address({ name: given.object_name, identifier: given.identifier })
  let waiting: string[] = []
  const flush = async (): Promise<void> => {
    const keys = waiting
    waiting = []
    if (keys.length > 0) await store.list(run, keys)
  }
  try {
    await callConnector(deps, row, definition, given, async (context) => {
      await listKeys(context, address, async (keys) => {
        context.signal.throwIfAborted()
        waiting.push(...keys)
        if (waiting.length >= keysAtOnce) await flush()
      })
    })
  } catch (error) {
    given.signal.throwIfAborted()
    throw answerOf(error)
  }
  await flush()
}
