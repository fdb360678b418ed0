import { readTimeText } from '@tributary/connector-kit'

/** The kinds of HubSpot properties that hold a time. */
export type TimeKind = 'date' | 'datetime'

const dayMs = 86_400_000
/** Smaller numbers are seconds: as milliseconds, they would be days of early 1970. */
const smallestMs = 1e10

const day = /^\d{4}-\d{2}-\d{2}$/
const dayAndTime = /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}/
/** The form of databases, which have a space before the time, and no zone for UTC. */
const spaced = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}/
const numeral = /^-?\d{9,14}$/

/** Whether a text can be a time, so that the kind of its property matters. */
export const canBeTime = (text: string): boolean => day.test(text) || dayAndTime.test(text) || numeral.test(text)

const ofDate = (text: string): string => {
  if (numeral.test(text)) {
    const number = Number(text)
    // HubSpot takes milliseconds of a midnight as they are.
    if (number % dayMs === 0) return text
    return new Date(Math.abs(number) < smallestMs ? number * 1000 : number).toISOString().slice(0, 10)
  }
  const [, written] = dayAndTime.exec(text) ?? []
  return written !== undefined && readTimeText(`${written}T00:00:00Z`) !== undefined ? written : text
}

const ofDateTime = (text: string): string => {
  if (day.test(text)) return `${text}T00:00:00.000Z`
  if (spaced.test(text)) {
    const joined = text.replace(' ', 'T')
    return readTimeText(joined) ?? readTimeText(`${joined}Z`) ?? text
  }
  return numeral.test(text) && Math.abs(Number(text)) < smallestMs ? String(Number(text) * 1000) : text
}

/**
 * Returns a time in the form that a property of this kind takes. A date is the day as it is written, without a time. A
 * date and time is a moment. Seconds become milliseconds. Other texts are unchanged, and HubSpot refuses them with a
 * reason. Source: HubSpot, "How should timestamps be formatted for HubSpot's APIs?".
 */
export const timeText = (text: string, kind: TimeKind): string => {
  const trimmed = text.trim()
  if (!canBeTime(trimmed)) return text
  return kind === 'date' ? ofDate(trimmed) : ofDateTime(trimmed)
}
