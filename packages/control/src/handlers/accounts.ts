import { getUsageReport, updateCap } from '@tributary/billing'
import { type Handlers } from '@tributary/http'
import { apiKeyHandlers } from '../api-keys/handlers.ts'
import { listAuditRecords } from '../audit-records/list.ts'
import { billingHandlers } from '../billing/handlers.ts'
import { getConfig } from '../client-config/get.ts'
import { getInstallation } from '../client-config/get-installation.ts'
import { customDomainHandlers } from '../custom-domains/handlers.ts'
import { acceptInvitationLink } from '../invitation-links/accept.ts'
import { createInvitationLink } from '../invitation-links/create.ts'
import { deleteInvitationLink } from '../invitation-links/delete.ts'
import { getInvitationLink } from '../invitation-links/get.ts'
import { listInvitationLinks } from '../invitation-links/list.ts'
import { acceptInvitation } from '../invitations/accept.ts'
import { batchCreateInvitations } from '../invitations/batch-create.ts'
import { deleteInvitation } from '../invitations/delete.ts'
import { getInvitation } from '../invitations/get.ts'
import { listInvitations } from '../invitations/list.ts'
import { resendInvitation } from '../invitations/resend.ts'
import { deleteMembership } from '../memberships/delete.ts'
import { listMemberships } from '../memberships/list.ts'
import { listOrganizationMemberships } from '../memberships/list-by-organization.ts'
import { updateMembership } from '../memberships/update.ts'
import { listNotifications } from '../notifications/list.ts'
import { markAllNotificationsRead } from '../notifications/mark-all-read.ts'
import { markNotificationRead } from '../notifications/mark-read.ts'
import { createOrganization } from '../organizations/create.ts'
import { deleteOrganization } from '../organizations/delete.ts'
import { findOrganizations } from '../organizations/find.ts'
import { getOrganization } from '../organizations/get.ts'
import { getUsage } from '../organizations/get-usage.ts'
import { joinOrganization } from '../organizations/join.ts'
import { listJoinableOrganizations } from '../organizations/list-joinable.ts'
import { removeLogo } from '../organizations/remove-logo.ts'
import { updateOrganization } from '../organizations/update.ts'
import { uploadLogo } from '../organizations/upload-logo.ts'
import { getRealtimeConfig } from '../realtime/get-config.ts'
import { deleteSession } from '../sessions/delete.ts'
import { deleteOtherSessions } from '../sessions/delete-others.ts'
import { listSessions } from '../sessions/list.ts'
import { getUser } from '../users/get.ts'
import { oauthLoginCallback } from '../users/oauth/oauth-login-callback.ts'
import { oauthRedirects } from '../users/oauth/oauth-redirects.ts'
import { oauthSignupCallback } from '../users/oauth/oauth-signup-callback.ts'
import { completeOnboarding } from '../users/onboarding/complete-onboarding.ts'
import { listOnboardings } from '../users/onboarding/list-onboardings.ts'
import { onboard } from '../users/onboarding/onboard.ts'
import { revokeOnboarding } from '../users/onboarding/revoke-onboarding.ts'
import { startOnboarding } from '../users/onboarding/start-onboarding.ts'
import { removePhoto } from '../users/remove-photo.ts'
import { login } from '../users/sign-in/login.ts'
import { loginOtp } from '../users/sign-in/login-otp.ts'
import { logout } from '../users/sign-in/logout.ts'
import { sendOtp } from '../users/sign-in/send-otp.ts'
import { setPassword } from '../users/sign-in/set-password.ts'
import { signUp } from '../users/sign-in/sign-up.ts'
import { updateUser } from '../users/update.ts'
import { uploadPhoto } from '../users/upload-photo.ts'
import { actOnBehalf } from '../workspaces/act-on-behalf.ts'
import { createWorkspace } from '../workspaces/create.ts'
import { deleteWorkspace } from '../workspaces/delete.ts'
import { findWorkspaces } from '../workspaces/find.ts'
import { getWorkspace } from '../workspaces/get.ts'
import { listWorkspaces } from '../workspaces/list.ts'
import { searchWorkspace } from '../workspaces/search.ts'
import { updateWorkspace } from '../workspaces/update.ts'
import type { HandlerDeps } from './deps.ts'

/** Makes the handlers of the methods about accounts, organizations, workspaces, and the installation. */
export const accountHandlers = (
  deps: HandlerDeps,
): Pick<
  Handlers,
  | 'config'
  | 'installation'
  | 'onboardings'
  | 'usageReports'
  | 'overageCaps'
  | 'auditRecords'
  | 'users'
  | 'sessions'
  | 'notifications'
  | 'memberships'
  | 'invitations'
  | 'invitationLinks'
  | 'organizations'
  | 'workspaces'
  | 'realtime'
  | keyof ReturnType<typeof billingHandlers>
  | keyof ReturnType<typeof apiKeyHandlers>
  | keyof ReturnType<typeof customDomainHandlers>
> => ({
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
  realtime: { getConfig: getRealtimeConfig(deps) },
})
