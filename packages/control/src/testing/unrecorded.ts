import type { Method } from '@tributary/contract'

/**
 * Writes without an audit record. A code that is asked for: nobody has done anything yet, and the mail itself is kept.
 * The inbox and drafts: what one has read, or is about to do, concerns nobody else. The card form that is opened: nothing is added yet.
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

/** Reads with an audit record: they tell staff of people in organizations that are not theirs, or all of a person. */
const recordedReads: readonly string[] = ['workspaces.find', 'profileExports.get']

/** Whether a call of the method leaves an audit record. */
export const isRecorded = ({ name, verb, reads }: Method): boolean =>
  verb === 'GET' || reads === true ? recordedReads.includes(name) : !unrecorded.includes(name)
