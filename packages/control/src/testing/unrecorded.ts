import type { Method } from '@tributary/contract'

/**
 * Writing methods that leave no audit record. Requesting a code changes nothing yet, and its mail is stored. The inbox
 * and drafts concern only their user. Opening a card form adds nothing yet.
 */
const unrecorded: readonly string[] = [
  'users.sendOtp',
  'notifications.markRead',
  'notifications.markAllRead',
  'signalDrafts.update',
  'signalDrafts.delete',
  'syncDrafts.update',
  'syncDrafts.delete',
  'paymentMethods.setup',
]

/**
 * Reading methods that leave an audit record. They show platform admins people of foreign organizations, or all data of
 * a person.
 */
const recordedReads: readonly string[] = ['workspaces.find', 'profileExports.get']

/** Whether a call of the method leaves an audit record. */
export const isRecorded = ({ name, verb, reads }: Method): boolean =>
  verb === 'GET' || reads === true ? recordedReads.includes(name) : !unrecorded.includes(name)
