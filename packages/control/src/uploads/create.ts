import { audit } from '@tributary/api-kit'
import type { FileScan } from '@tributary/connector-kit'
import { fileTable, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type Actor, AppError, badRequest, notFound } from '@tributary/kernel'
import { isRelationalUnavailable, OtherLength } from '@tributary/storage'
import {
  type DataSourceRow,
  dataSourceName,
  lastUploads,
  readDataSource,
  readSettings,
  type SessionDeps,
  settingsText,
  uploadKey,
  useDataSource,
} from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Maximum time for reading a complete file before it is accepted, ms. */
const scanMs = 5 * 60_000
/** Maximum total size of the files of a workspace, as a number of files of the maximum size. */
const filesOfWorkspace = 5

const MiB = 1024 * 1024

const refused = (text: string): AppError => badRequest('FILE_REFUSED', text, { file: text })

type UploadDeps = SessionDeps & Pick<ControlDeps, 'db' | 'clock' | 'files' | 'uploads'>

/**
 * Throws if the given number of bytes exceeds the limit of a file, the limit of the workspace, or the space on the
 * disk.
 */
const requireRoom = async (
  { files, uploads }: UploadDeps,
  { workspaceId, key, bytes }: { workspaceId: string; key: string; bytes: number },
): Promise<void> => {
  const megabytes = (size: number): string => `${(size / MiB).toLocaleString('en-US')} MB`
  if (bytes > uploads.maxBytes) throw refused(`A file can have at most ${megabytes(uploads.maxBytes)}`)
  if (!uploads.diskOk())
    throw new AppError(503, 'UNAVAILABLE', 'The disk is nearly full. Try again later', { retry_after: '60' })
  const kept = await files.list(workspaceId)
  const others = kept.reduce((sum, file) => (file.key === key ? sum : sum + file.bytes), 0)
  const most = filesOfWorkspace * uploads.maxBytes
  if (others + bytes > most)
    throw refused(`The files of a workspace can have at most ${megabytes(most)} together. Delete a data source first`)
}

/**
 * Replaces the previous file of a data source by the new one. Resolves to the IDs of files that are no longer needed.
 */
const takeOver = async (
  { db, clock }: Pick<ControlDeps, 'db' | 'clock'>,
  row: DataSourceRow,
  given: {
    actor: Actor
    id: string
    name: string
    bytes: number
    scan: FileScan
    settings: string
  },
): Promise<string[]> => {
  const { actor, id, name, bytes, scan, settings } = given
  const time = new Date(clock())
  return await db.transaction().execute(async (tx) => {
    // The lock makes concurrent uploads replace the file one after the other.
    const found = await tx
      .selectFrom('data_sources')
      .select('id')
      .where('id', '=', row.id)
      .forUpdate()
      .executeTakeFirst()
    if (found === undefined) throw notFound('data source not found')
    const before = await tx
      .updateTable('data_source_uploads')
      .set({ replaced: true })
      .where('data_source_id', '=', row.id)
      .where('replaced', '=', false)
      .returning('id')
      .execute()
    await tx
      .insertInto('data_source_uploads')
      .values({
        id,
        workspace_id: row.workspace_id,
        data_source_id: row.id,
        user_id: actor.userId,
        file_name: name,
        bytes,
        rows: scan.rows,
        columns: JSON.stringify(scan.columns),
        settings,
        create_time: time,
      })
      .execute()
    await audit(tx, dataSourceName(row.workspace_id, row.id), { file_name: name, size_bytes: bytes, rows: scan.rows })
    return before.map((each) => each.id)
  })
}

/** Reads a complete file. Throws FILE_REFUSED with a message about its format. */
const scanUpload = async (
  deps: UploadDeps,
  row: DataSourceRow,
  file: { path: string; title: string },
  signal: AbortSignal,
): Promise<FileScan> => {
  const read = { ...deps, arriving: { ...file, scan: undefined } }
  try {
    return await useDataSource(
      read,
      row,
      signal,
      async (session) => {
        const columns = await session.describe({ schema: fileTable.schema, table: fileTable.name })
        const [table] = await session.listTables({ search: '', offset: 0, limit: 1 })
        return { columns, rows: table?.rows ?? 0 }
      },
      scanMs,
    )
  } catch (error) {
    throw error instanceof AppError && error.reason === 'QUERY_REFUSED' ? refused(error.message) : error
  }
}

/** A received part of a file: its caller, and the upload to which it belongs. */
type Arrived = { actor: Actor; key: string; id: string; name: string; bytes: number }

/** Reads a complete file and makes it the file of its data source. Deletes it if this fails. */
const finishUpload = async (
  deps: UploadDeps,
  row: DataSourceRow,
  given: Arrived,
  signal: AbortSignal,
): Promise<void> => {
  const { files, logger } = deps
  const { key, name: title } = given
  const drop = (dropped: string): Promise<void> =>
    files
      .delete(dropped)
      .catch((error: unknown) => logger.warn({ key: dropped, error: String(error) }, 'a file could not be deleted'))
  try {
    await files.sync(key)
    const { settings } = await readSettings(deps, row)
    const scan = await scanUpload(deps, row, { path: files.path(key), title }, signal)
    const before = await takeOver(deps, row, { ...given, scan, settings: settingsText(settings) })
    for (const id of before) await drop(uploadKey({ workspaceId: row.workspace_id, dataSourceId: row.id }, id))
  } catch (error) {
    // If the database became unavailable, the transaction may have been committed, so the file stays.
    if (!isRelationalUnavailable(error)) await drop(key)
    throw error
  }
}

/**
 * Receives a part of a file. After the last part, reads the complete file and replaces the previous file by it. A
 * broken file is deleted and changes nothing. Only one call at a time can work on an upload.
 */
export const createUpload = (deps: UploadDeps): Handler<typeof methods.uploads.create> => {
  const { db, files, catalog } = deps
  const underWay = new Set<string>()
  return async ({ actor, workspace, params, body, signal }) => {
    const row = await readDataSource(db, workspace.id, params.data_source)
    if (catalog.dataSources.find(({ slug }) => slug === row.app)?.upload !== true)
      throw badRequest('VALIDATION', 'This data source takes no files')
    const key = uploadKey({ workspaceId: workspace.id, dataSourceId: row.id }, body.upload_id)
    if (underWay.has(key)) throw new AppError(409, 'UPLOAD_BUSY', 'Another part of this upload is being received')
    underWay.add(key)
    try {
      const known = db.selectFrom('data_source_uploads').select('id').where('id', '=', body.upload_id)
      if ((await known.executeTakeFirst()) !== undefined)
        throw badRequest('VALIDATION', 'An upload with this id is complete', { upload_id: 'Used before' })
      const part = Buffer.from(body.content, 'base64')
      await requireRoom(deps, { workspaceId: workspace.id, key, bytes: body.offset + part.length })
      const bytes = await files.write(key, body.offset, part).catch((error: unknown) => {
        if (!(error instanceof OtherLength)) throw error
        const metadata = { size_bytes: String(error.bytes) }
        throw new AppError(409, 'PART_MISSING', 'Parts before this one are missing', metadata)
      })
      if (!body.last) return { size_bytes: bytes, upload: null }
      const given = { actor, key, id: body.upload_id, name: body.file_name, bytes }
      await finishUpload(deps, row, given, signal)
      const [upload = null] = await lastUploads(deps, row.id)
      return { size_bytes: bytes, upload }
    } finally {
      underWay.delete(key)
    }
  }
}
