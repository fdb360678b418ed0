import {
  type PrivacyDestination,
  type PrivacyKind,
  type PrivacyPlace,
  type PrivacyRequest,
  privacyLimit,
} from '@tributary/contract'
import { count, pluralise } from '../../lib/format/text.ts'

/** The progress of a request, as text. */
export const stateText = ({ state, files }: Pick<PrivacyRequest, 'state' | 'files'>): string => {
  if (state === 'finished') return 'Finished'
  return files?.state === 'removing' ? 'Removing from files' : 'Running'
}

/** The titles of the kinds of requests. */
export const kindTitles: Readonly<Record<PrivacyKind, string>> = {
  delete: 'Delete',
  suppress: 'Suppress',
  delete_and_suppress: 'Delete and suppress',
}

/** The titles of the places from which users are removed. */
export const placeTitles: Readonly<Record<PrivacyPlace['place'], string>> = {
  profiles: 'Profiles',
  events: 'Events',
  deliveries: 'Deliveries',
  logs: 'Logs',
}

/** Describes the subject of a request: its identifiers, and the profiles that have one of them. */
export const aboutRequest = ({ identifier_count: identifiers, profile_count: profiles }: PrivacyRequest): string =>
  `${count(identifiers)} ${pluralise(identifiers, 'identifier')} · ${
    profiles === 0 ? 'no profile' : `${count(profiles)} ${pluralise(profiles, 'profile')}`
  }`

/** The progress of a privacy request at a destination, after its title. */
export const progressText = ({ state, told, total, reason }: PrivacyDestination): string => {
  if (state === 'done') return 'done'
  if (state === 'failed') return 'failed'
  return state === 'not_told' ? `not sent: ${reason}` : `${told} of ${total} users`
}

/**
 * Splits a text into values, one per line, without surrounding spaces, quotes of spreadsheets, and duplicates. Returns
 * the problem instead if the list is empty or too long.
 */
export const valuesOf = (text: string): { values: string[] } | { problem: string } => {
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^"(.*)"$/, '$1'))
  const values = [...new Set(lines.filter((line) => line !== ''))]
  if (values.length === 0) return { problem: 'Enter at least one identifier' }
  return values.length > privacyLimit ? { problem: `Enter up to ${count(privacyLimit)} identifiers` } : { values }
}
