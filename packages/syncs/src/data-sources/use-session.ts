import { randomUUID } from 'node:crypto'
import { openForChange, requireComplete } from '@tributary/configuration'
import {
  DataQueryError,
  type DataSourceDefinition,
  type DataSourceSession,
  DeliveryError,
  hideSecrets,
  type Settings,
  type UploadedFile,
} from '@tributary/connector-kit'
import { invalidQuery, unreachable } from '@tributary/contract'
import { AppError, badRequest } from '@tributary/kernel'
import type { SyncServices } from '../services.ts'
import { currentUpload, uploadKey } from '../uploads/read.ts'
import { openPeople } from './people/session.ts'
import type { DataSourcePlaces } from './places.ts'
import type { DataSourceRow } from './read.ts'

export type SessionDeps = Pick<
  SyncServices,
  'catalog' | 'secretBox' | 'requestClient' | 'logger' | 'db' | 'files' | 'uploads'
> & {
  dataSourcePlaces: DataSourcePlaces
  peoplePlaces: DataSourcePlaces
  /** An uploaded file that is not active yet; it is read instead of the active file. */
  arriving?: UploadedFile
}

/** Maximum time in ms that a user waits for a database. */
const patienceMs = 30_000
/** The time in ms by which the statement timeout of the database is shorter than our own timeout. */
const soonerMs = 5000

/** Returns the API error for a failure: 412 if the database cannot be reached, 400 for a query that it refuses. */
const answerOf = (error: unknown, { file, people }: DataSourceDefinition, secrets: readonly string[]): unknown => {
  if (error instanceof DataQueryError) {
    const detail = hideSecrets(error.message, secrets)
    // The user has written no query that could be wrong.
    if (file === true || people === true) return badRequest('QUERY_REFUSED', detail, { query: detail })
    return badRequest('QUERY_REFUSED', invalidQuery, { query: invalidQuery, detail })
  }
  if (error instanceof DeliveryError)
    return new AppError(412, 'DATA_SOURCE_UNREACHABLE', unreachable, { detail: hideSecrets(error.message, secrets) })
  return error
}

/**
 * Reads the kind of a data source, and its settings with secrets. Throws 400 if settings are missing, 409 if the
 * secrets are sealed with another key.
 */
export const readSettings = async (
  { catalog, secretBox }: Pick<SessionDeps, 'catalog' | 'secretBox'>,
  row: DataSourceRow,
): Promise<{ definition: DataSourceDefinition; settings: Settings }> => {
  const definition = await catalog.dataSources.find(({ slug }) => slug === row.app)?.load()
  if (definition === undefined)
    throw badRequest('VALIDATION', 'The app of this data source is no longer in the catalog')
  return { definition, settings: requireComplete(definition, openForChange(`dataSources/${row.id}`, row, secretBox)) }
}

/**
 * Opens a data source in a slot of its workspace, for at most `withinMs` (30 seconds by default, while a user waits).
 * Closes the data source when the work is done. Rejects with 412 if the data source cannot be reached, with 400
 * `QUERY_REFUSED` for a query that it refuses, and with 409 if its secrets cannot be opened. Rejects with 429 or 503 if
 * there is no free slot. No message contains a secret.
 */
export const useDataSource = async <T>(
  deps: SessionDeps,
  row: DataSourceRow,
  signal: AbortSignal,
  work: (session: DataSourceSession) => Promise<T>,
  withinMs: number = patienceMs,
): Promise<T> => {
  const { requestClient, dataSourcePlaces, peoplePlaces, db, files } = deps
  const { maxBytes, diskOk } = deps.uploads
  const { definition, settings } = await readSettings(deps, row)
  const secrets = definition.settings.fields.flatMap(({ name, secret }) =>
    secret && typeof settings[name] === 'string' ? [settings[name]] : [],
  )
  const places = definition.people === true ? peoplePlaces : dataSourcePlaces
  return await places.run(row.workspace_id, signal, async () => {
    const over = AbortSignal.timeout(withinMs)
    const place = { workspaceId: row.workspace_id, dataSourceId: row.id }
    const upload =
      definition.upload === true ? (deps.arriving ?? (await currentUpload(deps, place, settings))) : undefined
    // The file is created with its folder.
    const scratch = definition.file === true && definition.upload !== true ? uploadKey(place, randomUUID()) : undefined
    if (scratch !== undefined) await files.write(scratch, 0, new Uint8Array())
    const context = {
      settings,
      upload,
      scratch: scratch === undefined ? undefined : { path: files.path(scratch), maxBytes, hasRoom: diskOk },
      connect: requestClient.connect,
      signal: AbortSignal.any([signal, over]),
      statementMs: withinMs - soonerMs,
      people: () => openPeople(db, row.workspace_id, AbortSignal.any([signal, over])),
    }
    try {
      await using session = await definition.open(context)
      return await work(session)
    } catch (error) {
      if (over.aborted)
        throw new AppError(412, 'DATA_SOURCE_UNREACHABLE', unreachable, {
          detail: `No response within ${withinMs / 1000} seconds`,
        })
      throw answerOf(error, definition, secrets)
    } finally {
      if (scratch !== undefined) await files.delete(scratch)
    }
  })
}
