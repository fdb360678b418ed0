import { dayMs, daysBefore, dayTime, digitsAt, hourMs, isLeap, minuteMs } from './calendar.ts'

/**
 * A token of a written time: a number, a word, or any other single character; `gap` is true if whitespace precedes it.
 */
type Token = { kind: 'number' | 'word' | 'sign'; text: string; gap: boolean }

const kindOf = (code: number): Token['kind'] => {
  if (code >= 48 && code <= 57) return 'number'
  const letter = code | 32
  return letter >= 97 && letter <= 122 ? 'word' : 'sign'
}

const isGap = (char: string): boolean => char === ' ' || char === '\t' || char === '\u00a0' || char === '\u202f'

const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = []
  let gap = false
  for (let place = 0; place < text.length; ) {
    const char = text[place] ?? ''
    if (isGap(char)) {
      gap = true
      place++
      continue
    }
    const kind = kindOf(text.charCodeAt(place))
    let end = place + 1
    while (kind !== 'sign' && end < text.length && kindOf(text.charCodeAt(end)) === kind) end++
    tokens.push({ kind, text: char === '\u2212' ? '-' : text.slice(place, end).toLowerCase(), gap })
    gap = false
    place = end
  }
  return tokens
}

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const placeIn = (names: readonly string[], word: string): number =>
  word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word) || (word === 'sept' && name === 'september'))

/** Named time zones that have one fixed offset, in minutes (RFC 5322 4.3). */
const zones: ReadonlyMap<string, number> = new Map([
  ...['z', 'utc', 'gmt', 'ut'].map((name): [string, number] => [name, 0]),
  ...['est', 'cst', 'mst', 'pst'].map((name, index): [string, number] => [name, -60 * (index + 5)]),
  ...['edt', 'cdt', 'mdt', 'pdt'].map((name, index): [string, number] => [name, -60 * (index + 4)]),
])

/** Returns the year of a token. Years of two digits are from 1950 to 2049 (RFC 5322 4.3). */
const yearOf = ({ text }: Token): number | undefined => {
  if (text.length === 4) return Number(text)
  return text.length === 2 ? Number(text) + (Number(text) < 50 ? 2000 : 1900) : undefined
}

/** Thrown to end the parsing: the text is not a time. */
class NoTime extends Error {}
/** The error is a single instance, because texts from outside can cause it often. */
const noTime = new NoTime()
const wrong = (): never => {
  throw noTime
}

type Clock = { ms: number; leap: boolean }

/** Creates a cursor that reads tokens in order. */
const createCursor = (tokens: readonly Token[]) => {
  let place = 0
  const peek = (ahead = 0): Token | undefined => tokens[place + ahead]
  const isSign = (char: string, ahead = 0): boolean => peek(ahead)?.kind === 'sign' && peek(ahead)?.text === char
  const skip = (char: string): boolean => {
    const is = isSign(char)
    if (is) place++
    return is
  }
  const skipWord = (...words: readonly string[]): boolean => {
    const token = peek()
    const is = token?.kind === 'word' && words.includes(token.text)
    if (is) place++
    return is
  }
  /** Reads a number of `min` to `max` digits. */
  const number = (min: number, max: number): number => {
    const token = peek()
    if (token?.kind !== 'number' || token.text.length < min || token.text.length > max) return wrong()
    place++
    return Number(token.text)
  }

  return {
    peek,
    isSign,
    skip,
    skipWord,
    number,
    step(count = 1): void {
      place += count
    },
    finish(): void {
      place = tokens.length
    },
  }
}
type Cursor = ReturnType<typeof createCursor>

const createDates = ({ peek, isSign, skip, number, step }: Cursor) => {
  const numericDate = (): number | undefined => {
    const sign = isSign('-') ? -1 : 1
    if (isSign('-') || isSign('+')) {
      // ECMA-262 21.4.1.32: years of more than four digits have six digits and a sign, and there is no year -0.
      step()
      const year = number(6, 6)
      if (sign < 0 && year === 0) return wrong()
      if (!skip('-')) return wrong()
      const month = number(2, 2)
      if (!skip('-')) return wrong()
      return dayTime(sign * year, month, number(2, 2))
    }
    const token = peek()
    if (token?.kind !== 'number') return wrong()
    const digits = token.text
    if (digits.length === 8) {
      step()
      return dayTime(digitsAt(digits, 0, 4), digitsAt(digits, 4, 2), digitsAt(digits, 6, 2))
    }
    if (digits.length !== 4) return wrong()
    const year = number(4, 4)
    if (skip('/')) {
      const month = number(1, 2)
      return skip('/') ? dayTime(year, month, number(1, 2)) : wrong()
    }
    if (!skip('-')) return wrong()
    const next = peek()
    if (next?.kind === 'word' && next.text === 'w') return weekDate(year)
    if (next?.kind === 'number' && next.text.length === 3) {
      const day = number(3, 3)
      return day >= 1 && day <= (isLeap(year) ? 366 : 365) ? daysBefore(year, 1, day) * dayMs : wrong()
    }
    const month = number(1, 2)
    return skip('-') ? dayTime(year, month, number(1, 2)) : wrong()
  }

  const weekDate = (year: number): number => {
    step()
    const week = number(2, 2)
    const day = skip('-') ? number(1, 1) : wrong()
    const fourth = daysBefore(year, 1, 4)
    // 1970-01-01 was a Thursday, and week 1 contains 4 January.
    const monday = fourth - ((((fourth + 3) % 7) + 7) % 7)
    const nextFourth = daysBefore(year + 1, 1, 4)
    const weeks = (nextFourth - ((((nextFourth + 3) % 7) + 7) % 7) - monday) / 7
    return week >= 1 && week <= weeks && day >= 1 && day <= 7 ? (monday + (week - 1) * 7 + day - 1) * dayMs : wrong()
  }

  return numericDate
}

/** Reads the fractional seconds in ms, if there are any. */
const fractionAt = ({ peek, isSign, step }: Cursor): number => {
  const next = peek(1)
  const isThere = (isSign('.') || isSign(',')) && next?.kind === 'number' && !next.gap
  if (!isThere) return 0
  step(2)
  return Number((next?.text ?? '').slice(0, 3).padEnd(3, '0'))
}

const hourOfDay = ({ peek, step }: Cursor, hour: number): number => {
  const word = peek()?.kind === 'word' ? peek()?.text : undefined
  if (word !== 'am' && word !== 'pm') return hour
  step()
  if (hour < 1 || hour > 12) return wrong()
  return (hour % 12) + (word === 'pm' ? 12 : 0)
}

const createClocks = (cursor: Cursor) => {
  const { peek, isSign, skip, number, step, finish } = cursor

  const clock = (basic: boolean): Clock => {
    const first = peek()?.text ?? ''
    let [hour, minute, second, ms] = [0, 0, 0, 0]
    if (isSign(':', 1)) {
      hour = number(1, 2)
      step()
      minute = number(2, 2)
      if (skip(':')) {
        second = number(2, 2)
        ms = fractionAt(cursor)
      }
    } else if (basic && (first.length === 2 || first.length === 4 || first.length === 6)) {
      number(2, 6)
      hour = digitsAt(first, 0, 2)
      minute = first.length > 2 ? digitsAt(first, 2, 2) : 0
      if (first.length === 6) {
        second = digitsAt(first, 4, 2)
        ms = fractionAt(cursor)
      }
    } else return wrong()
    hour = hourOfDay(cursor, hour)
    const leap = minute === 59 && second === 60
    const isEnd = hour === 24 && minute === 0 && second === 0 && ms === 0
    if (minute > 59 || (second > 59 && !leap) || (hour > 23 && !isEnd)) return wrong()
    return { ms: hour * hourMs + minute * minuteMs + second * 1000 + ms, leap }
  }

  /** Reads hours and minutes after a sign, in ms. */
  const offset = (): number => {
    const sign = isSign('-') ? -1 : 1
    step()
    const digits = peek()?.text ?? ''
    let [hours, minutes, seconds] = [0, 0, 0]
    if (digits.length === 4) {
      number(4, 4)
      hours = digitsAt(digits, 0, 2)
      minutes = digitsAt(digits, 2, 2)
    } else {
      hours = number(1, 2)
      if (skip(':')) minutes = number(2, 2)
      if (isSign(':')) {
        step()
        seconds = number(2, 2)
      }
    }
    if (hours > 23 || minutes > 59 || seconds > 59) return wrong()
    return sign * (hours * hourMs + minutes * minuteMs + seconds * 1000)
  }

  /** Reads the offset of the zone from UTC; 0 without a zone. */
  const zone = (): number => {
    const token = peek()
    if (token?.kind === 'word') {
      const known = zones.get(token.text) ?? wrong()
      step()
      const isOffset = known === 0 && token.text !== 'z' && (isSign('+') || isSign('-'))
      return isOffset ? offset() : known * minuteMs
    }
    if (!isSign('+') && !isSign('-')) return 0
    const ahead = offset()
    // Go prints the name of the zone after its offset.
    if (peek()?.kind === 'word' && peek()?.gap === true && peek()?.text !== 'm') step()
    return ahead
  }

  /** Skips remarks after a time: a comment, a time zone of RFC 9557, Go's monotonic clock. */
  const remarks = (): void => {
    if (skip('(')) while (peek() !== undefined && !skip(')')) step()
    while (skip('[')) while (peek() !== undefined && !skip(']')) step()
    if (peek()?.text === 'm' && isSign('=', 1)) finish()
  }

  return { clock, zone, remarks }
}

const createReader = (cursor: Cursor) => {
  const { peek, isSign, skip, skipWord, number, step } = cursor
  const numericDate = createDates(cursor)
  const { clock, zone, remarks } = createClocks(cursor)

  const instant = (day: number | undefined, { ms, leap }: Clock, ahead: number): number => {
    if (day === undefined || peek() !== undefined) return wrong()
    const time = day + ms - ahead
    if (!leap) return time
    // A leap second is the last second of a month in UTC (RFC 3339 5.7). As in POSIX, it counts as the first second of
    // the next day.
    const second = Math.floor(time / 1000) * 1000
    return second % dayMs === 0 && new Date(second).getUTCDate() === 1 ? time : wrong()
  }

  const midnight: Clock = { ms: 0, leap: false }

  /** Reads a time of day and its zone, if they follow the day. */
  const rest = (day: number | undefined): number => {
    if (peek() === undefined) return instant(day, midnight, 0)
    const joined = skipWord('t')
    if (!joined) {
      const comma = skip(',')
      if (!skipWord('at') && !comma && peek()?.gap !== true) return wrong()
    }
    const time = clock(joined)
    const ahead = zone()
    remarks()
    return instant(day, time, ahead)
  }

  /** Reads `Nov 20`, followed by a year and a time, or by a time, its zone and a year. */
  const monthFirst = (month: number): number => {
    const day = number(1, 2)
    skipWord('st', 'nd', 'rd', 'th')
    skip(',')
    if (!isSign(':', 1)) return rest(dayTime(number(4, 4), month, day))
    const time = clock(false)
    const isYear = peek()?.kind === 'number'
    const ahead = isYear ? 0 : zone()
    return instant(dayTime(number(4, 4), month, day), time, ahead)
  }

  /** Reads `20 Nov 2026` or `20-Nov-26`. */
  const dayFirst = (): number => {
    const day = number(1, 2)
    const dashed = skip('-')
    const month = placeIn(months, peek()?.text ?? '')
    if (month < 0 || peek()?.kind !== 'word') return wrong()
    step()
    if (dashed && !skip('-')) return wrong()
    const token = peek()
    const year = token?.kind === 'number' ? yearOf(token) : undefined
    if (year === undefined) return wrong()
    step()
    return rest(dayTime(year, month + 1, day))
  }

  return (): number => {
    const first = peek()
    if (first?.kind === 'word') {
      if (placeIn(weekdays, first.text) >= 0) {
        step()
        skip(',')
      }
      const month = peek()?.kind === 'word' ? placeIn(months, peek()?.text ?? '') : -1
      if (month < 0) return dayFirst()
      step()
      return monthFirst(month + 1)
    }
    const second = peek(1)
    const isDayFirst = first?.kind === 'number' && first.text.length <= 2
    if (isDayFirst && (second?.kind === 'word' || second?.text === '-')) return dayFirst()
    return rest(numericDate())
  }
}

/** Returns the instant of a written date, in ms since 1970; undefined if the text is not a date. */
export const readWords = (text: string): number | undefined => {
  try {
    return createReader(createCursor(tokensOf(text)))()
  } catch (error) {
    if (error instanceof NoTime) return undefined
    throw error
  }
}
