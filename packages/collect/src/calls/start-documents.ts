import type { WriteKeyEntry } from '../ports.ts'

/**
 * Returns the settings with which @segment/analytics-next and the mobile SDKs send events to `origin`
 * (`/v1/projects/{key}/settings`). There is exactly one integration, because the browser SDK would load code for
 * others. A sample rate of 0 disables the SDK's reports about itself. The pipeline enforces the schema, not the SDK.
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
 * Returns the configuration for RudderStack's SDKs (`/sourceConfig`). All routing happens on the server, so the
 * configuration has no destination. The SDK of a disabled source sends nothing. `updatedAt` is RFC 3339.
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
