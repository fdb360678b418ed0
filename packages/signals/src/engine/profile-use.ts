import {
  allowedProfile,
  conversionProfile,
  type EventProfile,
  noProfile,
  type ProfileConsent,
  signalNeeds,
  withConsent,
} from '@tributary/connector-kit'
import type { PipelineEvent } from '@tributary/contract'
import { parseExactJson } from '@tributary/kernel'
import type { EngineSignal, KnownPerson, ReadyPlatform, Said } from './make.ts'
import { matcherOf } from './matcher.ts'

const needed = new WeakMap<ReadyPlatform, readonly string[]>()

/** Returns what the conditions and the platforms of signals need of the profile, and its consent if that decides. */
export const profileNeedsOfSignals = (signals: readonly Pick<EngineSignal, 'definition' | 'platforms'>[]): string[] => {
  const all = signals.flatMap(({ definition, platforms }) => [
    ...matcherOf(definition).needs,
    ...platforms.flatMap((platform) => {
      let known = needed.get(platform)
      if (known === undefined) {
        const ofPlatform = signalNeeds(platform.definition, platform.settings, platform.personData)
        known = withConsent([...matcherOf(definition).needs, ...ofPlatform], platform.consentCategories)
        needed.set(platform, known)
      }
      return known
    }),
  ])
  return [...new Set(all)].toSorted()
}

/** Whether the last known consent of the person, before an event without consent, is a withdrawal. */
export const isWithdrawn = ({ withdrawnAt }: KnownPerson, { at, consent }: Pick<Said, 'at' | 'consent'>): boolean =>
  withdrawnAt !== undefined && withdrawnAt > at && consent !== 'denied'

/**
 * Returns the profile if the person's consent allows its use, or else none. After a withdrawal, only an event that gives
 * consent gets values.
 */
export const consentedProfile = (
  profile: EventProfile = noProfile,
  person: KnownPerson,
  said: Pick<Said, 'at' | 'consent'>,
): EventProfile => {
  const isRefused = person.withdrawnAt !== undefined && said.consent !== 'granted'
  return said.consent === 'denied' || isRefused || isWithdrawn(person, said) ? noProfile : profile
}

/** Returns the values and the consent of a profile, by the names in `context.signal`. */
export const profileValues = ({
  json,
  consent,
}: EventProfile): { profile?: unknown; profile_consent?: ProfileConsent } =>
  json === '{}' ? {} : { profile: parseExactJson(json), ...(consent && { profile_consent: consent }) }

/**
 * Whether a destination must not get a conversion, because only the profile makes it one, and no consent allows that the
 * destination gets values of the profile.
 */
export const isByHiddenProfile = (
  { definition }: EngineSignal,
  { consentCategories }: ReadyPlatform,
  event: PipelineEvent,
  { origin }: Pick<Said, 'origin'>,
): boolean => {
  const matcher = matcherOf(definition)
  if (origin !== 'event' || matcher.needs.length === 0) return false
  const known = conversionProfile(event)
  const { profile } = allowedProfile(consentCategories, event, known)
  return profile.json !== known.json && !matcher.meets(event, noProfile)
}
