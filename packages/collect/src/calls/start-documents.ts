import type { WriteKeyEntry } from '../ports.ts'

/**
 * The settings for @segment/analytics-next and the mobile SDKs (`/v1/projects/{key}/settings`), with which they send
 * events to `origin`. There is exactly one integration, because the browser SDK would load code for others. A sample
 * rate of 0 disables its reports about itself. The schema is enforced in the pipeline, never here.
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
 * The configuration for RudderStack's SDKs (`/sourceConfig`). All routing happens on the server, so it contains no
 * destination. A disabled source is marked, and its SDK stays silent. `updatedAt` is RFC 3339.
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
