export type { AppendRequest } from './append-request.ts'
export * from './audit.ts'
export * from './authorize.ts'
export * from './db.ts'
export {
  clearErasedMarks,
  deliveryChanges,
  type ErasedPeople,
  erasedEventIds,
  hidingErased,
  idList,
  makeChanges,
  markErasedEvents,
  markErasedIds,
  markErasedMembers,
  markErasedRows,
  removeErasedEvents,
} from './erased-events.ts'
export * from './failures.ts'
export * from './in-places.ts'
export type { LiveChannel } from './live.ts'
export { escapeHtml } from './mail/layout.ts'
export {
  clearOldMails,
  createMailSender,
  MailRefused,
  type MailTransport,
  type OutgoingMail,
} from './mail/mail-sender.ts'
export { mailJob, queueMail, queueWaitingMails } from './mail/queue-mail.ts'
export {
  alreadyRegisteredMail,
  invitationMail,
  loginCodeMail,
  type Mail,
  newPlaceMail,
  onboardingMail,
  passwordChangedMail,
  planUsageMail,
  signUpCodeMail,
  syncAlertMail,
} from './mail/templates.ts'
export { mediaPath } from './media-path.ts'
export * from './notifications/change.ts'
export { type Announce, type Notice, notify, notifyEditors } from './notifications/notify.ts'
export { presentNotification } from './notifications/present.ts'
export { lockOrganization, lockOrganizationFor } from './organizations/lock.ts'
export * from './paging.ts'
export { readBlockedOwners } from './profiles/blocked-owners.ts'
export {
  countFirstEvents,
  countNewProfiles,
  countProfiles,
  countProfilesBy,
  type ProfilesCounted,
} from './profiles/count.ts'
export type { ForgottenHashes, ForgottenPeople, MissingHashes, ProfileLedger } from './profiles/ledger.ts'
export { type EventCondition, readSuppressed } from './profiles/suppressed.ts'
export * from './refused-requests.ts'
export * from './request-context.ts'
export * from './resource-ids.ts'
export { hashToken, isToken, newKey, newToken, requireRoomForKey } from './secret-tokens.ts'
export * from './sources/write.ts'
export { displayName, presentUser, type UserRow, userColumns } from './users/present.ts'
export * from './workspaces/write.ts'
