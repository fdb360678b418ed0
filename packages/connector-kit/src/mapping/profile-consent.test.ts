import type { PipelineEvent } from '@tributary/contract'
import { expect, it } from 'vitest'
import { allowedProfile, conversionProfile } from './event-profile.ts'
import { consentOfValues, outOfDateConsent, type ProfileConsent } from './profile-consent.ts'

const timeOf = (second: number): string => new Date(1_767_225_600_000 + second * 1000).toISOString()

/** The answers of a person for the categories `a` and `b`; undefined without any. */
type Said = { a?: unknown; b?: unknown } | undefined
const words: readonly Said[] = [
  undefined,
  {},
  { a: true },
  { a: true, b: true },
  { a: true, b: false },
  { a: false, b: true },
  { a: 'true', b: 1 },
]
const required: readonly (readonly string[])[] = [['a'], ['b'], ['a', 'b']]
/** The time of the event and its receipt, and that of the profile's consent. */
const times = [
  { event: 10, received: 20, profile: 5 },
  { event: 10, received: 20, profile: 10 },
  { event: 10, received: 20, profile: 15 },
  { event: 30, received: 20, profile: 25 },
]

const eventOf = (
  said: Said,
  event: number,
  received: number,
): Pick<PipelineEvent, 'context' | 'timestamp' | 'receivedAt'> => ({
  context: said === undefined ? {} : { consent: { categoryPreferences: said } },
  timestamp: timeOf(event),
  receivedAt: timeOf(received),
})

/** The rules in the words of the documentation, one after the other. */
const evaluate = (categories: readonly string[], own: Said, latest: Said, isProfileEarlier: boolean): string => {
  const isGiven = (said: Said, name: string): boolean => (said as Record<string, unknown>)[name] === true
  const denies = (said: Said): boolean => said !== undefined && categories.some((name) => !isGiven(said, name))
  if (denies(own)) return 'denied by the event'
  if (denies(latest) && (own === undefined || !isProfileEarlier)) return 'denied by the profile'
  if (own !== undefined) return 'allowed by the event'
  return latest !== undefined ? 'allowed by the profile' : 'nothing known'
}

const textOf = (said: string, profile: string): string =>
  ({
    'denied by the event': "the event's consent allows no values of the profile",
    'denied by the profile': `the profile's consent of ${profile} allows no values of it`,
    'allowed by the event': "values of the profile by the event's consent",
    'allowed by the profile': `values of the profile by the profile's consent of ${profile}`,
    'nothing known': 'no consent allows values of the profile',
  })[said] ?? ''

const combinations = words.flatMap((own) =>
  words.flatMap((latest) => required.flatMap((categories) => times.map((at) => ({ own, latest, categories, at })))),
)

it('each combination of what the event and the profile say is decided by the rules', () => {
  const met = new Set<string>()
  for (const { own, latest, categories, at } of combinations) {
    const granted = Object.entries(latest ?? {}).flatMap(([name, given]) => (given === true ? [name] : []))
    const consent: ProfileConsent | undefined = latest && { time: timeOf(at.profile), granted }
    const expected = evaluate(categories, own, latest, at.profile < Math.min(at.event, at.received))
    const result = consentOfValues(categories, eventOf(own, at.event, at.received), consent)
    const where = JSON.stringify({ own, latest, categories, at })
    expect(result, where).toEqual({
      allows: expected.startsWith('allowed'),
      text: textOf(expected, timeOf(at.profile)),
    })
    met.add(expected)
  }
  expect(met.size).toBe(5)
})

it('without required consent, or without values, nothing is decided', () => {
  const denied = { time: timeOf(1), granted: [] }
  const profile = { json: '{"traits":{"a":1}}', lacks: '', consent: denied }
  expect(allowedProfile([], eventOf({ a: false }, 1, 1), profile)).toEqual({ profile, note: '' })
  const behind = { json: '{}', lacks: 'profiles were behind' }
  expect(allowedProfile(['a'], eventOf({ a: true }, 1, 1), behind)).toEqual({ profile: behind, note: '' })
})

it.each<[unknown, ProfileConsent | undefined]>([
  [
    { time: timeOf(1), granted: ['a', 1] },
    { time: timeOf(1), granted: ['a'] },
  ],
  [{ time: 1, granted: ['a'] }, undefined],
  [{ time: timeOf(1) }, undefined],
  [undefined, undefined],
])('a conversion has the consent that its signal put into it: %j', (profile_consent, consent) => {
  const { consent: found } = conversionProfile({ context: { signal: { profile: { traits: {} }, profile_consent } } })
  expect(found).toEqual(consent)
})

it('a consent that may be out of date denies as before, and grants nothing', () => {
  for (const { own, latest, categories, at } of combinations) {
    const consent = latest && {
      time: timeOf(at.profile),
      granted: Object.entries(latest).flatMap(([name, given]) => (given === true ? [name] : [])),
    }
    const event = eventOf(own, at.event, at.received)
    const known = consentOfValues(categories, event, consent)
    const isByProfile = known.allows && own === undefined
    const expected = isByProfile ? { allows: false, text: 'no consent allows values of the profile' } : known
    expect(consentOfValues(categories, event, outOfDateConsent(consent))).toEqual(expected)
  }
})
