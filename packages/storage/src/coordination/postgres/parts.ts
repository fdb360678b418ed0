/**
 * Maximum characters of a message's text in one notification. A notification has fewer than 8,000 bytes: `<origin>
 * <number> <part> <parts> <topic> <text>`. Everything is ASCII, so that the text can be cut anywhere.
 */
const partLength = 7000
const topicPattern = /^[\w.-]{1,100}$/

/** Returns an equivalent JSON text that contains only ASCII. */
const asciiJson = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the notifications of a message. `number` increases with each message of its origin. */
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

/** Maximum number of origins whose last message is remembered, so that a repeated message is delivered only once. */
const maxOrigins = 1000

/**
 * Creates a reader that joins the parts of messages. It calls `hear` once for each message, and in order for each
 * origin.
 */
export const createPartReader = (hear: (origin: string, topic: string, text: string) => void) => {
  /** The number of the last delivered message, by origin. */
  const heard = new Map<string, number>()
  /** The received parts of the next message, by origin. */
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
    /** Drops incomplete messages, because their remaining parts will not arrive. */
    cut(): void {
      begun.clear()
    },
  }
}
