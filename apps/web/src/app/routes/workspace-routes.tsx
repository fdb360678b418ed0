import { administrators } from '@tributary/contract'
import { Navigate, type RouteObject } from 'react-router'
import { patterns } from '../../lib/paths.ts'
import { audienceQuery, audiencesQuery } from '../../lib/queries/audience-queries.ts'
import { computedTraitQuery, computedTraitsQuery } from '../../lib/queries/computed-trait-queries.ts'
import {
  allModelsQuery,
  catalogDataSourceQuery,
  catalogDataSourcesQuery,
  dataSourceQuery,
  dataSourcesQuery,
  modelQuery,
} from '../../lib/queries/data-source-queries.ts'
import { eventQuery, workspaceEventsQuery } from '../../lib/queries/event-queries.ts'
import { installationQuery } from '../../lib/queries/organization-queries.ts'
import { identitySettingsQuery, profileQuery, profilesQuery } from '../../lib/queries/profile-queries.ts'
import { signalQuery, signalSettingsQuery, signalsQuery } from '../../lib/queries/signal-queries.ts'
import {
  alertChannelsQuery,
  syncQuery,
  syncRunQuery,
  syncsQuery,
  syncTokensQuery,
} from '../../lib/queries/sync-queries.ts'
import {
  allSourcesQuery,
  catalogDestinationQuery,
  catalogDestinationsQuery,
  catalogSourceQuery,
  catalogSourcesQuery,
  connectionsQuery,
  destinationQuery,
  destinationsQuery,
  sourceQuery,
  sourcesQuery,
} from '../../lib/queries/workspace-queries.ts'
import { platformAdminsOnly } from '../../lib/workspace.ts'
import { queryClient } from '../query-client.ts'
import { reads, toOrganizationSettings } from './loaders.ts'
import { requireFlag, requirePage } from './require-page.tsx'
import { WorkspaceError } from './route-error.tsx'
import { signedIn } from './session-loaders.ts'

const overview = {
  lazy: async () => ({ Component: (await import('../../features/overview/overview-page.tsx')).OverviewPage }),
  loader: reads(({ workspace }) => [
    queryClient.prefetchQuery(sourcesQuery(workspace)),
    queryClient.prefetchQuery(destinationsQuery(workspace)),
    queryClient.prefetchQuery(connectionsQuery(workspace)),
    queryClient.prefetchQuery(workspaceEventsQuery(workspace)),
  ]),
}

const sourceRoutes: RouteObject[] = [
  {
    path: patterns.sources,
    lazy: async () => ({ Component: (await import('../../features/sources/sources-page.tsx')).SourcesPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(sourcesQuery(workspace))]),
  },
  {
    path: patterns.source,
    lazy: async () => ({ Component: (await import('../../features/sources/source-page.tsx')).SourcePage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(sourceQuery(`${workspace}/sources/${params.sourceId ?? ''}`)),
    ]),
  },
  {
    path: patterns.catalogSources,
    lazy: async () => ({ Component: (await import('../../features/sources/catalog-page.tsx')).SourceCatalogPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(catalogSourcesQuery(workspace))]),
  },
  { path: patterns.catalogSource, element: <Navigate to="new" replace /> },
  {
    path: patterns.newSource,
    lazy: async () => ({ Component: (await import('../../features/sources/new-source-page.tsx')).NewSourcePage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(catalogSourceQuery(workspace, params.slug ?? '')),
    ]),
  },
]

const signalSourceRoutes: RouteObject[] = [
  {
    path: patterns.signalSources,
    lazy: async () => ({ Component: (await import('../../features/sources/sources-page.tsx')).SignalSourcesPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(sourcesQuery(workspace, 'SIGNALS'))]),
  },
  {
    path: patterns.catalogSignalSources,
    lazy: async () => ({
      Component: (await import('../../features/sources/catalog-page.tsx')).SignalSourceCatalogPage,
    }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(catalogSourcesQuery(workspace, 'SIGNALS'))]),
  },
  {
    path: patterns.newSignalSource,
    lazy: async () => ({ Component: (await import('../../features/sources/new-source-page.tsx')).NewSourcePage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(catalogSourceQuery(workspace, params.slug ?? '')),
    ]),
  },
]

const eventRoutes: RouteObject[] = [
  {
    path: patterns.events,
    lazy: async () => ({ Component: (await import('../../features/events/events-page.tsx')).EventsPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(allSourcesQuery(workspace))]),
  },
  {
    path: patterns.event,
    lazy: async () => ({ Component: (await import('../../features/events/event-page.tsx')).EventPage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(allSourcesQuery(workspace)),
      queryClient.prefetchQuery(eventQuery(workspace, params.eventId ?? '')),
    ]),
  },
]

const profileRoutes: RouteObject[] = [
  {
    path: patterns.profiles,
    lazy: async () => ({ Component: (await import('../../features/profiles/profiles-page.tsx')).ProfilesPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchInfiniteQuery(profilesQuery(workspace, ''))]),
  },
  {
    path: patterns.profileSettings,
    lazy: async () => ({
      Component: (await import('../../features/profiles/profile-settings-page.tsx')).ProfileSettingsPage,
    }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(identitySettingsQuery(workspace))]),
  },
  {
    path: patterns.profile,
    lazy: async () => ({ Component: (await import('../../features/profiles/profile-page.tsx')).ProfilePage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(profileQuery(`${workspace}/profiles/${params.profileId ?? ''}`)),
    ]),
  },
  {
    path: patterns.computedTraits,
    lazy: async () => ({
      Component: (await import('../../features/profiles/computed/computed-traits-page.tsx')).ComputedTraitsPage,
    }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(computedTraitsQuery(workspace))]),
  },
  {
    path: patterns.newComputedTrait,
    lazy: async () => ({
      Component: (await import('../../features/profiles/computed/new-computed-trait-page.tsx')).NewComputedTraitPage,
    }),
  },
  {
    path: patterns.computedTrait,
    lazy: async () => ({
      Component: (await import('../../features/profiles/computed/computed-trait-page.tsx')).ComputedTraitPage,
    }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(computedTraitQuery(`${workspace}/computedTraits/${params.computedTraitId ?? ''}`)),
    ]),
  },
  {
    path: patterns.editComputedTrait,
    lazy: async () => ({
      Component: (await import('../../features/profiles/computed/edit-computed-trait-page.tsx')).EditComputedTraitPage,
    }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(computedTraitQuery(`${workspace}/computedTraits/${params.computedTraitId ?? ''}`)),
    ]),
  },
]

const audienceRoutes: RouteObject[] = [
  {
    Component: requireFlag('audiences'),
    children: [
      {
        path: patterns.audiences,
        lazy: async () => ({ Component: (await import('../../features/audiences/audiences-page.tsx')).AudiencesPage }),
        loader: reads(({ workspace }) => [queryClient.prefetchQuery(audiencesQuery(workspace))]),
      },
      {
        path: patterns.newAudience,
        lazy: async () => ({
          Component: (await import('../../features/audiences/builder/new-audience-page.tsx')).NewAudiencePage,
        }),
      },
      {
        path: patterns.audience,
        lazy: async () => ({ Component: (await import('../../features/audiences/audience-page.tsx')).AudiencePage }),
        loader: reads(({ workspace, params }) => [
          queryClient.prefetchQuery(audienceQuery(`${workspace}/audiences/${params.audienceId ?? ''}`)),
        ]),
      },
      {
        path: patterns.editAudience,
        lazy: async () => ({
          Component: (await import('../../features/audiences/builder/edit-audience-page.tsx')).EditAudiencePage,
        }),
        loader: reads(({ workspace, params }) => [
          queryClient.prefetchQuery(audienceQuery(`${workspace}/audiences/${params.audienceId ?? ''}`)),
        ]),
      },
    ],
  },
]

const destinationRoutes: RouteObject[] = [
  {
    path: patterns.destinations,
    lazy: async () => ({
      Component: (await import('../../features/destinations/destinations-page.tsx')).DestinationsPage,
    }),
    loader: reads(({ workspace }) => [
      queryClient.prefetchQuery(destinationsQuery(workspace)),
      queryClient.prefetchQuery(connectionsQuery(workspace)),
    ]),
  },
  {
    path: patterns.destination,
    lazy: async () => ({
      Component: (await import('../../features/destinations/destination-page.tsx')).DestinationPage,
    }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(destinationQuery(`${workspace}/destinations/${params.destinationId ?? ''}`)),
    ]),
  },
  {
    path: patterns.catalogDestinations,
    lazy: async () => ({
      Component: (await import('../../features/destinations/catalog-page.tsx')).DestinationCatalogPage,
    }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(catalogDestinationsQuery(workspace))]),
  },
  { path: patterns.catalogDestination, element: <Navigate to="new" replace /> },
  {
    path: patterns.newDestination,
    lazy: async () => ({
      Component: (await import('../../features/destinations/new-destination-page.tsx')).NewDestinationPage,
    }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(catalogDestinationQuery(workspace, params.slug ?? '')),
    ]),
  },
]

const syncRoutes: RouteObject[] = [
  {
    path: patterns.syncs,
    lazy: async () => ({ Component: (await import('../../features/syncs/syncs-page.tsx')).SyncsPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(syncsQuery(workspace))]),
  },
  {
    path: patterns.newSync,
    lazy: async () => ({ Component: (await import('../../features/syncs/new-sync/new-sync-page.tsx')).NewSyncPage }),
    loader: reads(({ workspace }) => [
      queryClient.prefetchQuery(allModelsQuery(workspace)),
      queryClient.prefetchQuery(destinationsQuery(workspace)),
    ]),
  },
  {
    path: patterns.syncTokens,
    lazy: async () => ({ Component: (await import('../../features/syncs/tokens-page.tsx')).SyncTokensPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(syncTokensQuery(workspace))]),
  },
  {
    path: patterns.alertChannels,
    lazy: async () => ({
      Component: (await import('../../features/syncs/alert-channels/alert-channels-page.tsx')).AlertChannelsPage,
    }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(alertChannelsQuery(workspace))]),
  },
  {
    path: patterns.sync,
    lazy: async () => ({ Component: (await import('../../features/syncs/sync/sync-page.tsx')).SyncPage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(syncQuery(`${workspace}/syncs/${params.syncId ?? ''}`)),
    ]),
  },
  {
    path: patterns.syncRun,
    lazy: async () => ({ Component: (await import('../../features/syncs/runs/run-page.tsx')).RunPage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(syncRunQuery(`${workspace}/syncs/${params.syncId ?? ''}/runs/${params.runId ?? ''}`)),
      queryClient.prefetchQuery(syncQuery(`${workspace}/syncs/${params.syncId ?? ''}`)),
    ]),
  },
]

const dataSourceRoutes: RouteObject[] = [
  {
    path: patterns.dataSources,
    lazy: async () => ({ Component: (await import('../../features/syncs/data-sources-page.tsx')).DataSourcesPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(dataSourcesQuery(workspace))]),
  },
  {
    path: patterns.dataSource,
    lazy: async () => ({ Component: (await import('../../features/syncs/data-source-page.tsx')).DataSourcePage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(dataSourceQuery(`${workspace}/dataSources/${params.dataSourceId ?? ''}`)),
    ]),
  },
  {
    path: patterns.newModel,
    lazy: async () => ({ Component: (await import('../../features/syncs/new-model-page.tsx')).NewModelPage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(dataSourceQuery(`${workspace}/dataSources/${params.dataSourceId ?? ''}`)),
    ]),
  },
  {
    path: patterns.model,
    lazy: async () => ({ Component: (await import('../../features/syncs/model-page.tsx')).ModelPage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(modelQuery(`${workspace}/models/${params.modelId ?? ''}`)),
    ]),
  },
  {
    path: patterns.catalogDataSources,
    lazy: async () => ({ Component: (await import('../../features/syncs/catalog-page.tsx')).DataSourceCatalogPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(catalogDataSourcesQuery(workspace))]),
  },
  { path: patterns.catalogDataSource, element: <Navigate to="new" replace /> },
  {
    path: patterns.newDataSource,
    lazy: async () => ({
      Component: (await import('../../features/syncs/new-data-source-page.tsx')).NewDataSourcePage,
    }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(catalogDataSourceQuery(workspace, params.slug ?? '')),
    ]),
  },
]

const signalRoutes: RouteObject[] = [
  {
    path: patterns.signals,
    lazy: async () => ({ Component: (await import('../../features/signals/signals-page.tsx')).SignalsPage }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(signalsQuery(workspace))]),
  },
  {
    path: patterns.newSignal,
    lazy: async () => ({
      Component: (await import('../../features/signals/new-signal/new-signal-page.tsx')).NewSignalPage,
    }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(allSourcesQuery(workspace))]),
  },
  {
    path: patterns.signalSettings,
    lazy: async () => ({
      Component: (await import('../../features/signals/signal-settings-page.tsx')).SignalSettingsPage,
    }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(signalSettingsQuery(workspace))]),
  },
  {
    path: patterns.signalAttribution,
    lazy: async () => ({ Component: (await import('../../features/signals/attribution-page.tsx')).AttributionPage }),
  },
  {
    path: patterns.signal,
    lazy: async () => ({ Component: (await import('../../features/signals/signal-page.tsx')).SignalPage }),
    loader: reads(({ workspace, params }) => [
      queryClient.prefetchQuery(signalQuery(`${workspace}/signals/${params.signalId ?? ''}`)),
    ]),
  },
]

const areaRoutes: RouteObject[] = [
  {
    path: patterns.connections,
    lazy: async () => ({
      Component: (await import('../../features/connections/connections-page.tsx')).ConnectionsPage,
    }),
    loader: reads(({ workspace }) => [queryClient.prefetchQuery(connectionsQuery(workspace))]),
  },
  {
    Component: requireFlag('syncs'),
    children: [...syncRoutes, ...dataSourceRoutes],
  },
  {
    Component: requireFlag('signals'),
    children: [...signalRoutes, ...signalSourceRoutes],
  },
  { path: patterns.workspaceOrganizations, loader: toOrganizationSettings },
]

const settingsIndex = {
  lazy: async () => ({ Component: (await import('../frame/settings-shell.tsx')).SettingsIndex }),
}

const organizationSettingsRoutes: RouteObject[] = [
  {
    path: patterns.organizationSettings,
    lazy: async () => ({ Component: (await import('../../features/settings/general-page.tsx')).GeneralPage }),
  },
  {
    path: patterns.billing,
    lazy: async () => ({ Component: (await import('../../features/settings/billing-page.tsx')).BillingPage }),
  },
  {
    path: patterns.members,
    lazy: async () => ({ Component: (await import('../../features/settings/memberships-page.tsx')).MembershipsPage }),
  },
  {
    path: patterns.apiKeys,
    lazy: async () => ({ Component: (await import('../../features/settings/api-keys/api-keys-page.tsx')).ApiKeysPage }),
  },
  {
    path: patterns.auditLog,
    lazy: async () => ({
      Component: (await import('../../features/settings/audit-log/audit-log-page.tsx')).AuditLogPage,
    }),
  },
  {
    path: patterns.privacy,
    lazy: async () => ({ Component: (await import('../../features/privacy/privacy-page.tsx')).PrivacyPage }),
  },
]

const accountSettingsRoutes: RouteObject[] = [
  {
    path: patterns.account,
    lazy: async () => ({ Component: (await import('../../features/settings/account-page.tsx')).AccountPage }),
  },
  {
    path: patterns.changePassword,
    lazy: async () => ({
      Component: (await import('../../features/settings/change-password-page.tsx')).ChangePasswordPage,
    }),
  },
]

const adminSettingsRoutes: RouteObject[] = [
  {
    path: patterns.organizations,
    lazy: async () => ({
      Component: (await import('../../features/staff/organizations-page.tsx')).OrganizationsPage,
    }),
  },
  {
    path: patterns.actOnBehalf,
    lazy: async () => ({ Component: (await import('../../features/staff/act-on-behalf-page.tsx')).ActOnBehalfPage }),
  },
  {
    path: patterns.onboardingLink,
    lazy: async () => ({
      Component: (await import('../../features/staff/onboarding-link-page.tsx')).OnboardingLinkPage,
    }),
  },
  {
    path: patterns.installation,
    lazy: async () => ({ Component: (await import('../../features/staff/installation-page.tsx')).InstallationPage }),
    loader: reads(() => [queryClient.prefetchQuery(installationQuery())]),
  },
  {
    Component: requireFlag('custom-domain'),
    children: [
      {
        path: patterns.customDomain,
        lazy: async () => ({
          Component: (await import('../../features/staff/custom-domain-page.tsx')).CustomDomainPage,
        }),
      },
    ],
  },
]

const settingsRoutes: RouteObject[] = [
  { index: true, ...settingsIndex },
  { Component: requirePage(administrators), children: organizationSettingsRoutes },
  ...accountSettingsRoutes,
  { Component: requirePage(platformAdminsOnly), children: adminSettingsRoutes },
  { path: '*', ...settingsIndex },
]

/** All pages below a workspace: the settings in their own frame, every other page beside the sidebar. */
export const workspaceRoute: RouteObject = {
  path: patterns.workspace,
  loader: signedIn,
  lazy: async () => ({ Component: (await import('../frame/workspace-shell.tsx')).WorkspaceShell }),
  children: [
    {
      path: patterns.settings,
      lazy: async () => ({ Component: (await import('../frame/settings-shell.tsx')).SettingsShell }),
      children: [{ ErrorBoundary: WorkspaceError, children: settingsRoutes }],
    },
    {
      lazy: async () => ({ Component: (await import('../frame/workspace-frame.tsx')).WorkspaceFrame }),
      children: [
        {
          ErrorBoundary: WorkspaceError,
          children: [
            { index: true, ...overview },
            ...sourceRoutes,
            ...eventRoutes,
            ...profileRoutes,
            ...audienceRoutes,
            ...destinationRoutes,
            ...areaRoutes,
            { path: '*', ...overview },
          ],
        },
      ],
    },
  ],
}
