import {
  defaultPersonDataPaths,
  type EventMapping,
  type ListedSource,
  type MappingSource,
  neededOfConditions,
  neededOfProfile,
  type PersonDataPaths,
  type PipelineEvent,
  pathOf,
  personKindOf,
} from '@tributary/contract'
import { isRecord } from '@tributary/kernel'
import { templatePaths } from '../templates/json-template.ts'
import { personNeeds, personVariablesIn } from './person-data.ts'
import { type ConsentingEvent, consentOfValues, type ProfileConsent, profileConsentIn } from './profile-consent.ts'

/** The values of the profile of an event's user that a mapping uses, as plain data. */
export type EventProfile = {
  /** JSON text of `{ traits, identifiers, audiences }`, with the needed names only. */
  readonly json: string
  /** Why there are no values, as the end of a sentence; '' if the profile is known. */
  readonly lacks: string
  /** The latest consent of the person, if it was looked up and is known. */
  readonly consent?: ProfileConsent | undefined
}

/** The profile of an event whose mapping uses none. */
export const noProfile: EventProfile = { json: '{}', lacks: '' }

/** What the mapping of one event did with the values of its profile. */
export type UseOfProfile = {
  /** Whether a source or a condition read the profile. Without that, the result is the same without the profile. */
  isRead: boolean
  /** Whether a field of the payload is a value of the profile. */
  isSent: boolean
}

/** Returns the record of a mapping that has not begun. */
export const noUseOfProfile = (): UseOfProfile => ({ isRead: false, isSent: false })

/** Reasons why an event is sent without values of the profile, as the end of a sentence. */
export const profileLacks = {
  unknown: 'the profile is not known',
  behind: 'profiles were behind',
  replay: 'the replay uses no profile',
  tooLarge: 'its values of the profile take more than 16 KB',
} as const

/** The fields of an event that name the owner of its profile. */
export type ProfileOwner = Pick<PipelineEvent, 'userId' | 'anonymousId'>

/** Reads profiles for mappings. The server connects it with the package that owns the profiles. */
export type ProfileValues = {
  /** Whether profiles have read a record of the stream. */
  hasRead(partition: number, offset: number): boolean
  /**
   * Resolves to the values of the profile of each event, in their order, with one query at most. The values include the
   * record at `place` of the stream. Without a place, nothing is taken from memory. Rejects while PostgreSQL is
   * unavailable.
   */
  look(
    workspaceId: string,
    events: readonly ProfileOwner[],
    needs: readonly string[],
    place?: { partition: number; offset: number },
  ): Promise<EventProfile[]>
}

/** Returns what a template reads of the profile, each as the need of a path; undefined for a path without a name. */
const templateNeeds = (text: string): (string | undefined)[] => {
  if (!text.includes('profile')) return []
  const ofProfile = templatePaths(text).filter(([first]) => first === 'profile')
  return ofProfile.map(([, part, name]) =>
    part === undefined || name === undefined ? undefined : neededOfProfile(pathOf([String(part), String(name)])),
  )
}

/** Returns why a template reads the profile as no value of it, as a sentence; undefined if it does not. */
export const profileTemplateMistake = (text: string): string | undefined =>
  templateNeeds(text).includes(undefined)
    ? 'Write each value of the profile with its whole name, such as profile.traits.email'
    : undefined

/**
 * Returns the values of the profile that a source uses, such as `traits.email`. Variables of a person's data use those
 * among the workspace's paths.
 */
export const profileNeedsOf = (source: MappingSource, personData?: PersonDataPaths): string[] => {
  switch (source.type) {
    case 'PROFILE': {
      const need = neededOfProfile(source.name)
      return need === undefined ? [] : [need]
    }
    case 'VARIABLE':
      return personNeeds(source.name, personData)
    case 'FIRST':
      return source.sources.flatMap((each) => profileNeedsOf(each, personData))
    case 'LIST':
      return source.fields.flatMap((field) => profileNeedsOf(field.source, personData))
    case 'TEMPLATE': {
      const needs = templateNeeds(source.value).filter((need) => need !== undefined)
      return [
        ...new Set([...needs, ...personVariablesIn(source.value).flatMap((name) => personNeeds(name, personData))]),
      ]
    }
    case 'FIELD':
    case 'CONSTANT':
      return []
  }
}

/** Returns the values of the profile that mappings use in their conditions and enabled fields, in a fixed order. */
export const mappingsNeeds = (mappings: readonly EventMapping[], personData?: PersonDataPaths): string[] => {
  const fields = mappings.flatMap(({ field_mappings }) => field_mappings.filter(({ enabled }) => enabled))
  const needs = [
    ...mappings.flatMap(({ filters }) => neededOfConditions(filters)),
    ...fields.flatMap(({ source, conditions = [] }) => [
      ...profileNeedsOf(source, personData),
      ...neededOfConditions(conditions),
    ]),
  ]
  return [...new Set(needs)].toSorted()
}

/**
 * Returns the profile with which a destination may get an event, and a note for the delivery if values of the profile
 * are sent. A destination that requires consent gets these values only by the consent of the event or of the profile.
 */
export const allowedProfile = (
  categories: readonly string[],
  event: ConsentingEvent,
  profile: EventProfile,
): { profile: EventProfile; note: string } => {
  if (categories.length === 0 || profile.json === '{}') return { profile, note: '' }
  const { allows, text } = consentOfValues(categories, event, profile.consent)
  return allows ? { profile, note: text } : { profile: { ...noProfile, lacks: text }, note: '' }
}

/** Kinds of a person's data that are also identifiers of a profile. */
const contacts: ReadonlySet<string> = new Set(['email', 'phone'])

/**
 * Returns a source that reads the same data in the profile last, if it is a variable of a person's data. Every other
 * source stays as it is.
 */
export const withProfileLast = (source: MappingSource): MappingSource => {
  const kind = source.type === 'VARIABLE' ? personKindOf(source.name) : undefined
  if (source.type !== 'VARIABLE' || kind === undefined) return source
  const traits = defaultPersonDataPaths[kind].filter((path) => path.startsWith('traits.'))
  const fields = [...traits, ...(contacts.has(kind) ? [`identifiers.${kind}`] : [])]
  const { display_name: _, ...base } = source
  const ofProfile = fields.map((name): ListedSource => ({ ...base, type: 'PROFILE', name, display_name: name }))
  return { ...base, type: 'FIRST', sources: [source, ...ofProfile], display_name: '' }
}

/**
 * Returns the profile of a conversion. Signals put the values into the event when they make the conversion, so that
 * the match quality and each attempt to send use the same values.
 */
export const conversionProfile = ({ context }: Pick<PipelineEvent, 'context'>): EventProfile => {
  const signal = isRecord(context) ? context['signal'] : undefined
  if (!isRecord(signal) || !isRecord(signal['profile'])) return noProfile
  const consent = profileConsentIn(signal['profile_consent'])
  return { json: JSON.stringify(signal['profile']), lacks: '', ...(consent && { consent }) }
}
