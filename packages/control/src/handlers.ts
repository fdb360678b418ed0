// One table with a line for each method of the contract. It is not split up, so that there is one place to register a
// new method.

import type { Evaluation } from '@tributary/audiences'
import { type BillingDeps, getUsageReport, updateCap } from '@tributary/billing'
import type { Handlers } from '@tributary/http'
import { createPrivacyRequest } from '@tributary/privacy'
import type { DataSourcePlaces } from '@tributary/syncs'
import { createAlertChannel } from './alert-channels/create.ts'
import { deleteAlertChannel } from './alert-channels/delete.ts'
import { listAlertChannels } from './alert-channels/list.ts'
import { testAlertChannel } from './alert-channels/test.ts'
import { updateAlertChannel } from './alert-channels/update.ts'
import { apiKeyHandlers } from './api-keys/handlers.ts'
import { computeAudienceNow } from './audiences/compute-now.ts'
import { createAudience } from './audiences/create.ts'
import { deleteAudience } from './audiences/delete.ts'
import { cancelAudienceFill, disconnectAudienceDestination } from './audiences/destinations/change-connection.ts'
import { connectAudienceDestination } from './audiences/destinations/connect.ts'
import { listAudienceDestinations, listAudiencesOfDestination } from './audiences/destinations/list.ts'
import { resendAudience } from './audiences/destinations/resend.ts'
import { explainAudience } from './audiences/explain.ts'
import { getAudience } from './audiences/get.ts'
import { getAudienceHistory } from './audiences/get-history.ts'
import { getAudienceStatements } from './audiences/get-statements.ts'
import { listAudiences } from './audiences/list.ts'
import { listProfileAudiences } from './audiences/list-by-profile.ts'
import { listAudienceChanges } from './audiences/list-changes.ts'
import { listAudienceMembers } from './audiences/list-members.ts'
import { changeAudienceList } from './audiences/lists/change.ts'
import { importAudienceList } from './audiences/lists/import.ts'
import { removeFromAudienceList } from './audiences/lists/remove.ts'
import { pauseAudience } from './audiences/pause.ts'
import { previewAudience } from './audiences/preview.ts'
import { resumeAudience } from './audiences/resume.ts'
import { suggestForAudience } from './audiences/suggest.ts'
import { updateAudience } from './audiences/update.ts'
import { getAudienceVersion } from './audiences/versions/get.ts'
import { listAudienceVersions } from './audiences/versions/list.ts'
import { restoreAudienceVersion } from './audiences/versions/restore.ts'
import { listAuditRecords } from './audit-records/list.ts'
import { billingHandlers } from './billing/handlers.ts'
import { getCatalogDataSource } from './catalog-data-sources/get.ts'
import { listCatalogDataSources } from './catalog-data-sources/list.ts'
import { getCatalogDestination } from './catalog-destinations/get.ts'
import { listCatalogDestinations } from './catalog-destinations/list.ts'
import { getCatalogSource } from './catalog-sources/get.ts'
import { listCatalogSources } from './catalog-sources/list.ts'
import { getConfig } from './client-config/get.ts'
import { getInstallation } from './client-config/get-installation.ts'
import { createComputedTrait } from './computed-traits/create.ts'
import { deleteComputedTrait } from './computed-traits/delete.ts'
import { getComputedTrait } from './computed-traits/get.ts'
import { listComputedTraits } from './computed-traits/list.ts'
import { previewComputedTrait } from './computed-traits/preview.ts'
import { updateComputedTrait } from './computed-traits/update.ts'
import { createConnection } from './connections/create.ts'
import { deleteConnection } from './connections/delete.ts'
import { getConnectionActivity } from './connections/get-activity.ts'
import { listConnections } from './connections/list.ts'
import { updateConnection } from './connections/update.ts'
import { customDomainHandlers } from './custom-domains/handlers.ts'
import { checkKey } from './data-sources/check-key.ts'
import { createDataSource } from './data-sources/create.ts'
import { deleteDataSource } from './data-sources/delete.ts'
import { getDataSource } from './data-sources/get.ts'
import { getDataSourceTable } from './data-sources/get-table.ts'
import { listDataSources } from './data-sources/list.ts'
import { listDataSourceTables } from './data-sources/list-tables.ts'
import { previewDataSource } from './data-sources/preview.ts'
import { testDataSource } from './data-sources/test-connection.ts'
import { updateDataSource } from './data-sources/update.ts'
import { updateDataSourceSetting } from './data-sources/update-setting.ts'
import { validateQuery } from './data-sources/validate.ts'
import { getLeftOutCounts } from './deliveries/count-left-out.ts'
import { listDeliveries } from './deliveries/list.ts'
import { listParkedDeliveries } from './deliveries/list-parked.ts'
import { getDeliveryOverview } from './delivery-overviews/get.ts'
import type { AccessChanged, ControlDeps } from './deps.ts'
import { completeConnectDestination } from './destinations/complete-connect.ts'
import { connectDestination } from './destinations/connect.ts'
import { createDestination } from './destinations/create.ts'
import { deleteDestination } from './destinations/delete.ts'
import { disconnectDestination } from './destinations/disconnect.ts'
import { getDestination } from './destinations/get.ts'
import { getDestinationApp } from './destinations/get-app.ts'
import { getDestinationObject } from './destinations/get-object.ts'
import { listDestinations } from './destinations/list.ts'
import { retryDestination } from './destinations/retry.ts'
import { testConnection } from './destinations/test-connection.ts'
import { updateDestination } from './destinations/update.ts'
import { updateSetting } from './destinations/update-setting.ts'
import { listSourceDroppedEvents } from './dropped-events/list-by-source.ts'
import { batchGetSourceEvents } from './events/batch-get-by-source.ts'
import { getEvent } from './events/get.ts'
import { listEvents } from './events/list.ts'
import { listSourceEvents } from './events/list-by-source.ts'
import { discardFailureGroup } from './failure-groups/discard.ts'
import { getFailureGroup } from './failure-groups/get.ts'
import { listFailureGroups } from './failure-groups/list.ts'
import { getIdentitySettings } from './identity-settings/get.ts'
import { updateIdentitySettings } from './identity-settings/update.ts'
import type { Images } from './images/images.ts'
import { getInferredSchema } from './inferred-schemas/get.ts'
import { acceptInvitationLink } from './invitation-links/accept.ts'
import { createInvitationLink } from './invitation-links/create.ts'
import { deleteInvitationLink } from './invitation-links/delete.ts'
import { getInvitationLink } from './invitation-links/get.ts'
import { listInvitationLinks } from './invitation-links/list.ts'
import { acceptInvitation } from './invitations/accept.ts'
import { batchCreateInvitations } from './invitations/batch-create.ts'
import { deleteInvitation } from './invitations/delete.ts'
import { getInvitation } from './invitations/get.ts'
import { listInvitations } from './invitations/list.ts'
import { resendInvitation } from './invitations/resend.ts'
import { addPresets } from './mappings/add-presets.ts'
import { getMappings } from './mappings/get.ts'
import { previewMapping } from './mappings/preview.ts'
import { sendTestEvent } from './mappings/send-test.ts'
import { suggestMappings } from './mappings/suggest.ts'
import { updateMappings } from './mappings/update.ts'
import { deleteMembership } from './memberships/delete.ts'
import { listMemberships } from './memberships/list.ts'
import { listOrganizationMemberships } from './memberships/list-by-organization.ts'
import { updateMembership } from './memberships/update.ts'
import { getMetrics } from './metrics/get.ts'
import { createModel } from './models/create.ts'
import { deleteModel } from './models/delete.ts'
import { getModel } from './models/get.ts'
import { listModels } from './models/list.ts'
import { updateModel } from './models/update.ts'
import { listNotifications } from './notifications/list.ts'
import { markAllNotificationsRead } from './notifications/mark-all-read.ts'
import { markNotificationRead } from './notifications/mark-read.ts'
import type { OpenId } from './openid/openid.ts'
import { createOrganization } from './organizations/create.ts'
import { deleteOrganization } from './organizations/delete.ts'
import { findOrganizations } from './organizations/find.ts'
import { getOrganization } from './organizations/get.ts'
import { getUsage } from './organizations/get-usage.ts'
import { joinOrganization } from './organizations/join.ts'
import { listJoinableOrganizations } from './organizations/list-joinable.ts'
import { removeLogo } from './organizations/remove-logo.ts'
import { updateOrganization } from './organizations/update.ts'
import { uploadLogo } from './organizations/upload-logo.ts'
import { createPeopleList } from './people-lists/create.ts'
import { getPeopleList, maxFactsAgeMs } from './people-lists/get.ts'
import { createKeptAnswers } from './people-lists/kept-answers.ts'
import { listPeopleLists, maxListsAgeMs } from './people-lists/list.ts'
import { countPersonData } from './person-data-places/count.ts'
import { getPersonDataPlaces } from './person-data-places/get.ts'
import { updatePersonDataPlaces } from './person-data-places/update.ts'
import { getPrivacyRequest } from './privacy-requests/get.ts'
import { listPrivacyRequests } from './privacy-requests/list.ts'
import { getProfileExport } from './profile-exports/get.ts'
import { createProfileKey } from './profile-keys/create.ts'
import { deleteProfileKey } from './profile-keys/delete.ts'
import { listProfileKeys } from './profile-keys/list.ts'
import { rotateProfileKey } from './profile-keys/rotate.ts'
import { updateProfileKey } from './profile-keys/update.ts'
import { getProfile } from './profiles/get.ts'
import { getProfileCoverage } from './profiles/get-coverage.ts'
import { getTraitHistory } from './profiles/get-trait-history.ts'
import { listProfiles } from './profiles/list.ts'
import { listProfileEvents } from './profiles/list-events.ts'
import { splitProfile } from './profiles/split.ts'
import { getRealtimeConfig } from './realtime/get-config.ts'
import { listRefusedRequests } from './refused-requests/list.ts'
import { listSourceRefusedRequests } from './refused-requests/list-by-source.ts'
import { listUnownedRefusedRequests } from './refused-requests/list-unowned.ts'
import { cancelReplay } from './replays/cancel.ts'
import { createReplay } from './replays/create.ts'
import { getReplay } from './replays/get.ts'
import { listReplays } from './replays/list.ts'
import { pauseReplay } from './replays/pause.ts'
import { previewReplay } from './replays/preview.ts'
import { resumeReplay } from './replays/resume.ts'
import { getSchemaVersion } from './schema-versions/get.ts'
import { listSchemaVersions } from './schema-versions/list.ts'
import type { AnswerLogin } from './sessions/answer-login.ts'
import { deleteSession } from './sessions/delete.ts'
import { deleteOtherSessions } from './sessions/delete-others.ts'
import { listSessions } from './sessions/list.ts'
import type { Sessions } from './sessions/sessions.ts'
import { createSignal } from './signals/create.ts'
import { deleteSignal } from './signals/delete.ts'
import { deleteSignalDraft } from './signals/drafts/delete.ts'
import { getSignalDraft } from './signals/drafts/get.ts'
import { updateSignalDraft } from './signals/drafts/update.ts'
import { getSignal } from './signals/get.ts'
import { exportAttribution, getAttribution } from './signals/get-attribution.ts'
import { getSignalOverview } from './signals/get-overview.ts'
import { getSignalQuality } from './signals/get-quality.ts'
import { listSignals } from './signals/list.ts'
import { listConversions } from './signals/list-conversions.ts'
import { listSignalPlatforms } from './signals/list-platforms.ts'
import { previewSignal } from './signals/preview.ts'
import { disableSignal, enableSignal } from './signals/set-enabled.ts'
import { getSignalSettings, updateSignalSettings } from './signals/settings.ts'
import { updateSignal } from './signals/update.ts'
import { uploadConversions } from './signals/upload-conversions.ts'
import { listSourceSchemaTemplates } from './source-schema-templates/list.ts'
import { createSource } from './sources/create.ts'
import { deleteSource } from './sources/delete.ts'
import { getSource } from './sources/get.ts'
import { listSources } from './sources/list.ts'
import { previewTemplate } from './sources/preview-template.ts'
import { updateSource } from './sources/update.ts'
import { updateSourceSetting } from './sources/update-setting.ts'
import { listAllHeldWork, listHeldWork } from './stream/list-held-work.ts'
import { releaseHeldWork } from './stream/release-held-work.ts'
import { deleteSuppression } from './suppressions/delete.ts'
import { listSuppressions } from './suppressions/list.ts'
import { createSyncToken } from './sync-tokens/create.ts'
import { deleteSyncToken } from './sync-tokens/delete.ts'
import { listSyncTokens } from './sync-tokens/list.ts'
import { approveSyncRun } from './syncs/approve-run.ts'
import { cancelSyncRun } from './syncs/cancel-run.ts'
import { createSync } from './syncs/create.ts'
import { deleteSync } from './syncs/delete.ts'
import { deleteSyncDraft } from './syncs/drafts/delete.ts'
import { getSyncDraft } from './syncs/drafts/get.ts'
import { updateSyncDraft } from './syncs/drafts/update.ts'
import { cancelSyncDryRun } from './syncs/dry-runs/cancel.ts'
import { createSyncDryRun } from './syncs/dry-runs/create.ts'
import { createDryRunForSync } from './syncs/dry-runs/create-for-sync.ts'
import { getSyncDryRun } from './syncs/dry-runs/get.ts'
import { getSync } from './syncs/get.ts'
import { getSyncRowAttempt } from './syncs/get-row-attempt.ts'
import { getSyncRun } from './syncs/get-run.ts'
import { listSyncs } from './syncs/list.ts'
import { listSyncRunRows } from './syncs/list-run-rows.ts'
import { listSyncRuns } from './syncs/list-runs.ts'
import { pauseSync } from './syncs/pause.ts'
import { rerunSync } from './syncs/rerun.ts'
import { resetSync } from './syncs/reset.ts'
import { resumeSync } from './syncs/resume.ts'
import { runSyncNow } from './syncs/run-now.ts'
import { previewSyncRow } from './syncs/test-rows/preview.ts'
import { sendSyncTestRow } from './syncs/test-rows/send.ts'
import { updateSync } from './syncs/update.ts'
import { createUpload } from './uploads/create.ts'
import { getUploads } from './uploads/get.ts'
import { getUser } from './users/get.ts'
import { oauthLoginCallback } from './users/oauth/oauth-login-callback.ts'
import { oauthRedirects } from './users/oauth/oauth-redirects.ts'
import { oauthSignupCallback } from './users/oauth/oauth-signup-callback.ts'
import { completeOnboarding } from './users/onboarding/complete-onboarding.ts'
import { listOnboardings } from './users/onboarding/list-onboardings.ts'
import { onboard } from './users/onboarding/onboard.ts'
import { revokeOnboarding } from './users/onboarding/revoke-onboarding.ts'
import { startOnboarding } from './users/onboarding/start-onboarding.ts'
import { removePhoto } from './users/remove-photo.ts'
import { login } from './users/sign-in/login.ts'
import { loginOtp } from './users/sign-in/login-otp.ts'
import type { LoginThrottling } from './users/sign-in/login-throttling.ts'
import { logout } from './users/sign-in/logout.ts'
import type { OneTimeCodes } from './users/sign-in/one-time-codes.ts'
import type { Passwords } from './users/sign-in/passwords.ts'
import { sendOtp } from './users/sign-in/send-otp.ts'
import { setPassword } from './users/sign-in/set-password.ts'
import { signUp } from './users/sign-in/sign-up.ts'
import { updateUser } from './users/update.ts'
import { uploadPhoto } from './users/upload-photo.ts'
import { listSourceViolations } from './violations/list-by-source.ts'
import { replayBlockedEvents } from './violations/replay-blocked.ts'
import { actOnBehalf } from './workspaces/act-on-behalf.ts'
import { createWorkspace } from './workspaces/create.ts'
import { deleteWorkspace } from './workspaces/delete.ts'
import { findWorkspaces } from './workspaces/find.ts'
import { getWorkspace } from './workspaces/get.ts'
import { listWorkspaces } from './workspaces/list.ts'
import { searchWorkspace } from './workspaces/search.ts'
import { updateWorkspace } from './workspaces/update.ts'
import { createWriteKey } from './writekeys/create.ts'
import { deleteWriteKey } from './writekeys/delete.ts'
import { listWriteKeys } from './writekeys/list.ts'
import { rotateWriteKey } from './writekeys/rotate.ts'

/** The calls about lists of people at platforms, which share what they have read. */
const peopleListHandlers = (deps: ControlDeps) => {
  const lists: Parameters<typeof listPeopleLists>[1] = createKeptAnswers(deps.clock, maxListsAgeMs)
  return {
    list: listPeopleLists(deps, lists),
    get: getPeopleList(deps, createKeptAnswers(deps.clock, maxFactsAgeMs)),
    create: createPeopleList(deps, lists),
  }
}

/** Makes a handler for every method of the contract. New methods are registered here. */
export const createHandlers = (
  deps: ControlDeps & {
    sessions: Sessions
    passwords: Passwords
    accessChanged: AccessChanged
    /** Makes this process notice a revoked or rotated API key immediately. */
    keysChanged(): void
    codes: OneTimeCodes
    codeThrottling: LoginThrottling
    answerLogin: AnswerLogin
    identityProvider: OpenId | undefined
    images: Images
    evaluation: Evaluation
    dataSourcePlaces: DataSourcePlaces
    peoplePlaces: DataSourcePlaces
    payment: BillingDeps['payment']
  },
): Handlers => ({
  config: { get: getConfig(deps) },
  installation: { get: getInstallation(deps) },
  ...billingHandlers(deps),
  onboardings: { list: listOnboardings(deps), revoke: revokeOnboarding(deps) },
  usageReports: { get: getUsageReport(deps) },
  overageCaps: { update: updateCap(deps) },
  ...apiKeyHandlers(deps),
  ...customDomainHandlers(deps),
  auditRecords: { list: listAuditRecords(deps) },
  users: {
    login: login(deps),
    sendOtp: sendOtp(deps),
    loginOtp: loginOtp(deps),
    signup: signUp(deps),
    oauthRedirects: oauthRedirects(deps),
    oauthLoginCallback: oauthLoginCallback(deps),
    oauthSignupCallback: oauthSignupCallback(deps),
    logout: logout(deps),
    get: getUser(deps),
    update: updateUser(deps),
    setPassword: setPassword(deps),
    onboard: onboard(deps),
    startOnboarding: startOnboarding(deps),
    completeOnboarding: completeOnboarding(deps),
    uploadPhoto: uploadPhoto(deps),
    removePhoto: removePhoto(deps),
  },
  sessions: { list: listSessions(deps), delete: deleteSession(deps), deleteOthers: deleteOtherSessions(deps) },
  notifications: {
    list: listNotifications(deps),
    markRead: markNotificationRead(deps),
    markAllRead: markAllNotificationsRead(deps),
  },
  memberships: {
    list: listMemberships(deps),
    listByOrganization: listOrganizationMemberships(deps),
    update: updateMembership(deps),
    delete: deleteMembership(deps),
  },
  invitations: {
    batchCreate: batchCreateInvitations(deps),
    list: listInvitations(deps),
    resend: resendInvitation(deps),
    delete: deleteInvitation(deps),
    get: getInvitation(deps),
    accept: acceptInvitation(deps),
  },
  invitationLinks: {
    create: createInvitationLink(deps),
    list: listInvitationLinks(deps),
    delete: deleteInvitationLink(deps),
    get: getInvitationLink(deps),
    accept: acceptInvitationLink(deps),
  },
  organizations: {
    create: createOrganization(deps),
    get: getOrganization(deps),
    update: updateOrganization(deps),
    uploadLogo: uploadLogo(deps),
    removeLogo: removeLogo(deps),
    delete: deleteOrganization(deps),
    getUsage: getUsage(deps),
    join: joinOrganization(deps),
    listJoinable: listJoinableOrganizations(deps),
    find: findOrganizations(deps),
  },
  workspaces: {
    list: listWorkspaces(deps),
    get: getWorkspace(deps),
    search: searchWorkspace(deps),
    create: createWorkspace(deps),
    update: updateWorkspace(deps),
    delete: deleteWorkspace(deps),
    find: findWorkspaces(deps),
    actOnBehalf: actOnBehalf(deps),
  },
  catalogSources: { list: listCatalogSources(deps), get: getCatalogSource(deps) },
  catalogDestinations: { list: listCatalogDestinations(deps), get: getCatalogDestination(deps) },
  catalogDataSources: { list: listCatalogDataSources(deps), get: getCatalogDataSource(deps) },
  dataSources: {
    list: listDataSources(deps),
    get: getDataSource(deps),
    create: createDataSource(deps),
    update: updateDataSource(deps),
    delete: deleteDataSource(deps),
    updateSetting: updateDataSourceSetting(deps),
    testConnection: testDataSource(deps),
    listTables: listDataSourceTables(deps),
    getTable: getDataSourceTable(deps),
    preview: previewDataSource(deps),
    validate: validateQuery(deps),
    checkKey: checkKey(deps),
  },
  uploads: { create: createUpload(deps), get: getUploads(deps) },
  models: {
    list: listModels(deps),
    get: getModel(deps),
    create: createModel(deps),
    update: updateModel(deps),
    delete: deleteModel(deps),
  },
  syncs: {
    list: listSyncs(deps),
    get: getSync(deps),
    create: createSync(deps),
    update: updateSync(deps),
    delete: deleteSync(deps),
    run: runSyncNow(deps),
    pause: pauseSync(deps),
    resume: resumeSync(deps),
    reset: resetSync(deps),
  },
  signalDrafts: { get: getSignalDraft(deps), update: updateSignalDraft(deps), delete: deleteSignalDraft(deps) },
  syncDrafts: { get: getSyncDraft(deps), update: updateSyncDraft(deps), delete: deleteSyncDraft(deps) },
  syncDryRuns: {
    create: createSyncDryRun(deps),
    createForSync: createDryRunForSync(deps),
    get: getSyncDryRun(deps),
    cancel: cancelSyncDryRun(deps),
  },
  syncTestRows: { preview: previewSyncRow(deps), send: sendSyncTestRow(deps) },
  syncRuns: {
    list: listSyncRuns(deps),
    get: getSyncRun(deps),
    listRows: listSyncRunRows(deps),
    getRowAttempt: getSyncRowAttempt(deps),
    approve: approveSyncRun(deps),
    cancel: cancelSyncRun(deps),
    rerun: rerunSync(deps),
  },
  sources: {
    list: listSources(deps),
    get: getSource(deps),
    create: createSource(deps),
    update: updateSource(deps),
    delete: deleteSource(deps),
    updateSetting: updateSourceSetting(deps),
    previewTemplate: previewTemplate(deps),
  },
  sourceSchemaTemplates: { list: listSourceSchemaTemplates },
  schemaVersions: { list: listSchemaVersions(deps), get: getSchemaVersion(deps) },
  inferredSchemas: { get: getInferredSchema(deps) },
  violations: { listBySource: listSourceViolations(deps), replayBlocked: replayBlockedEvents(deps) },
  writekeys: {
    create: createWriteKey(deps),
    list: listWriteKeys(deps),
    rotate: rotateWriteKey(deps),
    delete: deleteWriteKey(deps),
  },
  destinations: {
    list: listDestinations(deps),
    get: getDestination(deps),
    create: createDestination(deps),
    update: updateDestination(deps),
    delete: deleteDestination(deps),
    getApp: getDestinationApp(deps),
    updateSetting: updateSetting(deps),
    getObject: getDestinationObject(deps),
    retry: retryDestination(deps),
    connect: connectDestination(deps),
    completeConnect: completeConnectDestination(deps),
    disconnect: disconnectDestination(deps),
    testConnection: testConnection(deps),
  },
  peopleLists: peopleListHandlers(deps),
  mappings: {
    get: getMappings(deps),
    update: updateMappings(deps),
    addPresets: addPresets(deps),
    suggest: suggestMappings(deps),
    preview: previewMapping(deps),
    sendTest: sendTestEvent(deps),
  },
  connections: {
    list: listConnections(deps),
    create: createConnection(deps),
    update: updateConnection(deps),
    delete: deleteConnection(deps),
    getActivity: getConnectionActivity(deps),
  },
  events: {
    batchGetBySource: batchGetSourceEvents(deps),
    listBySource: listSourceEvents(deps),
    list: listEvents(deps),
    get: getEvent(deps),
  },
  deliveries: { list: listDeliveries(deps), listParked: listParkedDeliveries(deps) },
  deliveryOverviews: { get: getDeliveryOverview(deps) },
  leftOutCounts: { get: getLeftOutCounts(deps) },
  failureGroups: {
    list: listFailureGroups(deps),
    get: getFailureGroup(deps),
    discard: discardFailureGroup(deps),
  },
  replays: {
    preview: previewReplay(deps),
    create: createReplay(deps),
    list: listReplays(deps),
    get: getReplay(deps),
    pause: pauseReplay(deps),
    resume: resumeReplay(deps),
    cancel: cancelReplay(deps),
  },
  refusedRequests: {
    listBySource: listSourceRefusedRequests(deps),
    list: listRefusedRequests(deps),
    listUnowned: listUnownedRefusedRequests(deps),
  },
  droppedEvents: { listBySource: listSourceDroppedEvents(deps) },
  heldWork: { list: listHeldWork(deps), listAll: listAllHeldWork(deps), release: releaseHeldWork(deps) },
  metrics: { get: getMetrics(deps) },
  identitySettings: { get: getIdentitySettings(deps), update: updateIdentitySettings(deps) },
  personDataPlaces: {
    get: getPersonDataPlaces(deps),
    update: updatePersonDataPlaces(deps),
    count: countPersonData(deps),
  },
  alertChannels: {
    list: listAlertChannels(deps),
    create: createAlertChannel(deps),
    update: updateAlertChannel(deps),
    delete: deleteAlertChannel(deps),
    test: testAlertChannel(deps),
  },
  syncTokens: {
    list: listSyncTokens(deps),
    create: createSyncToken(deps),
    delete: deleteSyncToken(deps),
  },
  profileKeys: {
    list: listProfileKeys(deps),
    create: createProfileKey(deps),
    update: updateProfileKey(deps),
    rotate: rotateProfileKey(deps),
    delete: deleteProfileKey(deps),
  },
  profiles: {
    getCoverage: getProfileCoverage(deps),
    getTraitHistory: getTraitHistory(deps),
    list: listProfiles(deps),
    get: getProfile(deps),
    listEvents: listProfileEvents(deps),
    listAudiences: listProfileAudiences(deps),
    split: splitProfile(deps),
  },
  privacyRequests: {
    create: createPrivacyRequest(deps),
    list: listPrivacyRequests(deps),
    get: getPrivacyRequest(deps),
  },
  profileExports: { get: getProfileExport(deps) },
  suppressions: { list: listSuppressions(deps), delete: deleteSuppression(deps) },
  signals: {
    list: listSignals(deps),
    get: getSignal(deps),
    create: createSignal(deps),
    update: updateSignal(deps),
    delete: deleteSignal(deps),
    enable: enableSignal(deps),
    disable: disableSignal(deps),
    listPlatforms: listSignalPlatforms(deps),
    preview: previewSignal(deps),
    getQuality: getSignalQuality(deps),
    getOverview: getSignalOverview(deps),
    listConversions: listConversions(deps),
    uploadConversions: uploadConversions(deps),
    getAttribution: getAttribution(deps),
    exportAttribution: exportAttribution(deps),
  },
  signalSettings: { get: getSignalSettings(deps), update: updateSignalSettings(deps) },
  computedTraits: {
    list: listComputedTraits(deps),
    get: getComputedTrait(deps),
    create: createComputedTrait(deps),
    update: updateComputedTrait(deps),
    delete: deleteComputedTrait(deps),
    preview: previewComputedTrait(deps),
  },
  audiences: {
    list: listAudiences(deps),
    get: getAudience(deps),
    create: createAudience(deps),
    update: updateAudience(deps),
    delete: deleteAudience(deps),
    compute: computeAudienceNow(deps),
    preview: previewAudience(deps),
    listMembers: listAudienceMembers(deps),
    listChanges: listAudienceChanges(deps),
    getHistory: getAudienceHistory(deps),
    explain: explainAudience(deps),
    pause: pauseAudience(deps),
    resume: resumeAudience(deps),
    listDestinations: listAudienceDestinations(deps),
    connectDestination: connectAudienceDestination(deps),
    resend: resendAudience(deps),
    cancelFill: cancelAudienceFill(deps),
    disconnectDestination: disconnectAudienceDestination(deps),
    listOfDestination: listAudiencesOfDestination(deps),
    getStatements: getAudienceStatements(deps),
    importList: importAudienceList(deps),
    changeList: changeAudienceList(deps),
    removeFromList: removeFromAudienceList(deps),
    suggest: suggestForAudience(deps),
    listVersions: listAudienceVersions(deps),
    getVersion: getAudienceVersion(deps),
    restoreVersion: restoreAudienceVersion(deps),
  },
  realtime: { getConfig: getRealtimeConfig(deps) },
})
