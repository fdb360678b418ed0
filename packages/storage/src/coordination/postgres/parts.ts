/**
 * Messages as the payloads of notifications, which have fewer than 8,000 bytes: `<origin> <number> <part> <parts> <topic> <text>`.
 * Everything is ASCII, so that a text may be cut anywhere.
 */
const partLength = 7000
const topicPattern = /^[\w.-]{1,100}$/

/** A text of JSON with nothing in it but ASCII, which says the same. */
const asciiJson = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The payloads of a message; `number` rises with each message of its origin. */
export const partsOf = (origin: string, number: number, topic: string, text: string): string[] => {
  if (!topicPattern.test(topic)) throw new Error(`${topic} is no topic`)
  const ascii = asciiJson(text)
  const count = Math.max(1, Math.ceil(ascii.length / partLength))
  return Array.from(
    { length: count },
    (_, at) => `${origin} ${number} ${at} ${count} ${topic} ${ascii.slice(at * partLength, (at + 1) * partLength)}`,
  )
}

type Part = { origin: string; number: number; at: number; count: number; topic: string; text: string }

const parse = (payload: string): Part | undefined => {
  const [, origin = '', number, at, count, topic = '', text = ''] =
    /^(\S+) (\d+) (\d+) (\d+) (\S+) ([^]*)$/.exec(payload) ?? []
  if (origin === '') return undefined
  return { origin, number: Number(number), at: Number(at), count: Number(count), topic, text }
}

/** Origins that are remembered, so that a message which is sent again is heard once. */
const mostOrigins = 1000

/** Puts payloads together. Calls `hear` with each message once, in the order of each origin. */
export const createPartReader = (hear: (origin: string, topic: string, text: string) => void) => {
  /** By origin, the last number that was heard. */
  const heard = new Map<string, number>()
  /** By origin, the parts that have come of its next message. */
  const begun = new Map<string, { number: number; texts: string[] }>()

  const remember = (origin: string, number: number): void => {
    heard.delete(origin)
    heard.set(origin, number)
    const [oldest] = heard.keys()
    if (heard.size > mostOrigins && oldest !== undefined) heard.delete(oldest)
  }

  return {
    read(payload: string): void {
      const part = parse(payload)
      if (part === undefined || part.number <= (heard.get(part.origin) ?? -1)) return
      const { origin, number, at, count, topic, text } = part
      const before = at === 0 ? [] : begun.get(origin)?.number === number ? (begun.get(origin)?.texts ?? []) : []
      // Of what was being sent when this began to listen, the beginning is missing.
      if (before.length !== at) return void begun.delete(origin)
      const texts = [...before, text]
      if (at + 1 < count) return void begun.set(origin, { number, texts })
      begun.delete(origin)
      remember(origin, number)
      hear(origin, topic, texts.join(''))
    },
    /** Forgets what has begun: its end will not be heard. */
    cut(): void {
      begun.clear()
    },
  }
}
