import { methods } from '@tributary/contract'
import { ownConnectorIds, workspaceIds } from '../format/names.ts'
import { query, rowsQuery } from './query.ts'

/** All destinations that a workspace describes itself. */
export const ownConnectorsQuery = (workspace: string) =>
  rowsQuery(methods.ownConnectors.list, { params: workspaceIds(workspace) }, ({ own_connectors }) => own_connectors)

/** An own connector with its draft, by resource name. */
export const ownConnectorQuery = (own: string) => query(methods.ownConnectors.get, { params: ownConnectorIds(own) })

/** The problems and results of texts that may not be saved yet. Waits until typing pauses. */
export const ownCheckQuery = (own: string, texts: { description: string; guide: string }) =>
  query(
    methods.ownConnectors.check,
    { params: ownConnectorIds(own), body: texts },
    { wait: 700, gcTime: 10_000, staleTime: 30_000 },
  )

/** The published versions of an own connector, newest first. */
export const ownVersionsQuery = (own: string) =>
  rowsQuery(methods.ownConnectors.listVersions, { params: ownConnectorIds(own) }, ({ versions }) => versions)

/** A published version with its texts. */
export const ownVersionQuery = (own: string, version: number) =>
  query(methods.ownConnectors.getVersion, { params: { ...ownConnectorIds(own), version: String(version) } })
