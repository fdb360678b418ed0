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

/** Origins that are remembered, so that a message that is sent again is delivered once. */
const maxOrigins = 1000

/** Joins the parts of messages. Calls `hear` with each message once, in the order of each origin. */
export const createPartReader = (hear: (origin: string, topic: string, text: string) => void) => {
  /** By origin, the number of the last delivered message. */
  const heard = new Map<string, number>()
  /** By origin, the parts that have come of its next message. */
  const begun = new Map<string, { number: number; texts: string[] }>()

  const remember = (origin: string, number: number): void => {
    heard.delete(origin)
    heard.set(origin, number)
    const [oldest] = heard.keys()
    if (heard.size > maxOrigins && oldest !== undefined) heard.delete(oldest)
  }

  return {
    read(payload: string): void {
      const part = parse(payload)
      if (part === undefined || part.number <= (heard.get(part.origin) ?? -1)) return
      const { origin, number, at, count, topic, text } = part
      const before = at === 0 ? [] : begun.get(origin)?.number === number ? (begun.get(origin)?.texts ?? []) : []
      // The first parts were sent before this reader began to listen.
      if (before.length !== at) return void begun.delete(origin)
      const texts = [...before, text]
      if (at + 1 < count) return void begun.set(origin, { number, texts })
      begun.delete(origin)
      remember(origin, number)
      hear(origin, topic, texts.join(''))
    },
    /** Forgets incomplete messages: their ends will not arrive. */
    cut(): void {
      begun.clear()
    },
  }
}
