import { withoutEnd } from '@tributary/kernel/text-ends'
import { paths } from './paths.ts'

const areas = {
  sources: paths.sources,
  destinations: paths.destinations,
  events: (workspace: string): string => paths.events(workspace),
  ownConnectors: paths.ownConnectors,
  connections: paths.connections,
  profiles: paths.profiles,
  computedTraits: paths.computedTraits,
  audiences: paths.audiences,
  syncs: paths.syncs,
  dataSources: paths.dataSources,
  models: paths.dataSources,
  signals: paths.signals,
} as const

const isArea = (name: string): name is keyof typeof areas => Object.hasOwn(areas, name)

/**
 * Returns the path after switching from one workspace to another (resource names): the same area of the other
 * workspace. The page of a single object, such as a source, leads to its list. Pages that every workspace has, such as
 * catalogs and settings, stay open. If the user may not see the settings of the organization (`administers`), these
 * lead to the home page.
 */
export const sameArea = (pathname: string, from: string, to: string, administers: boolean): string => {
  const prefix = `${paths.workspace(from)}/`
  if (!pathname.startsWith(prefix)) return paths.workspace(to)
  const rest = withoutEnd(pathname.slice(prefix.length), '/')
  const [area = '', page = ''] = rest.split('/')
  if (isArea(area)) return areas[area](to)
  const everywhere =
    area === 'catalog-sources' ||
    area === 'catalog-destinations' ||
    area === 'catalog-data-sources' ||
    (area === 'settings' && (page === 'account' || administers))
  return everywhere ? `${paths.workspace(to)}/${rest}` : paths.workspace(to)
}
