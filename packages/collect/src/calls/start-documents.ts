import type { WriteKeyEntry } from '../ports.ts'

/**
 * What @segment/analytics-next and the mobile SDKs ask for at start (`/v1/projects/{key}/settings`): it sends events to
 * `origin`. Exactly one integration, else the browser SDK loads code for the others; a sample rate of 0 keeps it from
 * reporting about itself. The schema is enforced where events are processed, never here.
 */
export const segmentSettings = (origin: string, writeKey: string): object => {
  const { host, protocol } = new URL(origin)
  return {
    integrations: {
      'Segment.io': {
        apiKey: writeKey,
        apiHost: `${host}/v1`,
        protocol: protocol.slice(0, -1),
        unbundledIntegrations: [],
        addBundledMetadata: true,
        versionSettings: { version: '4.4.7', componentTypes: ['browser'] },
      },
    },
    plan: {
      track: { __default: { enabled: true, integrations: {} } },
      identify: { __default: { enabled: true } },
      group: { __default: { enabled: true } },
    },
    edgeFunction: {},
    analyticsNextEnabled: true,
    middlewareSettings: { routingRules: [] },
    enabledMiddleware: {},
    metrics: { sampleRate: 0, host: `${host}/v1` },
    legacyVideoPluginsEnabled: false,
    remotePlugins: [],
    consentSettings: { allCategories: [], hasUnmappedDestinations: false },
  }
}

/**
 * What RudderStack's SDKs ask for at start (`/sourceConfig`). All routing happens on the server, so no destination is
 * named; a disabled source says so and the SDK stays quiet. `updatedAt` is RFC 3339.
 */
export const rudderSourceConfig = (entry: WriteKeyEntry, writeKey: string, updatedAt: string): object => ({
  source: {
    id: entry.sourceId,
    name: entry.sourceTitle,
    writeKey,
    enabled: entry.sourceEnabled,
    workspaceId: entry.workspaceId,
    config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
    destinations: [],
    connections: [],
    dataplanes: {},
    sourceDefinition: { name: 'Javascript', displayName: 'JavaScript', category: 'eventStream' },
    updatedAt,
  },
  consentManagementMetadata: { providers: [] },
  updatedAt,
})
