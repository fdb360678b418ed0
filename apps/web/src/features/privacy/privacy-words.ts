import {
  type PrivacyKind,
  type PrivacyPlace,
  type PrivacyRequest,
  privacyLimit,
  type ToldDestination,
} from '@tributary/contract'
import { count, pluralise } from '../../lib/format/text.ts'

/** What is done with a user. */
export const kindTitles: Readonly<Record<PrivacyKind, string>> = {
  delete: 'Delete',
  suppress: 'Suppress',
  delete_and_suppress: 'Delete and suppress',
}

/** Where users are removed from. */
export const placeTitles: Readonly<Record<PrivacyPlace['place'], string>> = {
  profiles: 'Profiles',
  events: 'Events',
  deliveries: 'Deliveries',
  logs: 'Logs',
}

/** What a request was about: its identifiers, and the profiles that had one of them. */
export const aboutRequest = ({ identifier_count: identifiers, profile_count: profiles }: PrivacyRequest): string =>
  `${count(identifiers)} ${pluralise(identifiers, 'identifier')} · ${
    profiles === 0 ? 'no profile' : `${count(profiles)} ${pluralise(profiles, 'profile')}`
  }`

/** What a destination was told of the users of a request, after its title. */
export const toldWords = ({ state, told, total, reason }: ToldDestination): string => {
  if (state === 'done') return 'told'
  if (state === 'failed') return 'failed'
  return state === 'not_told' ? `not told: ${reason}` : `told of ${told} of ${total}`
}

/**
 * The values of a list, one on a line: without spaces around, quotes of a spreadsheet, and repetitions; or what is wrong with
 * them.
 */
export const valuesOf = (text: string): { values: string[] } | { problem: string } => {
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^"(.*)"$/, '$1'))
  const values = [...new Set(lines.filter((line) => line !== ''))]
  if (values.length === 0) return { problem: 'Enter at least one identifier' }
  return values.length > privacyLimit ? { problem: `Enter up to ${count(privacyLimit)} identifiers` } : { values }
}
