import type { RouteObject } from 'react-router'
import { patterns } from '../../lib/paths.ts'
import { ownConnectorQuery, ownConnectorsQuery } from '../../lib/queries/own-connector-queries.ts'
import { catalogDestinationsQuery } from '../../lib/queries/workspace-queries.ts'
import { page, read } from './page.ts'

/** The pages of destinations that a workspace describes itself. */
export const ownConnectorPages: RouteObject[] = [
  page({
    path: patterns.ownConnectors,
    code: async () => (await import('../../features/destinations/own/own-pages.ts')).OwnConnectorsPage,
    data: (workspace) => [read(ownConnectorsQuery(workspace))],
  }),
  page({
    path: patterns.newOwnConnector,
    code: async () => (await import('../../features/destinations/own/own-pages.ts')).NewOwnConnectorPage,
    data: (workspace) => [read(catalogDestinationsQuery(workspace))],
  }),
  page({
    path: patterns.ownConnector,
    code: async () => (await import('../../features/destinations/own/own-pages.ts')).OwnConnectorPage,
    data: (workspace, ids) => [read(ownConnectorQuery(`${workspace}/ownConnectors/${ids.ownConnectorId}`))],
  }),
]
