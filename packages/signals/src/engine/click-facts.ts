import { clickedPlatforms, valueAt } from '@tributary/contract'
import { clickIdDays, cutText, readTime } from '@tributary/kernel'

/** Days that each fact of a person is stored for later conversions. */
const keptDays = {
  gclid: clickIdDays.gclid,
  gbraid: clickIdDays.gbraid,
  wbraid: clickIdDays.wbraid,
  // Meta, "fbp and fbc Parameters": both cookies are kept for 90 days.
  fbc: clickIdDays.fbclid,
  fbp: 90,
  ttclid: clickIdDays.ttclid,
  // TikTok, "Pixel cookies": 13 months.
  ttp: 390,
  // Google Analytics, "Cookie usage": _ga is kept for 2 years; a session ends within a day.
  ga_client_id: 730,
  ga_session_id: 1,
  // The parameters of a campaign are stored even if the visit had no click ID.
  campaign: 90,
} as const

/** The name of a fact that is stored for a person. */
export type FactName = keyof typeof keptDays

const dayMs = 86_400_000

/** Returns the time at which a fact expires, by the time when it was seen. Both are epoch ms. */
export const expiryOf = (name: FactName, at: number): number => at + keptDays[name] * dayMs

/** A fact for the attribution of a conversion: its value, when it was seen, and the campaign of that visit. */
export type Fact = { value: string; at: number; campaign: string }
export type Facts = Partial<Record<FactName, Fact>>

/** The platform that issues a click ID. */
const clickedBy: Partial<Record<FactName, (typeof clickedPlatforms)[number]>> = {
  gclid: 'google',
  gbraid: 'google',
  wbraid: 'google',
  fbc: 'meta',
  ttclid: 'tiktok',
}

/** Maximum length of a click ID. */
const longest = 500
/** Maximum length of a campaign parameter. */
const longestParameter = 100

type Values = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  return text.length <= longest && /^[\x21-\x7e]+$/.test(text) ? text : ''
}

const paths = (...names: string[]): readonly (readonly string[])[] => names.map((name) => name.split('.'))

/** The paths where libraries, sites and the product's own tag put each fact. The first path that has a value counts. */
const places = {
  gclid: paths('context.clickIds.gclid', 'properties.gclid', 'context.gclid', 'traits.gclid'),
  gbraid: paths('context.clickIds.gbraid', 'properties.gbraid', 'context.gbraid'),
  wbraid: paths('context.clickIds.wbraid', 'properties.wbraid', 'context.wbraid'),
  fbc: paths('context.browserIds.fbc', 'properties.fbc', 'context.fbc', 'properties._fbc'),
  fbclid: paths('context.clickIds.fbclid', 'properties.fbclid', 'context.fbclid'),
  fbp: paths('context.browserIds.fbp', 'properties.fbp', 'context.fbp', 'properties._fbp'),
  ttclid: paths('context.clickIds.ttclid', 'properties.ttclid', 'context.ttclid'),
  ttp: paths('context.browserIds.ttp', 'properties.ttp', 'context.ttp', 'properties._ttp'),
  ga_client_id: paths(
    'context.browserIds.ga',
    'properties.client_id',
    'properties.ga_client_id',
    'context.ga_client_id',
  ),
  // The libraries of RudderStack write `context.sessionId`.
  ga_session_id: paths(
    'context.browserIds.gaSession',
    'properties.ga_session_id',
    'context.ga_session_id',
    'context.sessionId',
  ),
} as const

const firstOf = (event: Values, of: readonly (readonly string[])[]): string => {
  for (const names of of) {
    const text = textOf(valueAt(event, names))
    if (text !== '') return text
  }
  return ''
}

/** Returns the query parameters of the page address of an event; undefined if no parameter is relevant. */
const parametersOf = (event: Values): URLSearchParams | undefined => {
  const url = valueAt(event, ['context', 'page', 'url'])
  const given = valueAt(event, ['context', 'page', 'search'])
  const text =
    typeof given === 'string' && given !== '' ? given : typeof url === 'string' ? url.slice(url.indexOf('?')) : ''
  return /(gclid|braid|fbclid|ttclid|utm_)/.test(text) && text.length <= 8000
    ? new URLSearchParams(text.startsWith('?') ? text.slice(1) : text)
    : undefined
}

const campaignNames = ['source', 'medium', 'campaign'] as const

/** Returns the parameters of a campaign as one text; '' if the event has none. */
const campaignOf = (event: Values, parameters: URLSearchParams | undefined): string => {
  const known = valueAt(event, ['context', 'campaign'])
  const of = (name: (typeof campaignNames)[number]): string => {
    const own = typeof known === 'object' && known !== null ? (known as Values) : {}
    const value = own[name] ?? (name === 'campaign' ? own['name'] : undefined) ?? parameters?.get(`utm_${name}`)
    return typeof value === 'string' ? cutText(value.trim(), longestParameter).toWellFormed() : ''
  }
  const values = campaignNames.map(of)
  return values.some((value) => value !== '') ? JSON.stringify(values) : ''
}

/** Returns the source, medium and name of a campaign; each is '' if absent. */
export const campaignParts = (campaign: string): [source: string, medium: string, name: string] => {
  if (campaign === '') return ['', '', '']
  const [source = '', medium = '', name = ''] = JSON.parse(campaign) as string[]
  return [source, medium, name]
}

/** Patterns of the click IDs of other platforms, so that an ID under the wrong name is not stored. */
const foreign: Partial<Record<FactName, RegExp>> = {
  gclid: /^(fb\.\d|Iw[A-Z]|E\.C\.P\.)/,
  fbc: /^(Cj0KC|CjwKC|EAIaIQ|E\.C\.P\.)/,
  ttclid: /^(fb\.\d|Iw[A-Z]|Cj0KC|CjwKC|EAIaIQ)/,
}

/** Returns the time of a click as the tag reports it, but never later than the event. */
const timeOf = (event: Values, name: string, at: number): number => {
  const ms = readTime(valueAt(event, ['context', 'clickTimes', name])) ?? 0
  return ms > 0 && ms <= at ? ms : at
}

/**
 * Returns the click IDs, first-party IDs and the campaign in an event. The click of Meta is in its cookie. Without the
 * cookie, it is made from the parameter and the time of the click (Meta, "fbp and fbc Parameters").
 */
export const factsOf = (event: Values, at: number): Facts => {
  const parameters = parametersOf(event)
  const campaign = campaignOf(event, parameters)
  const facts: Facts = {}
  const keep = (name: FactName, value: string, seen: number): void => {
    if (value !== '' && foreign[name]?.test(value) !== true) facts[name] = { value, at: seen, campaign }
  }
  for (const name of ['gclid', 'gbraid', 'wbraid', 'ttclid'] as const)
    keep(name, firstOf(event, places[name]) || textOf(parameters?.get(name)), timeOf(event, name, at))
  const fbclid = firstOf(event, places.fbclid) || textOf(parameters?.get('fbclid'))
  const clicked = timeOf(event, 'fbclid', at)
  keep('fbc', firstOf(event, places.fbc) || (fbclid === '' ? '' : `fb.1.${clicked}.${fbclid}`), clicked)
  for (const name of ['fbp', 'ttp', 'ga_client_id', 'ga_session_id'] as const)
    keep(name, firstOf(event, places[name]), at)
  if (campaign !== '') facts.campaign = { value: '-', at, campaign }
  return facts
}

/** The facts of a person that are stored under one name: the first and the last one. */
export type StoredFact = { first: Fact; last: Fact }
export type StoredFacts = ReadonlyMap<FactName, StoredFact>

/**
 * Returns the facts of a conversion: those of its own event, and stored facts under other names. Leaves out stored
 * facts that have expired or are later than the event.
 */
export const joinFacts = (own: Facts, kept: StoredFacts, at: number): Facts => {
  const joined: Facts = { ...own }
  for (const [name, { last, first }] of kept) {
    if (joined[name] !== undefined) continue
    const fact = [last, first].find((each) => each.at <= at && expiryOf(name, each.at) > at)
    if (fact !== undefined) joined[name] = fact
  }
  return joined
}

/** A click that a conversion is attributed to. */
export type Touch = { clicked: (typeof clickedPlatforms)[number]; campaign: string }

/**
 * Returns the first and the last click of a person before a conversion. If there is no click, returns the campaign of
 * the visit instead.
 */
export const touchPointsOf = (own: Facts, kept: StoredFacts, at: number): { first: Touch; last: Touch } => {
  const all: (Fact & { clicked: Touch['clicked'] })[] = []
  const add = (name: FactName, fact: Fact): void => {
    const clicked = clickedBy[name]
    if (clicked !== undefined && fact.at <= at && expiryOf(name, fact.at) > at) all.push({ ...fact, clicked })
  }
  for (const [name, fact] of Object.entries(own)) add(name as FactName, fact)
  for (const [name, { first, last }] of kept) {
    add(name, first)
    add(name, last)
  }
  const sorted = all.toSorted((a, b) => a.at - b.at)
  const visits = [kept.get('campaign')?.first, kept.get('campaign')?.last, own.campaign].filter(
    (fact) => fact !== undefined && fact.at <= at,
  )
  const of = (click: (typeof all)[number] | undefined, visit: Fact | undefined): Touch =>
    click === undefined
      ? { clicked: 'none', campaign: visit?.campaign ?? '' }
      : { clicked: click.clicked, campaign: click.campaign }
  return { first: of(sorted[0], visits[0]), last: of(sorted.at(-1), visits.at(-1)) }
}
