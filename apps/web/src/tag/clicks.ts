import { campaignIn, clickIdDays, clickIdsIn } from '@tributary/kernel/browser'

/**
 * A stored value of a visit from an ad: a click ID, or the parameters of the campaign. `at` is the time in seconds
 * since 1970.
 */
export type StoredClick = { readonly value: string; readonly at: number }
/** Click IDs by the name of their URL parameter. The parameters of the campaign are stored under `utm`. */
export type Clicks = Readonly<Record<string, StoredClick>>

const campaign = 'utm'
const days = new Map<string, number>([...Object.entries(clickIdDays), [campaign, 90]])
const daysOf = (name: string): number | undefined => days.get(name)
/** Maximum number of characters of all clicks in one cookie. Browsers accept 4,096. */
const roomy = 3000

/** Returns the click IDs and the campaign in the parameters of a URL. `now` is in seconds. */
export const clicksIn = (search: string, now: number): Clicks => {
  const params = new URLSearchParams(search)
  const utm = new URLSearchParams(campaignIn(params)).toString()
  const found = { ...clickIdsIn(params), ...(utm === '' ? {} : { [campaign]: utm }) }
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, { value, at: now }]))
}

/** Merges stored and new clicks. A click that is read again, such as after a reload, keeps its time. */
export const mergeClicks = (known: Clicks, fresh: Clicks): Clicks => {
  const merged: Record<string, StoredClick> = { ...known }
  for (const [name, kept] of Object.entries(fresh)) if (known[name]?.value !== kept.value) merged[name] = kept
  return merged
}

/**
 * Returns the clicks that are unexpired at `now` (seconds) as the text of a cookie, newest first. If there are too
 * many, drops the oldest.
 */
export const formatClicks = (clicks: Clicks, now: number): string => {
  let text = ''
  for (const [name, { value, at }] of Object.entries(clicks).sort(([, one], [, other]) => other.at - one.at)) {
    const next = `${text === '' ? '' : '|'}${name}:${at.toString(36)}:${encodeURIComponent(value)}`
    if (at + (daysOf(name) ?? 0) * 86_400 > now && text.length + next.length <= roomy) text += next
  }
  return text
}

/** Reads the text of a cookie; invalid and expired entries are dropped. */
export const parseClicks = (text: string, now: number): Clicks => {
  const clicks: Record<string, StoredClick> = {}
  for (const part of text.split('|')) {
    const [name = '', time = '', value = ''] = part.split(':')
    const at = Number.parseInt(time, 36)
    const days = daysOf(name)
    if (days === undefined || !(at + days * 86_400 > now) || value === '') continue
    try {
      clicks[name] = { value: decodeURIComponent(value), at }
    } catch {
      // The stored value is not from the tag, so it is ignored.
    }
  }
  return clicks
}

/** Returns the parts of an event's context that describe ad clicks. */
export const clickContext = (clicks: Clicks): Record<string, unknown> => {
  const { [campaign]: utm, ...ids } = clicks
  const entries = Object.entries(ids)
  return {
    ...(utm === undefined ? {} : { campaign: Object.fromEntries(new URLSearchParams(utm.value)) }),
    ...(entries.length === 0
      ? {}
      : {
          clickIds: Object.fromEntries(entries.map(([name, { value }]) => [name, value])),
          clickTimes: Object.fromEntries(entries.map(([name, { at }]) => [name, new Date(at * 1000).toISOString()])),
        }),
  }
}

/** Returns a URL without its click IDs. */
export const withoutClicks = (address: string): string => {
  const [, before = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? []
  const kept = search
    .slice(1)
    .split('&')
    .filter((part) => daysOf(decodeName(part.split('=')[0] ?? '')) === undefined)
    .join('&')
  return before + (kept === '' ? '' : `?${kept}`) + hash
}

const decodeName = (name: string): string => {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
