import type { Settings, UploadedFile } from '@tributary/connector-kit'
import { type DataColumn, dataColumn, dataSourceLimits, type Upload } from '@tributary/contract'
import type { DataSourceUploadsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { SyncServices } from '../services.ts'

type Place = { workspaceId: string; dataSourceId: string }

/** Returns the folder of the uploads of a data source. */
export const uploadFolder = ({ workspaceId, dataSourceId }: Place): string => `${workspaceId}/${dataSourceId}`
/** Returns the key under which an upload is stored. */
export const uploadKey = (place: Place, upload: string): string => `${uploadFolder(place)}/${upload}`

/** Returns the settings with which a file was read, as a canonical text. */
export const settingsText = (settings: Settings): string =>
  JSON.stringify(Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1)))

const columnsOf = (text: string): DataColumn[] => z.array(dataColumn).parse(JSON.parse(text))

type ReadDeps = Pick<SyncServices, 'db' | 'files'>

/**
 * Reads the active file of a data source, with its scan if the file was scanned with these settings. Undefined before
 * there is a file.
 */
export const currentUpload = async (
  { db, files }: ReadDeps,
  place: Place,
  settings: Settings,
): Promise<UploadedFile | undefined> => {
  const row = await db
    .selectFrom('data_source_uploads')
    .selectAll()
    .where('data_source_id', '=', place.dataSourceId)
    .where('replaced', '=', false)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const known = row.settings === settingsText(settings)
  return {
    path: files.path(uploadKey(place, row.id)),
    title: row.file_name,
    scan: known ? { columns: columnsOf(row.columns), rows: Number(row.rows) } : undefined,
  }
}

type UploadRow = Pick<
  Selectable<DataSourceUploadsTable>,
  'file_name' | 'bytes' | 'rows' | 'columns' | 'create_time' | 'replaced'
> & { email: string | null }

const present = (row: UploadRow): Upload => ({
  file_name: row.file_name,
  size_bytes: Number(row.bytes),
  rows: Number(row.rows),
  columns: columnsOf(row.columns),
  uploaded_by: row.email ?? '',
  upload_time: row.create_time.toISOString(),
  current: !row.replaced,
})

/** Reads the last uploads of a data source, newest first. */
export const lastUploads = async ({ db }: Pick<SyncServices, 'db'>, dataSourceId: string): Promise<Upload[]> => {
  const rows = await db
    .selectFrom('data_source_uploads as upload')
    .leftJoin('users', 'users.id', 'upload.user_id')
    .select(['file_name', 'bytes', 'rows', 'columns', 'upload.create_time', 'replaced', 'users.email'])
    .where('data_source_id', '=', dataSourceId)
    .orderBy('upload.create_time', 'desc')
    .orderBy('upload.id', 'desc')
    .limit(dataSourceLimits.uploads)
    .execute()
  return rows.map(present)
}
