/** A placeholder for the page of the connector. */
const ofConnector = 'connector'

/** Returns the path of a connector's page: `destinations/s3` for `catalogDestinations/s3`. */
const slugPath = (app: string): string =>
  app.startsWith('catalogDestinations/own-') ? 'own-destinations' : `destinations/${app.replace(/^.*\//, '')}`

/**
 * The documentation to which each screen links, by the path of the screen below its workspace, and then by its hash.
 */
const places: readonly [screen: RegExp, byHash: Readonly<Record<string, string>>][] = [
  [/^$/, { '': 'getting-started' }],
  [/^sources$/, { '': 'concepts#source-and-write-key' }],
  [
    /^sources\/[^/]+$/,
    {
      '': 'events#live-events',
      overview: 'events',
      schema: 'schemas',
      violations: 'schemas#violations',
      refused: 'events#refused-requests',
      setup: 'getting-started#2-send-an-event',
      connections: 'concepts#destination-connection-and-mapping',
      settings: 'concepts#source-and-write-key',
    },
  ],
  [/^catalog-sources$/, { '': 'sources' }],
  [/^signals\/sources$/, { '': 'tag' }],
  [/^signals\/sources\/new$/, { '': 'sources' }],
  [/^destinations$/, { '': 'concepts#destination-connection-and-mapping' }],
  [
    /^destinations\/[^/]+$/,
    {
      '': ofConnector,
      failures: 'deliveries#failures',
      deliveries: 'deliveries',
      loads: 'warehouses',
      mappings: 'mappings',
      replay: 'deliveries#replays',
      connections: 'concepts#destination-connection-and-mapping',
      settings: ofConnector,
    },
  ],
  [/^catalog-destinations$/, { '': 'destinations' }],
  [/^ownConnectors(\/.*)?$/, { '': 'own-destinations' }],
  [/^connections$/, { '': 'concepts#destination-connection-and-mapping' }],
  [/^events$/, { '': 'events#the-explorer' }],
  [/^events\/[^/]+$/, { '': 'events#status-of-an-event' }],
  [/^profiles$/, { '': 'profiles' }],
  [/^profiles\/settings$/, { '': 'profiles#identity-settings', api: 'profiles#profile-api' }],
  [
    /^profiles\/[^/]+$/,
    {
      '': 'profiles#traits',
      identifiers: 'profiles#identifiers',
      events: 'profiles',
      history: 'profiles#merges-and-splits',
    },
  ],
  [/^computedTraits$/, { '': 'profiles#computed-traits' }],
  [/^computedTraits\/new$/, { '': 'profiles#computed-traits' }],
  [/^computedTraits\/[^/]+\/edit$/, { '': 'profiles#computed-traits' }],
  [/^computedTraits\/[^/]+$/, { '': 'profiles#computed-traits' }],
  [/^audiences$/, { '': 'audiences' }],
  [/^audiences\/new$/, { '': 'audiences#build-an-audience' }],
  [/^audiences\/[^/]+\/edit$/, { '': 'audiences#build-an-audience' }],
  [/^audiences\/[^/]+$/, { '': 'audiences#size-and-profiles', sql: 'audiences#the-sql' }],
  [/^syncs$/, { '': 'syncs' }],
  [/^syncs\/tokens$/, { '': 'syncs#start-a-sync-by-api' }],
  [/^syncs\/new$/, { '': 'syncs#create-a-sync' }],
  [/^syncs\/[^/]+$/, { '': 'syncs', settings: 'syncs#change-a-sync' }],
  [/^syncs\/[^/]+\/runs\/[^/]+$/, { '': 'syncs#runs' }],
  [/^dataSources$/, { '': 'syncs#data-sources-and-models' }],
  [/^dataSources\/[^/]+$/, { '': 'syncs#data-sources-and-models' }],
  [/^models\/[^/]+$/, { '': 'syncs#data-sources-and-models' }],
  [/^signals$/, { '': 'signals' }],
  [/^signals\/new$/, { '': 'signals#create-a-signal' }],
  [/^signals\/settings$/, { '': 'signals#consent' }],
  [/^signals\/attribution$/, { '': 'signals#attribution' }],
  [
    /^signals\/[^/]+$/,
    {
      '': 'signals',
      quality: 'signals#match-quality',
      attribution: 'signals#attribution',
      conversions: 'signals#what-is-not-sent',
      settings: 'signals#create-a-signal',
    },
  ],
  [/^settings\/organization\/members$/, { '': 'members' }],
  [/^settings\/organization\/api-keys$/, { '': 'api#api-keys' }],
  [/^settings\/organization\/audit-log$/, { '': 'members#audit-log' }],
  [/^settings\/personal-data$/, { '': 'mappings#data-of-the-user' }],
  [/^settings\/privacy$/, { '': 'privacy', suppressed: 'privacy#suppress' }],
  [/^settings\/organization$/, { '': 'concepts#organization-and-workspace' }],
  [/^settings\/account$/, { '': 'members#sessions' }],
]

const workspacePath = /^\/(workspaces\/[^/]+)(?:\/(.*))?$/

/**
 * Returns the URL of the documentation about a screen; undefined if there is none. On the screen of a source, the URL
 * names the source, so that examples contain its key. `app` is the catalog entry of the screen's destination.
 */
export const docsAddress = (
  { pathname, hash }: { pathname: string; hash: string },
  app?: string,
): string | undefined => {
  const [, workspace = '', rest = ''] = workspacePath.exec(pathname) ?? []
  const screen = rest.replace(/\/$/, '')
  if (workspace === '') return undefined
  const [, kind, slug] = /^catalog-(sources|destinations)\/([a-z0-9-]+)(?:\/new)?$/.exec(screen) ?? []
  if (slug?.startsWith('own-') === true) return '/docs/own-destinations'
  if (kind !== undefined) return `/docs/${kind}/${slug}`
  const byHash = places.find(([pattern]) => pattern.test(screen))?.[1]
  const place = byHash?.[hash.replace(/^#/, '')] ?? byHash?.['']
  if (place === undefined) return undefined
  if (place === ofConnector) return app === undefined ? '/docs/destinations' : `/docs/${slugPath(app)}`
  const [page, anchor] = place.split('#')
  const source = screen.startsWith('sources/') ? `?${new URLSearchParams({ source: `${workspace}/${screen}` })}` : ''
  return `/docs/${page}${source}${anchor === undefined ? '' : `#${anchor}`}`
}
