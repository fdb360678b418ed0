import type { Method } from '@tributary/contract'

/**
 * Writes without an audit record. A requested code changes nothing yet, and the mail itself is stored. The inbox and drafts concern only
 * their user. An opened card form adds nothing yet.
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

/** Reads with an audit record: they show staff the people of organizations that are not theirs, or all data of a person. */
const recordedReads: readonly string[] = ['workspaces.find', 'profileExports.get']

/** Whether a call of the method leaves an audit record. */
export const isRecorded = ({ name, verb, reads }: Method): boolean =>
  verb === 'GET' || reads === true ? recordedReads.includes(name) : !unrecorded.includes(name)
