import { type Db, offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import { type ListedOwnConnectorVersion, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { fileOf } from './file.ts'
import { type OwnConnectorRow, readOwnConnector } from './read.ts'

const selectVersions = (db: Db, { id }: Pick<OwnConnectorRow, 'id'>) =>
  db
    .selectFrom('own_connector_versions as v')
    .leftJoin('users as u', 'u.id', 'v.created_by')
    .select(['v.version', 'v.note', 'v.create_time', 'u.email', 'u.first_name', 'u.last_name'])
    .where('v.own_connector_id', '=', id)

/** Reads the texts of a version. Throws 404 if there is none. */
export const readVersion = async (
  db: Db,
  row: Pick<OwnConnectorRow, 'id'>,
  version: number,
): Promise<{ description: string; guide: string }> => {
  const found = Number.isInteger(version)
    ? await db
        .selectFrom('own_connector_versions')
        .select(['description', 'guide'])
        .where('own_connector_id', '=', row.id)
        .where('version', '=', version)
        .executeTakeFirst()
    : undefined
  if (found === undefined) throw notFound('version not found')
  return found
}

const versionNumber = (text: string): number => (/^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : Number.NaN)

type VersionRow = {
  version: number
  note: string
  create_time: Date
  email: string | null
  first_name: string | null
  last_name: string | null
}

const presentVersion = (row: OwnConnectorRow, version: VersionRow): ListedOwnConnectorVersion => ({
  name: resourceNames.ownConnectorVersion.format({
    workspace: row.workspace_id,
    own_connector: row.id,
    version: String(version.version),
  }),
  version: version.version,
  note: version.note,
  created_by: `${version.first_name ?? ''} ${version.last_name ?? ''}`.trim() || (version.email ?? ''),
  create_time: version.create_time.toISOString(),
})

/** The published versions of an own connector, newest first. */
export const listOwnConnectorVersions =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.ownConnectors.listVersions> =>
  async ({ workspace, params, query }) => {
    const page = openPage('ownConnectors.listVersions', params, query, offsetCursor)
    const row = await readOwnConnector(db, workspace.id, params.own_connector)
    const found = await selectVersions(db, row).orderBy('v.version', 'desc').execute()
    const { rows, next } = slicePage(page, found)
    return { versions: rows.map((version) => presentVersion(row, version)), next_page_token: next }
  }

/** A published version with its texts. */
export const getOwnConnectorVersion =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.ownConnectors.getVersion> =>
  async ({ workspace, params }) => {
    const row = await readOwnConnector(db, workspace.id, params.own_connector)
    const texts = await readVersion(db, row, versionNumber(params.version))
    const version = await selectVersions(db, row)
      .where('v.version', '=', versionNumber(params.version))
      .executeTakeFirstOrThrow()
    return { ...presentVersion(row, version), ...texts }
  }

/** Returns a title as the name of a file. */
const fileName = (title: string): string =>
  `${title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 60)
    .replace(/-$/, '')}`

/** The draft or a version as a file. */
export const exportOwnConnector =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.ownConnectors.export> =>
  async ({ workspace, params, query }) => {
    const row = await readOwnConnector(db, workspace.id, params.own_connector)
    const { version } = query
    const texts =
      version === undefined
        ? { description: row.draft_description, guide: row.draft_guide }
        : await readVersion(db, row, versionNumber(version))
    const start = fileName(row.title)
    return {
      file_name: `${start === '' ? 'destination' : start}${version === undefined ? '' : `-${version}`}.tributary.json`,
      file: fileOf({ title: row.title, ...texts }),
    }
  }
