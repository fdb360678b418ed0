import { type ConnectorDeps, callConnector, readDestination, requireDefinition } from '@tributary/configuration'
import {
  type DeliverContext,
  DeliveryError,
  type DestinationDefinition,
  everyKey,
  type RowColumn,
} from '@tributary/connector-kit'
import type { SyncMode } from '@tributary/contract'
import { AppError } from '@tributary/kernel'
import type { SyncServices } from './services.ts'
import type { PlanOptions, SyncStore } from './store.ts'
import { encoderOfKind, type ValueKind } from './value-kinds.ts'

export type CompareDeps = ConnectorDeps & Pick<SyncServices, 'catalog'>

/** Maximum keys per query to a destination. */
const keysAtOnce = 2000

type Given = {
  workspace_id: string
  destination_id: string | null
  object: string
  object_name: string
  identifier: string
  mode: SyncMode
  /** The kinds of the fields in rows, by their names at the destination. */
  columns: readonly RowColumn[]
  keyKind: ValueKind
  sync: string
  signal: AbortSignal
  withinMs: number
}

type Store = Pick<SyncStore, 'plan' | 'keysToCompare' | 'noteForms' | 'noteSameKeys' | 'dropForms'>

/**
 * Requests the forms of the keys from the destination, page by page, and stores them. Returns false if there are no
 * forms.
 */
const noteKeyForms = async (
  store: Store,
  run: string,
  { sync, keyKind, signal }: Given,
  { definition, context, address }: { definition: DestinationDefinition; context: DeliverContext; address: string },
): Promise<boolean> => {
  const { keyForms } = definition
  const plain = await keyForms?.plainKeys(context, address)
  if (keyForms === undefined || plain === undefined || plain === everyKey) return false
  const encode = encoderOfKind(keyKind)
  await store.dropForms(run)
  for (let after = ''; ; ) {
    signal.throwIfAborted()
    const keys = await store.keysToCompare(sync, run, { plain, after, limit: keysAtOnce })
    if (keys.length > 0) await store.noteForms(run, keys, await keyForms.formsOf(context, address, keys.map(encode)))
    if (keys.length < keysAtOnce) return after !== '' || keys.length > 0
    after = keys.at(-1) ?? after
  }
}

/** Returns the API error for a failure: 412, because nothing can be sent before the destination has responded. */
const answerOf = (error: unknown): unknown =>
  error instanceof DeliveryError
    ? new AppError(412, 'DESTINATION_UNREACHABLE', 'The destination could not be asked which keys are the same.', {
        detail: error.message,
      })
    : error

/**
 * Plans a run like `store.plan`, but treats keys as the same if the destination does. One of the rows with such keys is
 * written, the others are refused, and none is removed. The destination is queried only if a row must be sent. With
 * `prepares`, the object is created first if it does not exist. Rejects with 412 if the destination cannot be reached,
 * and with the errors of `callConnector`.
 */
export const planBySameKeys = async (
  deps: CompareDeps,
  store: Store,
  run: string,
  given: Given,
  { prepares, ...options }: PlanOptions & { prepares: boolean },
): Promise<number> => {
  const { workspace_id, destination_id, sync, mode, identifier } = given
  const planned = await store.plan(sync, run, options)
  if (planned === 0 || destination_id === null) return planned
  const row = await readDestination(deps.db, workspace_id, destination_id)
  const definition = await requireDefinition(deps.catalog, row, 'destination')
  const address = definition.rowObjects
    ?.find(({ name }) => name === given.object)
    ?.address({ name: given.object_name, identifier })
  const { prepareRows, keyForms } = definition
  if (address === undefined || keyForms === undefined) return planned
  try {
    const isNoted = await callConnector(deps, row, definition, given, async (context) => {
      if (prepares && mode !== 'UPDATE_ONLY') await prepareRows?.(context, address, given.columns)
      return await noteKeyForms(store, run, given, { definition, context, address })
    })
    if (!isNoted || (await store.noteSameKeys(sync, run, options)) === 0) return planned
  } catch (error) {
    given.signal.throwIfAborted()
    // A dry run shows the plan that is known without the destination.
    if (!prepares) return planned
    throw answerOf(error)
  }
  return await store.plan(sync, run, { ...options, knowsSame: true })
}
