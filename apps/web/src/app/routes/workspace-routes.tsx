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
import { personDataPlacesQuery } from '../../lib/queries/person-data-queries.ts'
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
import { toOrganizationSettings } from './loaders.ts'
import { ownConnectorPages } from './own-connector-routes.ts'
import { page, read, readFirstPage } from './page.ts'
import { requireFlag, requirePage } from './require-page.tsx'
import { WorkspaceError } from './route-error.tsx'
import { signedIn } from './session-loaders.ts'

const overview = page({
  path: '*',
  code: async () => (await import('../../features/overview/overview-page.tsx')).OverviewPage,
  data: (workspace) => [
    read(sourcesQuery(workspace)),
    read(destinationsQuery(workspace)),
    read(connectionsQuery(workspace)),
    read(workspaceEventsQuery(workspace)),
  ],
})

const settingsIndex = page({
  path: '*',
  code: async () => (await import('../frame/settings-shell.tsx')).SettingsIndex,
})

const pages: RouteObject[] = [
  { ...overview, path: undefined, index: true },
  page({
    path: patterns.sources,
    code: async () => (await import('../../features/sources/sources-page.tsx')).SourcesPage,
    data: (workspace) => [read(sourcesQuery(workspace))],
  }),
  page({
    path: patterns.source,
    code: async () => (await import('../../features/sources/source-page.tsx')).SourcePage,
    data: (workspace, ids) => [read(sourceQuery(`${workspace}/sources/${ids.sourceId}`))],
  }),
  page({
    path: patterns.catalogSources,
    code: async () => (await import('../../features/sources/catalog-page.tsx')).SourceCatalogPage,
    data: (workspace) => [read(catalogSourcesQuery(workspace))],
  }),
  { path: patterns.catalogSource, element: <Navigate to="new" replace /> },
  page({
    path: patterns.newSource,
    code: async () => (await import('../../features/sources/new-source-page.tsx')).NewSourcePage,
    data: (workspace, ids) => [read(catalogSourceQuery(workspace, ids.slug))],
  }),
  page({
    path: patterns.events,
    code: async () => (await import('../../features/events/events-page.tsx')).EventsPage,
    data: (workspace) => [read(allSourcesQuery(workspace))],
  }),
  page({
    path: patterns.event,
    code: async () => (await import('../../features/events/event-page.tsx')).EventPage,
    data: (workspace, ids) => [read(allSourcesQuery(workspace)), read(eventQuery(workspace, ids.eventId))],
  }),
  page({
    path: patterns.profiles,
    code: async () => (await import('../../features/profiles/profiles-page.tsx')).ProfilesPage,
    data: (workspace) => [readFirstPage(profilesQuery(workspace, ''))],
  }),
  page({
    path: patterns.profileSettings,
    code: async () => (await import('../../features/profiles/profile-settings-page.tsx')).ProfileSettingsPage,
    data: (workspace) => [read(identitySettingsQuery(workspace))],
  }),
  page({
    path: patterns.profile,
    code: async () => (await import('../../features/profiles/profile-page.tsx')).ProfilePage,
    data: (workspace, ids) => [read(profileQuery(`${workspace}/profiles/${ids.profileId}`))],
  }),
  page({
    path: patterns.computedTraits,
    code: async () => (await import('../../features/profiles/computed/computed-traits-page.tsx')).ComputedTraitsPage,
    data: (workspace) => [read(computedTraitsQuery(workspace))],
  }),
  page({
    path: patterns.newComputedTrait,
    code: async () =>
      (await import('../../features/profiles/computed/new-computed-trait-page.tsx')).NewComputedTraitPage,
  }),
  page({
    path: patterns.computedTrait,
    code: async () => (await import('../../features/profiles/computed/computed-trait-page.tsx')).ComputedTraitPage,
    data: (workspace, ids) => [read(computedTraitQuery(`${workspace}/computedTraits/${ids.computedTraitId}`))],
  }),
  page({
    path: patterns.editComputedTrait,
    code: async () =>
      (await import('../../features/profiles/computed/edit-computed-trait-page.tsx')).EditComputedTraitPage,
    data: (workspace, ids) => [read(computedTraitQuery(`${workspace}/computedTraits/${ids.computedTraitId}`))],
  }),
  {
    Component: requireFlag('audiences'),
    children: [
      page({
        path: patterns.audiences,
        code: async () => (await import('../../features/audiences/audiences-page.tsx')).AudiencesPage,
        data: (workspace) => [read(audiencesQuery(workspace))],
      }),
      page({
        path: patterns.newAudience,
        code: async () => (await import('../../features/audiences/builder/new-audience-page.tsx')).NewAudiencePage,
      }),
      page({
        path: patterns.audience,
        code: async () => (await import('../../features/audiences/audience-page.tsx')).AudiencePage,
        data: (workspace, ids) => [read(audienceQuery(`${workspace}/audiences/${ids.audienceId}`))],
      }),
      page({
        path: patterns.editAudience,
        code: async () => (await import('../../features/audiences/builder/edit-audience-page.tsx')).EditAudiencePage,
        data: (workspace, ids) => [read(audienceQuery(`${workspace}/audiences/${ids.audienceId}`))],
      }),
    ],
  },
  page({
    path: patterns.destinations,
    code: async () => (await import('../../features/destinations/destinations-page.tsx')).DestinationsPage,
    data: (workspace) => [read(destinationsQuery(workspace)), read(connectionsQuery(workspace))],
  }),
  page({
    path: patterns.destination,
    code: async () => (await import('../../features/destinations/destination-page.tsx')).DestinationPage,
    data: (workspace, ids) => [read(destinationQuery(`${workspace}/destinations/${ids.destinationId}`))],
  }),
  page({
    path: patterns.catalogDestinations,
    code: async () => (await import('../../features/destinations/catalog-page.tsx')).DestinationCatalogPage,
    data: (workspace) => [read(catalogDestinationsQuery(workspace))],
  }),
  { path: patterns.catalogDestination, element: <Navigate to="new" replace /> },
  page({
    path: patterns.newDestination,
    code: async () => (await import('../../features/destinations/new-destination-page.tsx')).NewDestinationPage,
    data: (workspace, ids) => [read(catalogDestinationQuery(workspace, ids.slug))],
  }),
  ...ownConnectorPages,
  page({
    path: patterns.connections,
    code: async () => (await import('../../features/connections/connections-page.tsx')).ConnectionsPage,
    data: (workspace) => [read(connectionsQuery(workspace))],
  }),
  {
    Component: requireFlag('syncs'),
    children: [
      page({
        path: patterns.syncs,
        code: async () => (await import('../../features/syncs/syncs-page.tsx')).SyncsPage,
        data: (workspace) => [read(syncsQuery(workspace))],
      }),
      page({
        path: patterns.newSync,
        code: async () => (await import('../../features/syncs/new-sync/new-sync-page.tsx')).NewSyncPage,
        data: (workspace) => [read(allModelsQuery(workspace)), read(destinationsQuery(workspace))],
      }),
      page({
        path: patterns.syncTokens,
        code: async () => (await import('../../features/syncs/tokens-page.tsx')).SyncTokensPage,
        data: (workspace) => [read(syncTokensQuery(workspace))],
      }),
      page({
        path: patterns.alertChannels,
        code: async () =>
          (await import('../../features/syncs/alert-channels/alert-channels-page.tsx')).AlertChannelsPage,
        data: (workspace) => [read(alertChannelsQuery(workspace))],
      }),
      page({
        path: patterns.sync,
        code: async () => (await import('../../features/syncs/sync/sync-page.tsx')).SyncPage,
        data: (workspace, ids) => [read(syncQuery(`${workspace}/syncs/${ids.syncId}`))],
      }),
      page({
        path: patterns.syncRun,
        code: async () => (await import('../../features/syncs/runs/run-page.tsx')).RunPage,
        data: (workspace, ids) => [
          read(syncRunQuery(`${workspace}/syncs/${ids.syncId}/runs/${ids.runId}`)),
          read(syncQuery(`${workspace}/syncs/${ids.syncId}`)),
        ],
      }),
      page({
        path: patterns.dataSources,
        code: async () => (await import('../../features/syncs/data-sources-page.tsx')).DataSourcesPage,
        data: (workspace) => [read(dataSourcesQuery(workspace))],
      }),
      page({
        path: patterns.dataSource,
        code: async () => (await import('../../features/syncs/data-source-page.tsx')).DataSourcePage,
        data: (workspace, ids) => [read(dataSourceQuery(`${workspace}/dataSources/${ids.dataSourceId}`))],
      }),
      page({
        path: patterns.newModel,
        code: async () => (await import('../../features/syncs/new-model-page.tsx')).NewModelPage,
        data: (workspace, ids) => [read(dataSourceQuery(`${workspace}/dataSources/${ids.dataSourceId}`))],
      }),
      page({
        path: patterns.model,
        code: async () => (await import('../../features/syncs/model-page.tsx')).ModelPage,
        data: (workspace, ids) => [read(modelQuery(`${workspace}/models/${ids.modelId}`))],
      }),
      page({
        path: patterns.catalogDataSources,
        code: async () => (await import('../../features/syncs/catalog-page.tsx')).DataSourceCatalogPage,
        data: (workspace) => [read(catalogDataSourcesQuery(workspace))],
      }),
      { path: patterns.catalogDataSource, element: <Navigate to="new" replace /> },
      page({
        path: patterns.newDataSource,
        code: async () => (await import('../../features/syncs/new-data-source-page.tsx')).NewDataSourcePage,
        data: (workspace, ids) => [read(catalogDataSourceQuery(workspace, ids.slug))],
      }),
    ],
  },
  {
    Component: requireFlag('signals'),
    children: [
      page({
        path: patterns.signals,
        code: async () => (await import('../../features/signals/signals-page.tsx')).SignalsPage,
        data: (workspace) => [read(signalsQuery(workspace))],
      }),
      page({
        path: patterns.newSignal,
        code: async () => (await import('../../features/signals/new-signal/new-signal-page.tsx')).NewSignalPage,
        data: (workspace) => [read(allSourcesQuery(workspace))],
      }),
      page({
        path: patterns.signalSettings,
        code: async () => (await import('../../features/signals/signal-settings-page.tsx')).SignalSettingsPage,
        data: (workspace) => [read(signalSettingsQuery(workspace))],
      }),
      page({
        path: patterns.signalAttribution,
        code: async () => (await import('../../features/signals/attribution-page.tsx')).AttributionPage,
      }),
      page({
        path: patterns.signal,
        code: async () => (await import('../../features/signals/signal-page.tsx')).SignalPage,
        data: (workspace, ids) => [read(signalQuery(`${workspace}/signals/${ids.signalId}`))],
      }),
      page({
        path: patterns.signalSources,
        code: async () => (await import('../../features/sources/sources-page.tsx')).SignalSourcesPage,
        data: (workspace) => [read(sourcesQuery(workspace, 'SIGNALS'))],
      }),
      page({
        path: patterns.catalogSignalSources,
        code: async () => (await import('../../features/sources/catalog-page.tsx')).SignalSourceCatalogPage,
        data: (workspace) => [read(catalogSourcesQuery(workspace, 'SIGNALS'))],
      }),
      page({
        path: patterns.newSignalSource,
        code: async () => (await import('../../features/sources/new-source-page.tsx')).NewSourcePage,
        data: (workspace, ids) => [read(catalogSourceQuery(workspace, ids.slug))],
      }),
    ],
  },
  { path: patterns.workspaceOrganizations, loader: toOrganizationSettings },
  overview,
]

const settingsPages: RouteObject[] = [
  { ...settingsIndex, path: undefined, index: true },
  {
    Component: requirePage(administrators),
    children: [
      page({
        path: patterns.organizationSettings,
        code: async () => (await import('../../features/settings/general-page.tsx')).GeneralPage,
      }),
      page({
        path: patterns.billing,
        code: async () => (await import('../../features/settings/billing-page.tsx')).BillingPage,
      }),
      page({
        path: patterns.members,
        code: async () => (await import('../../features/settings/memberships-page.tsx')).MembershipsPage,
      }),
      page({
        path: patterns.apiKeys,
        code: async () => (await import('../../features/settings/api-keys/api-keys-page.tsx')).ApiKeysPage,
      }),
      page({
        path: patterns.auditLog,
        code: async () => (await import('../../features/settings/audit-log/audit-log-page.tsx')).AuditLogPage,
      }),
      page({
        path: patterns.privacy,
        code: async () => (await import('../../features/privacy/privacy-page.tsx')).PrivacyPage,
      }),
    ],
  },
  page({
    path: patterns.personalData,
    code: async () => (await import('../../features/settings/personal-data/personal-data-page.tsx')).PersonalDataPage,
    data: (workspace) => [read(personDataPlacesQuery(workspace))],
  }),
  page({
    path: patterns.account,
    code: async () => (await import('../../features/settings/account-page.tsx')).AccountPage,
  }),
  page({
    path: patterns.changePassword,
    code: async () => (await import('../../features/settings/change-password-page.tsx')).ChangePasswordPage,
  }),
  {
    Component: requirePage(platformAdminsOnly),
    children: [
      page({
        path: patterns.organizations,
        code: async () => (await import('../../features/staff/organizations-page.tsx')).OrganizationsPage,
      }),
      page({
        path: patterns.actOnBehalf,
        code: async () => (await import('../../features/staff/act-on-behalf-page.tsx')).ActOnBehalfPage,
      }),
      page({
        path: patterns.onboardingLink,
        code: async () => (await import('../../features/staff/onboarding-link-page.tsx')).OnboardingLinkPage,
      }),
      page({
        path: patterns.installation,
        code: async () => (await import('../../features/staff/installation-page.tsx')).InstallationPage,
        data: () => [read(installationQuery())],
      }),
      {
        Component: requireFlag('custom-domain'),
        children: [
          page({
            path: patterns.customDomain,
            code: async () => (await import('../../features/staff/custom-domain-page.tsx')).CustomDomainPage,
          }),
        ],
      },
    ],
  },
  settingsIndex,
]

/** All pages below a workspace: the settings in their own frame, every other page beside the sidebar. */
export const workspaceRoute: RouteObject = {
  ...page({
    path: patterns.workspace,
    access: signedIn,
    code: async () => (await import('../frame/workspace-shell.tsx')).WorkspaceShell,
  }),
  children: [
    {
      ...page({
        path: patterns.settings,
        code: async () => (await import('../frame/settings-shell.tsx')).SettingsShell,
      }),
      children: [{ ErrorBoundary: WorkspaceError, children: settingsPages }],
    },
    {
      lazy: async () => ({ Component: (await import('../frame/workspace-frame.tsx')).WorkspaceFrame }),
      children: [{ ErrorBoundary: WorkspaceError, children: pages }],
    },
  ],
}
