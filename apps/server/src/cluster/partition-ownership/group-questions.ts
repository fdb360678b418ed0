import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type Logger, randomToken, requireKnownFormat } from '@tributary/kernel'
import type { Coordination } from '@tributary/storage'
import type { GroupAnswer, GroupQuestion } from '../../threads/messages/groups.ts'
import type { RoleThread } from '../../threads/role-thread.ts'
import type { GroupRole } from './owned-groups.ts'

const askTopic = 'groups.ask'
const answerTopic = 'groups.answer'
/** Maximum characters of one message; longer ones are split. */
const pieceLength = 512 * 1024
/** Maximum bytes of a request or a response. */
const maxBytes = 64 * 1024 * 1024
/** Pieces of an incomplete message are discarded after this time, ms. */
const pieceMs = 60_000
/** Interval in ms at which a waiting request checks whether the group still has the same owner. */
const lookMs = 1000

/** Thrown if the group has no owner, or its owner has changed. */
export class GroupUnowned extends Error {
  override readonly name = 'GroupUnowned'
}

/** Thrown if the owner of the group is starting: its state may be older than the request. */
export class GroupBeginning extends Error {
  override readonly name = 'GroupBeginning'
}

type Piece = { from: string; to: string; id: string; at: number; count: number; text: string }

// Encodes values like messages between threads: bytes stay bytes, and undefined values stay undefined.
const toText = (value: unknown): string => deflateRawSync(serialize(value)).toString('base64')
const fromText = (text: string): unknown =>
  deserialize(inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: maxBytes }))

/**
 * Checks the format in the last piece of a message, and then decodes the message. Throws for a newer format, which this
 * Node.js might misread.
 */
const readMessage = (piece: Piece, text: string): unknown => {
  requireKnownFormat('A question between processes', piece)
  return fromText(text)
}

const isPiece = (message: unknown): message is Piece =>
  typeof message === 'object' && message !== null && 'from' in message && 'id' in message && 'text' in message

/** Joins the pieces of messages, separately for each sender. */
const createPieces = () => {
  const begun = new Map<string, { at: number; texts: string[] }>()
  return (piece: Piece): string | undefined => {
    for (const [key, { at }] of begun) if (performance.now() - at > pieceMs) begun.delete(key)
    const key = `${piece.from} ${piece.id}`
    const texts = [...(begun.get(key)?.texts ?? []), piece.text]
    begun.delete(key)
    // The messages of a process arrive in order. If a piece is missing, the rest of its message is useless.
    if (texts.length !== piece.at + 1) return undefined
    if (texts.length === piece.count) return texts.join('')
    begun.set(key, { at: performance.now(), texts })
    return undefined
  }
}

type Channel = Pick<Coordination, 'publish' | 'subscribe'>

/** Sends a message to a process, or to all that subscribe to the topic, in pieces. */
const send = ({ publish }: Channel, topic: string, to: Pick<Piece, 'from' | 'to' | 'id'>, value: unknown): void => {
  const whole = toText(value)
  const count = Math.max(1, Math.ceil(whole.length / pieceLength))
  for (let at = 0; at < count; at++) {
    const text = whole.slice(at * pieceLength, (at + 1) * pieceLength)
    publish(topic, { ...to, at, count, text } satisfies Piece)
  }
}

/** Calls the handler with each complete message of a topic that is for this process. */
const receive = (
  { subscribe }: Channel,
  topic: string,
  isForUs: (piece: Piece) => boolean,
  take: (piece: Piece, text: string) => void,
): (() => void) => {
  const join = createPieces()
  return subscribe(topic, (message) => {
    if (!isPiece(message) || !isForUs(message)) return
    const text = join(message)
    if (text !== undefined) take(message, text)
  })
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export type GroupQuestions = {
  /**
   * Forwards a message to the owner of a group, in this process or in another one. Rejects with GroupUnowned if the
   * group has no owner or a new one, and with GroupBeginning if its thread is not running yet. Also rejects if there is
   * no response in time: then it is unknown whether the owner received the message.
   */
  relay(role: GroupRole, group: number, name: string, request: unknown, waitMs: number): Promise<unknown>
  close(): void
}

type GroupQuestionsDeps = {
  coordination: Channel
  thread(role: GroupRole, group: number): Pick<RoleThread, 'relay' | 'running'> | undefined
  /** The epoch of the current owner of a group; undefined if it has no owner. */
  epochOf(role: GroupRole, group: number): Promise<number | undefined>
  logger: Logger
}

/** Answers a request of another process, if this process owns the group. */
const answer = async (
  { coordination, thread, logger }: GroupQuestionsDeps,
  self: string,
  piece: Piece,
  text: string,
): Promise<void> => {
  let read: GroupQuestion
  try {
    read = readMessage(piece, text) as GroupQuestion
  } catch (error) {
    // The group of this message is unknown, so another process may answer it.
    logger.warn({ err: error }, 'A question of another process cannot be read')
    return
  }
  const { role, group, question, about } = read
  const here = thread(role, group)
  // Another process owns the group, or none does.
  if (here === undefined) return
  const found = here.running()
    ? here.relay(question, about).then(
        (value) => ({ value }),
        (error: unknown) => ({ error: reasonOf(error) }),
      )
    : { isBeginning: true as const }
  send(coordination, answerTopic, { from: self, to: piece.from, id: piece.id }, await found)
}

/** Requests between the processes that share groups of partitions, over their shared coordination. */
export const createGroupQuestions = (deps: GroupQuestionsDeps): GroupQuestions => {
  const { coordination, thread, epochOf, logger } = deps
  const self = randomToken(9)
  const waiting = new Map<string, (answer: GroupAnswer) => void>()

  const isAsked = ({ from }: Piece): boolean => from !== self
  const isAnswered = ({ to }: Piece): boolean => to === self
  const stops = [
    receive(coordination, askTopic, isAsked, (piece, text) => {
      answer(deps, self, piece, text).catch((error: unknown) =>
        logger.warn({ err: error }, 'A question cannot be answered'),
      )
    }),
    receive(coordination, answerTopic, isAnswered, (piece, text) => {
      let found: GroupAnswer
      try {
        found = readMessage(piece, text) as GroupAnswer
      } catch (error) {
        found = { error: reasonOf(error) }
      }
      waiting.get(piece.id)?.(found)
    }),
  ]

  const askOthers = async (what: GroupQuestion, waitMs: number): Promise<unknown> => {
    const { role, group, question } = what
    const epoch = await epochOf(role, group)
    if (epoch === undefined) throw new GroupUnowned(`Nobody has the group ${group + 1} of the ${role} now`)
    const id = randomToken(9)
    const { promise, resolve, reject } = Promise.withResolvers<GroupAnswer>()
    waiting.set(id, resolve)
    const late = setTimeout(
      () => reject(new Error(`No answer to "${question}" of the owner of group ${group + 1} of the ${role}`)),
      waitMs,
    )
    // The owner may have ended without an answer. Messages can be lost, so the epoch is read again at each interval.
    const look = setInterval(() => {
      epochOf(role, group).then(
        (now) => now === epoch || reject(new GroupUnowned(`The owner of group ${group + 1} of the ${role} is gone`)),
        () => {},
      )
    }, lookMs)
    try {
      send(coordination, askTopic, { from: self, to: '', id }, what)
      const { value, error, isBeginning } = await promise
      if (isBeginning) throw new GroupBeginning(`The owner of group ${group + 1} of the ${role} only begins`)
      if (error !== undefined) throw new Error(error)
      return value
    } finally {
      clearTimeout(late)
      clearInterval(look)
      waiting.delete(id)
    }
  }

  return {
    async relay(role, group, name, request, waitMs) {
      const here = thread(role, group)
      if (here?.running()) return await here.relay(name, request)
      if (here !== undefined) throw new GroupBeginning(`Group ${group + 1} of the ${role} only begins`)
      return await askOthers({ role, group, question: name, about: request }, waitMs)
    },
    close() {
      for (const stop of stops) stop()
    },
  }
}
